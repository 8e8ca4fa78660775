import { describe, expect, it } from 'vitest';
import { aligned } from '../../src/quota/models/aligned.ts';
import { leaky } from '../../src/quota/models/leaky.ts';
import type { Shape, WindowModel } from '../../src/quota/models/model.ts';
import { slidingLog } from '../../src/quota/models/sliding-log.ts';
import { cases, DEEP } from '../support/deep.ts';
import { type SmallTerms, tryAll } from './support/interleavings.ts';
import type { OracleShape } from './support/oracles.ts';

const SHAPES: readonly OracleShape[] = ['aligned', 'first-request', 'sliding-log', 'leaky'];

/** An estimate of a smaller window is mostly rounding, so its model abstains below so many of the costliest calls. */
const FEW = 8;

/** Just past a boundary a log forgets what was used a second later, and an estimate much of it only at the end of the next window. */
const ESTIMATED = { shape: 'sliding-counter', phaseMs: 20, isClockKnown: true } as const;

/** Costs of two or three calls, after the first one. */
const COSTS = cases(
  [[1, 2]],
  [
    [1, 1],
    [2, 1],
  ],
);
/** A bug of a model shows at this depth each time, see below. */
const DEPTH = DEEP ? 7 : 4;
/** Units of a second that are left to these calls: in the last, nearly all of them fit. */
const ROOMS = cases([2], [1, 3]);

const worlds: SmallTerms[] = ROOMS.flatMap((room) =>
  // Calls of equal costs are left to the deep run: they take the longest, and costly ones show more.
  COSTS.filter((costs) => Math.max(...costs) <= room).flatMap((costs) => {
    const common = { depth: DEPTH, costs: [1, ...costs], others: 0 };
    const limit = FEW * Math.max(...costs);
    return [
      ...SHAPES.map((shape) => ({ ...common, shape, limit: room })),
      { ...common, ...ESTIMATED, limit, others: limit - room },
    ];
  }),
);

describe('in every order in which requests and answers can arrive, be lost, and fall beside a boundary,', () => {
  it.each(worlds)(
    '$limit a second, $others of them used by others, $shape, calls of $costs units: none is refused, waits for ever or counts twice',
    (terms) => {
      const { orders, violation } = tryAll(terms);
      expect(violation).toBeUndefined();
      expect(orders).toBeGreaterThan(50);
    },
  );

  /** A shape whose model has a bug. */
  function broken(change: (model: WindowModel) => Partial<WindowModel>): readonly Shape[] {
    const create: Shape['create'] = (period, clock) => {
      const model = aligned.create(period, clock);
      const whole: WindowModel = {
        shape,
        spent: (now) => model.spent(now),
        earliest: (units, held, cap, now) => model.earliest(units, held, cap, now),
        book: (units, from, to) => model.book(units, from, to),
        isContradicted: (reading, answered) => model.isContradicted(reading, answered),
        unexplained: (reading) => model.unexplained(reading),
        reconcile: (reading, answered) => model.reconcile(reading, answered),
      };
      return { ...whole, ...change(model) };
    };
    const shape: Shape = { ...aligned, create };
    return [shape];
  }

  it.each([
    ['a request is refused', 'that takes a window for another shape', { shape: 'sliding-log' }, [leaky]],
    ['a request is refused', 'that takes an estimate for a log', { ...ESTIMATED, limit: 16, others: 15 }, [slidingLog]],
    [
      'a request is refused',
      'that lets everything go',
      { shape: 'aligned' },
      broken(() => ({ earliest: (_units, _held, _cap, now) => now })),
    ],
    [
      'a unit is counted twice',
      'that books a request twice',
      { shape: 'aligned' },
      broken((model) => ({
        book(units, from, to) {
          model.book(units, from, to);
          model.book(units, from, to);
        },
        reconcile: () => 0,
      })),
    ],
    [
      'a call waits for ever',
      'that never frees a window',
      { shape: 'aligned' },
      broken((model) => {
        let isFull = false;
        return {
          earliest(units, held, cap, now) {
            isFull ||= model.earliest(units, held, cap, now) > now;
            return isFull ? now + 1_000 : now;
          },
        };
      }),
    ],
  ] as const)('%s by a model %s, and that is found', (what, _, world, shapes) => {
    const { violation } = tryAll({ limit: 3, costs: [1, 1, 2], depth: DEPTH, ...world, shapes });
    expect(violation?.what).toBe(what);
  });
});
