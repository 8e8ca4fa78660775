import { aligned } from '../../../src/quota/models/aligned.ts';
import type { Shape } from '../../../src/quota/models/model.ts';
import type { Period } from '../../../src/quota/time/periods.ts';
import { ServerClock } from '../../../src/quota/time/server-clock.ts';
import { URGENT, USUAL } from '../../../src/share.ts';
import type { Demand } from '../../../src/sharing/ledger/call-needs.ts';
import { type Composed, Ledger } from '../../../src/sharing/ledger/ledger.ts';
import type { Answer } from '../../../src/sharing/store/store.ts';
import { answering, BEGIN, reading } from './small.ts';

export const TRIP_MS = 1;

/** What a ledger begins with. */
export interface Beginning {
  /** The candidate shapes of all windows. */
  readonly alive?: readonly Shape[];
  /** The round trip of the first answer, in milliseconds. */
  readonly roundTripMs?: number;
  readonly random?: number;
  readonly clock?: ServerClock;
}

/** A service’s clock that is known exactly; ours began at 0 when it showed the beginning of a minute. */
export function exactClock(now = 0): ServerClock {
  const clock = new ServerClock();
  clock.narrow(BEGIN, BEGIN, now);
  return clock;
}

/** A ledger that knows the service’s clock and these windows, of which nothing is used. */
export function ledgerOf(
  limits: Readonly<Partial<Record<Period, number>>>,
  { alive = [aligned], roundTripMs = 20, random = 0, clock = exactClock() }: Beginning = {},
): Ledger {
  const ledger = new Ledger(clock, () => random);
  const shapes = { alive, epoch: 0 };
  for (const [period, limit] of Object.entries(limits))
    ledger.read(reading({ period: period as Period, limit, used: 0, shapes, sentAt: 0, receivedAt: roundTripMs }));
  return ledger;
}

export function demand(rest: Partial<Demand> = {}): Demand {
  const rank = rest.isUrgent ? URGENT : USUAL;
  return { need: 1, want: 1, rank, isUrgent: false, concurrency: 32, maxWaitMs: Infinity, ...rest };
}

/** Asks, and is granted so much of each slot. Where nothing is granted, the answer says that all windows are full. */
export function ask(
  ledger: Ledger,
  wishes: Demand,
  granted: readonly number[],
  now: number,
  rest: Partial<Answer> = {},
): Composed {
  const composed = ledger.compose(wishes, now, TRIP_MS);
  const used = composed.windows.map(({ limit }) => (granted.length === 0 ? limit : 0));
  ledger.receive(composed, answering({ now: BEGIN + now, granted, used, ...rest }), 1, now, now + TRIP_MS);
  return composed;
}

/** The seconds that an ask wishes units of, counted from the beginning; those that it only tells of are left out. */
export function wished({ slots }: Composed): string[] {
  return slots
    .filter(({ wish }) => wish > 0)
    .map(({ name }) => {
      const [, fine = '', first, more = ''] = /^(f?)(\d+)(.*)$/.exec(name) ?? [];
      return `${fine}${Number(first) - BEGIN / (fine ? 100 : 1_000)}${more}`;
    });
}

/** What an ask leaves free of each window, by its name. */
export function kept({ windows }: Composed): Record<string, number> {
  return Object.fromEntries(windows.map((window) => [window.name, window.kept]));
}
