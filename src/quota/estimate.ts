import type { Cooldown } from './cooldown.ts';
import type { Costs } from './costs.ts';
import { type ForecastWindow, forecast } from './forecast.ts';
import type { Part } from './part.ts';
import type { ResetWindow } from './reset-window.ts';
import type { ServerClock } from './server-clock.ts';
import type { Tempo } from './tempo.ts';
import type { NamedWindow } from './window.ts';
import { endOf, lengthOf } from './windows.ts';

/** Requests of one kind that are to be made. */
export interface Plan {
  /** Left out: any, and of no ceiling of its own is it known that it does not count there. */
  readonly endpoint?: string | undefined;
  readonly count: number;
  /** Units that each will cost, where the caller knows better than experience. */
  readonly cost?: number | undefined;
}

/** When plans will be carried out. Instants are monotonic milliseconds. */
export interface PlanEstimate {
  /** When the last request will be back; Infinity: never. */
  readonly at: number;
  /** The longest window that has to be waited out, `cooldown`, or `concurrency`; undefined if nothing is waited for but answers. */
  readonly window: string | undefined;
}

/** What an estimate is reckoned from. */
export interface Knowledge {
  readonly windows: Iterable<NamedWindow>;
  readonly ceilings: Iterable<ResetWindow>;
  readonly clock: ServerClock;
  readonly cooldown: Cooldown;
  readonly costs: Costs;
  readonly tempo: Tempo;
  readonly concurrency: number;
  readonly part: Pick<Part, 'likely'>;
}

/**
 * When the last of these requests will be back, one plan after the other, if all goes as it went so far and nobody else
 * spends the quota. Windows are taken for calendar windows, so where they slide it may come up to one window later.
 *
 * @returns undefined while nothing is known to reckon with.
 */
export function estimate(plans: readonly Plan[], known: Knowledge, now: number): PlanEstimate | undefined {
  const { clock, cooldown, costs, tempo, concurrency } = known;
  const windows = [...named(known, now), ...ceilings(known, now)];
  const { roundTripMs } = tempo;
  if (roundTripMs === undefined) return undefined;
  const work = plans.map(({ endpoint, count, cost }) => ({ endpoint, count, cost: cost ?? costs.mean(endpoint) }));
  const begin = Math.max(now, cooldown.until);
  const origin = originOf(clock, now);
  const { at, window } = forecast(work, windows, origin + begin - now, { roundTripMs, concurrency });
  return { at: now + at - origin + roundTripMs, window: window ?? (begin > now ? 'cooldown' : undefined) };
}

/** Now, by the service's clock. Without one, all windows are taken to begin now: that is the latest that they can end. */
function originOf(clock: ServerClock, now: number): number {
  return clock.known ? clock.least(now) : 0;
}

function* named({ windows, part }: Knowledge, now: number): Generator<ForecastWindow> {
  for (const window of windows) {
    const { period } = window;
    const limit = part.likely(period, window.limit, now);
    yield {
      window: period,
      limit,
      left: window.headroom(now) * (limit / window.limit || 0),
      lengthMs: lengthOf(period),
      endOf: (at) => endOf(period, at),
    };
  }
}

function* ceilings({ ceilings, clock }: Knowledge, now: number): Generator<ForecastWindow> {
  for (const ceiling of ceilings) {
    const { limit, strideMs } = ceiling;
    const end = clock.known ? ceiling.resetAt : ceiling.endsAt - now;
    yield {
      window: 'endpoint',
      limit,
      left: end > originOf(clock, now) ? ceiling.headroom() : limit,
      lengthMs: strideMs,
      endOf: (at) => end + Math.max(0, Math.floor((at - end) / strideMs) + 1) * strideMs,
      covers: (endpoint) => endpoint === undefined || ceiling.covers(endpoint),
    };
  }
}
