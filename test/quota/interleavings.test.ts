import { describe, expect, it } from 'vitest';
import { aligned } from '../../src/quota/models/aligned.ts';
import { leaky } from '../../src/quota/models/leaky.ts';
import type { Shape, WindowModel } from '../../src/quota/models/model.ts';
import { DEEP } from '../support/deep.ts';
import { type SmallTerms, tryAll } from './support/interleavings.ts';
import type { OracleShape } from './support/oracles.ts';

/** Not `sliding-counter`: an estimate of so small a window is mostly rounding, so its model abstains below 8 units. */
const SHAPES: readonly OracleShape[] = ['aligned', 'first-request', 'sliding-log', 'leaky'];

/** Costs of two or three calls, after the first one. */
const COSTS = DEEP
  ? [
      [1, 1],
      [1, 2],
      [2, 1],
    ]
  : [
      [1, 1],
      [1, 2],
    ];
const DEPTH = DEEP ? 7 : 6;

const worlds: SmallTerms[] = SHAPES.flatMap((shape) =>
  [1, 2, 3].flatMap((limit) =>
    COSTS.filter((costs) => Math.max(...costs) <= limit).map((costs) => ({
      ...{ shape, limit, depth: DEPTH },
      costs: [1, ...costs],
    })),
  ),
);

describe('in every order in which requests and answers can arrive, be lost, and fall beside a boundary,', () => {
  it.each(worlds)(
    '$limit a second, $shape, calls of $costs units: none is refused, waits for ever or counts twice',
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
    ['a request is refused', 'that takes a window for another shape', 'sliding-log', [leaky]],
    [
      'a request is refused',
      'that lets everything go',
      'aligned',
      broken(() => ({ earliest: (_units, _held, _cap, now) => now })),
    ],
    [
      'a unit is counted twice',
      'that books a request twice',
      'aligned',
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
      'aligned',
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
  ] as const)('%s by a model %s, and that is found', (what, _, shape, shapes) => {
    const { violation } = tryAll({ shape, limit: 3, costs: [1, 1, 2], depth: 6, shapes });
    expect(violation?.what).toBe(what);
  });
});
