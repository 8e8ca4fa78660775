import { startOf } from '../../../src/quota/time/periods.ts';
import { openWindow, type WindowKind } from '../../../src/testing/limits/windows/kinds.ts';
import { LENGTHS } from './traffic.ts';
import type { Quota, SmallPeriod } from './worlds.ts';

/** Units that another process holds are used or back after this time, and what was sent has arrived, in milliseconds. */
const HELD_MS = 5_000;
const UNDER_WAY_MS = 100;

/** Where a request arrives is known to no less than this, in milliseconds: so near to the end of a calendar window it counts in both. */
const VAGUE_MS = 2_700;

/** A second that has served a request is not known to have room for so long, in milliseconds. */
const SECONDS_MS = 2_000;

/** What slides is counted for so many thirtieths of its length more, and what drains drains so many later, as long as a call asks again. */
const LATE_STEPS = 3;
const STEPS = 30;

/**
 * What is surely free of the windows of a service by the rules of docs/sharing-protocol.md, of all requests that it has served. A window is counted
 * by its own shape where the share knows it. Else, and where the first request opens it, it is counted as a log, which allows less than any
 * shape but the estimate, and while that is possible as one, too. What slides or drains is counted some steps longer, and in whole units.
 */
export class Room {
  readonly #windows: readonly (readonly [period: SmallPeriod, limit: number, kind: WindowKind])[];
  readonly #served: readonly number[];

  /** @param served - when each request was served, by the service's clock. */
  constructor({ limits, shapes }: Quota, isKnown: boolean, served: readonly number[]) {
    const all = Object.entries(limits) as [SmallPeriod, number][];
    this.#served = served;
    this.#windows = all.flatMap(([period, limit]) =>
      kindsOf(period, shapes[period] ?? 'aligned', isKnown).map((kind) => [period, limit, kind] as const),
    );
  }

  /** Whether each window had surely room for a unit at an instant, and before and after it for as long as another process may hold one. */
  isFree(at: number): boolean {
    return this.#windows.every(([period, limit, kind]) =>
      [at - HELD_MS, at + UNDER_WAY_MS, at + HELD_MS].every(
        (each) => this.#used(period, limit, kind, each) <= limit - 1,
      ),
    );
  }

  #used(period: SmallPeriod, limit: number, kind: WindowKind, at: number): number {
    const served = this.#served.filter((each) => each <= at);
    if (period === 'second') return served.some((each) => each > at - SECONDS_MS) ? limit : 0;
    const late = LATE_STEPS / STEPS;
    if (kind === 'sliding-log') return served.filter((each) => each > at - LENGTHS[period] * (1 + late)).length;
    const window = openWindow(kind, limit, period);
    for (const each of kind === 'leaky' ? served : onBothSides(period, served)) if (each <= at) window.charge(1, each);
    if (kind === 'leaky') return Math.ceil(window.used(at) + limit * late);
    return Math.ceil(kind === 'sliding-counter' ? window.used(at - HELD_MS) : window.used(at));
  }
}

/** The instants, and for each that is near to the end of a calendar window the nearest one of the other window. */
function onBothSides(period: SmallPeriod, times: readonly number[]): readonly number[] {
  const both = times.flatMap((time) => {
    const end = startOf(period, time + VAGUE_MS);
    if (Math.abs(time - end) >= VAGUE_MS) return [time];
    return [time, time < end ? end : end - 1];
  });
  return both.sort((one, other) => one - other);
}

function kindsOf(period: SmallPeriod, shape: WindowKind, isKnown: boolean): readonly WindowKind[] {
  if (period === 'month') return ['aligned'];
  if (!isKnown) return ['sliding-log', 'sliding-counter'];
  return [shape === 'first-request' ? 'sliding-log' : shape];
}
