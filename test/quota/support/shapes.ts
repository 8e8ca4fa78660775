import fc from 'fast-check';
import { AlignedModel } from '../../../src/quota/models/aligned.ts';
import { FirstRequestModel } from '../../../src/quota/models/first-request.ts';
import { LeakyModel } from '../../../src/quota/models/leaky.ts';
import type { WindowModel } from '../../../src/quota/models/model.ts';
import { SlidingCounterModel } from '../../../src/quota/models/sliding-counter.ts';
import { SlidingLogModel } from '../../../src/quota/models/sliding-log.ts';
import type { ServerClock } from '../../../src/quota/time/server-clock.ts';
import type { OracleShape } from './oracles.ts';

/** Every model, the shape of a service's window that it stands for, and where one clause of the contract is another for it. */
export interface Shape {
  readonly shape: OracleShape;
  readonly make: Make;
  /** Limits of windows that have this shape. */
  readonly caps: fc.Arbitrary<number>;
  /** How many lengths it looks back. */
  readonly lengths: number;
  /** Whether the instant that it names is the one from which it allows, or one before which it does not. */
  readonly names: 'the instant' | 'the soonest';
  /** By how many units the service may round what it says. */
  readonly rounding: number;
}

const anyCaps = fc.integer({ min: 3, max: 25 });
const usual = { caps: anyCaps, lengths: 1, names: 'the instant', rounding: 0 } as const;

export const SHAPES: readonly Shape[] = [
  { ...usual, shape: 'aligned', make: (period, clock) => new AlignedModel(period, clock) },
  { ...usual, shape: 'sliding-log', make: (period) => new SlidingLogModel(LENGTH_MS[period]) },
  // What may have been counted past an end belongs to a window whose beginning is not known yet.
  {
    ...usual,
    shape: 'first-request',
    make: (period) => new FirstRequestModel(LENGTH_MS[period]),
    names: 'the soonest',
  },
  { ...usual, shape: 'leaky', make: (period) => new LeakyModel(LENGTH_MS[period]) },
  {
    shape: 'sliding-counter',
    make: (period, clock) => new SlidingCounterModel(period, clock),
    // Below eight units nothing is estimated.
    caps: fc.integer({ min: 8, max: 70 }),
    lengths: 2,
    // Past its end a full window is the one before, most of which still counts.
    names: 'the soonest',
    rounding: 1,
  },
];

type Make = (period: 'second' | 'minute', clock: ServerClock) => WindowModel;

export const PERIODS: readonly ('second' | 'minute')[] = ['second', 'minute'];
export const LENGTH_MS: Readonly<Record<'second' | 'minute', number>> = { second: 1_000, minute: 60_000 };

/** A request to be made: how long after the one before, its cost, and how long it is under way. */
export interface Wish {
  readonly gapMs: number;
  readonly units: number;
  readonly upMs: number;
  readonly downMs: number;
}

export const wishes: fc.Arbitrary<Wish[]> = fc.array(
  fc.record({
    gapMs: fc.oneof(
      fc.integer({ min: 0, max: 500 }),
      fc.integer({ min: 0, max: 500 }),
      fc.integer({ min: 0, max: 30_000 }),
    ),
    units: fc.integer({ min: 1, max: 3 }),
    upMs: fc.integer({ min: 0, max: 2_000 }),
    downMs: fc.integer({ min: 0, max: 2_000 }),
  }),
  { minLength: 1, maxLength: 60 },
);
