import type { Client, QuotaState } from '../client/client.ts';
import type { MonthState } from '../client/month-state.ts';
import type { Clock } from '../clock.ts';
import type { QueuedCall } from '../trace/queue-view.ts';
import type { History, MonthPoint, Stretches } from './history.ts';

/** So many waiting calls are shown. */
const SHOWN_CALLS = 8;

/** Everything that the page shows, as it is now. */
export interface Overview {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly quota: QuotaState;
  readonly month: MonthState | null;
  readonly monthTrail: readonly MonthPoint[];
  /** How long a call made now would take until its answer, in milliseconds, if that is known. */
  readonly newCallMs: number | null;
  /** The calls that go next. */
  readonly queue: readonly QueuedCall[];
  readonly seconds: Stretches;
  readonly minutes: Stretches;
}

/** An {@link Overview} as it arrives at the page: instants are texts in ISO 8601. */
export type Received<T> = T extends Date
  ? string
  : T extends object
    ? { readonly [Name in keyof T]: Received<T[Name]> }
    : T;

/** Gathers the overview. It asks the client alone, and sends nothing. */
export function overviewOf(
  client: Pick<Client, 'quota' | 'month' | 'queue' | 'estimate'>,
  history: History,
  clock: Clock,
): Overview {
  const at = clock.wall();
  const month = client.month();
  return {
    at,
    quota: client.quota(),
    month: month ?? null,
    monthTrail: history.monthTrail(month, at),
    newCallMs: finite(client.estimate().ms),
    queue: client.queue({ limit: SHOWN_CALLS }),
    seconds: history.seconds.until(at),
    minutes: history.minutes.until(at),
  };
}

function finite(ms: number | undefined): number | null {
  return ms !== undefined && Number.isFinite(ms) ? ms : null;
}
