import { describe, expect, it } from 'vitest';
import type { Shape, WindowModel } from '../../../../src/quota/models/model.ts';
import { AnsweredRequests } from '../../../../src/quota/usage/answered.ts';
import { CandidateShapes } from '../../../../src/quota/window/shape/candidates.ts';
import { readingsOf } from '../../support/builders.ts';

const PAST = new AnsweredRequests();
const reading = readingsOf(100, 100);

/** A model that says of each reading what it was told to say. */
interface Puppet extends WindowModel {
  contradicts: boolean;
  leaves: number | undefined;
}

function puppet(name: string, facts: Partial<Shape> = {}): Puppet {
  const model: Puppet = {
    shape: { name, bit: 0, ...facts, create: () => model },
    contradicts: false,
    leaves: 0,
    spent: () => 0,
    earliest: (_units, _held, _cap, now) => now,
    book() {},
    isContradicted: () => model.contradicts,
    unexplained: () => model.leaves,
    reconcile: () => model.leaves ?? 0,
  };
  return model;
}

/** Three candidates after one reading, the most cautious first, and the last one an estimate. */
function three(periodMs = 60_000) {
  const [strict, plain, vague] = [puppet('strict'), puppet('plain'), puppet('vague', { isEstimated: true })];
  const candidates = new CandidateShapes([strict, plain, vague], periodMs);
  candidates.eliminate(reading(0, 50), PAST, true);
  const eliminate = (isAlone = true, more = reading(0, 50)) => candidates.eliminate(more, PAST, isAlone);
  const alive = () => candidates.alive.map(({ shape }) => shape.name);
  return { strict, plain, vague, candidates, eliminate, alive };
}

describe('the candidates that bind', () => {
  it('are the most cautious and those that are estimated, while the most cautious is one', () => {
    const { strict, plain, vague, candidates, eliminate } = three();
    expect(candidates.mostCautious).toEqual([strict]);
    expect(candidates.binding).toEqual([strict, vague]);
    strict.contradicts = true;
    eliminate();
    expect(candidates.binding).toEqual([plain, vague]);
    expect(candidates.mostCautious).toEqual([strict]);
  });

  it('are all once the most cautious is none: what fits one of the others need not fit the next', () => {
    const models = [puppet('strict'), puppet('plain'), puppet('lax')] as const;
    const candidates = new CandidateShapes(models, 60_000);
    expect(candidates.binding).toEqual([models[0]]);
    models[0].contradicts = true;
    candidates.eliminate(reading(0, 50), PAST, true);
    expect(candidates.binding).toEqual([models[1], models[2]]);
  });
});

describe('the candidates as other processes are told them', () => {
  it('are the same until one is eliminated', () => {
    const { strict, plain, vague, candidates, eliminate } = three();
    const { shapes } = candidates;
    expect(shapes).toEqual({ alive: [strict.shape, plain.shape, vague.shape], epoch: 0 });
    eliminate();
    expect(candidates.shapes).toBe(shapes);
    plain.contradicts = true;
    eliminate();
    expect(candidates.shapes).toEqual({ alive: [strict.shape, vague.shape], epoch: 0 });
  });

  it('are of another epoch once all were contradicted', () => {
    const { strict, plain, vague, candidates, eliminate, alive } = three();
    strict.contradicts = true;
    eliminate();
    plain.contradicts = true;
    vague.contradicts = true;
    eliminate();
    expect(alive()).toEqual(['strict', 'plain', 'vague']);
    expect(candidates.shapes.epoch).toBe(1);
  });
});

describe('what other processes have found', () => {
  it('eliminates what one of them has eliminated', () => {
    const { plain, strict, vague, candidates, eliminate, alive } = three();
    strict.contradicts = true;
    eliminate();
    candidates.adopt({ alive: [strict.shape, plain.shape], epoch: 0 });
    expect(alive()).toEqual(['plain']);
    candidates.adopt({ alive: [vague.shape], epoch: 0 });
    expect(alive()).toEqual(['plain']);
  });

  it('brings back what a newer epoch has, and says nothing if it is of an older one', () => {
    const { strict, vague, candidates, eliminate, alive } = three();
    strict.contradicts = true;
    eliminate();
    candidates.adopt({ alive: [strict.shape, vague.shape], epoch: 2 });
    expect(alive()).toEqual(['strict', 'vague']);
    expect(candidates.shapes.epoch).toBe(2);
    candidates.adopt({ alive: [vague.shape], epoch: 1 });
    expect(alive()).toEqual(['strict', 'vague']);
  });
});

describe('a candidate that leaves units unexplained', () => {
  /** Which candidates are left after some readings of which `plain` leaves so many units unexplained, and the others none. */
  function left(units: readonly number[], { limit = 200, isAlone = true } = {}): string[] {
    const all = three();
    for (const leaves of units) {
      all.plain.leaves = leaves;
      all.eliminate(isAlone, readingsOf(limit, 100)(0, 50));
    }
    return all.alive();
  }

  it('is dismissed once that is more than three hundredths of the limit, or three units, in all', () => {
    const [all, two] = [
      ['strict', 'plain', 'vague'],
      ['strict', 'vague'],
    ];
    expect(left([6])).toEqual(all);
    expect(left([3, 3])).toEqual(all);
    expect(left([3, 3.6])).toEqual(two);
    expect(left([3], { limit: 10 })).toEqual(all);
    expect(left([3.1], { limit: 10 })).toEqual(two);
  });

  it('is not for what rounding explains, nor where siblings may have used them', () => {
    expect(left(Array(99).fill(0.5))).toHaveLength(3);
    expect(left([50], { isAlone: false })).toHaveLength(3);
  });

  it('is not for what rounding explains while another leaves more, and another explains what rounding leaves', () => {
    const { strict, plain, vague, eliminate, alive } = three();
    [strict.leaves, plain.leaves, vague.leaves] = [50, 0.5, 0];
    for (let time = 0; time < 99; time++) eliminate();
    expect(alive()).toEqual(['plain', 'vague']);
    [plain.leaves, vague.leaves] = [50, 0.5];
    eliminate();
    expect(alive()).toEqual(['vague']);
  });

  it('is not where no other explains them, as others then must have used them', () => {
    const { strict, plain, vague, eliminate, alive } = three();
    for (const model of [strict, plain, vague]) model.leaves = 50;
    eliminate();
    expect(alive()).toHaveLength(3);
  });

  it('is not for what others that are not known yet may have used since the last reading: three tenths of a minute evenly, and nothing of a second', () => {
    const { strict, plain, vague, eliminate, alive } = three();
    [strict.leaves, plain.leaves, vague.leaves] = [-10, 17, -10];
    eliminate(true, reading(30_000, 50));
    expect(alive()).toHaveLength(3);
    eliminate(true, reading(60_000, 50));
    expect(alive()).toHaveLength(2);
    const second = three(1_000);
    second.plain.leaves = 3.1;
    second.eliminate(true, reading(500, 50));
    expect(second.alive()).toHaveLength(2);
  });

  it('is at once for more than that, whatever others may have used, where another expects the reading to within two units', () => {
    const left = (plainLeaves: number, vagueLeaves: number): string[] => {
      const { strict, plain, vague, eliminate, alive } = three();
      [strict.leaves, plain.leaves, vague.leaves] = [-10, plainLeaves, vagueLeaves];
      eliminate(true, reading(30_000, 50));
      return alive();
    };
    expect(left(3.1, -2)).toEqual(['strict', 'vague']);
    expect(left(3, -2)).toHaveLength(3);
    expect(left(3.1, -2.1)).toHaveLength(3);
  });

  it('is not where the others cannot tell: the reading may speak of another of their windows', () => {
    const { strict, plain, vague, eliminate, alive } = three();
    [strict.leaves, plain.leaves, vague.leaves] = [50, undefined, undefined];
    eliminate();
    expect(alive()).toHaveLength(3);
    plain.leaves = 0;
    eliminate();
    expect(alive()).toEqual(['plain', 'vague']);
  });
});

describe('usage that drops faster than a steady shape can sink', () => {
  const steady = (limited: boolean) => {
    const [strict, sinking] = [puppet('strict'), puppet('sinking', { sinksSteadily: true })];
    const candidates = new CandidateShapes([strict, sinking], 60_000);
    candidates.eliminate(reading(0, 90, { limited }), PAST, true);
    return { candidates, sinking };
  };

  it('rules that shape out', () => {
    const { candidates } = steady(false);
    candidates.eliminate(reading(1_000, 10), PAST, true);
    expect(candidates.alive).toHaveLength(1);
  });

  it('is not shown by a refusal, neither before nor after', () => {
    const { candidates } = steady(true);
    candidates.eliminate(reading(1_000, 10), PAST, true);
    expect(candidates.alive).toHaveLength(2);
    const other = steady(false);
    other.candidates.eliminate(reading(1_000, 10, { limited: true }), PAST, true);
    expect(other.candidates.alive).toHaveLength(2);
  });
});

describe('usage that drops twice', () => {
  /** How many candidates are left, of which one only fills, after readings at these instants that count ever less. */
  function left(instants: readonly number[], limited = false): number {
    const candidates = new CandidateShapes([puppet('strict'), puppet('filling', { onlyFills: true })], 60_000);
    for (const [index, at] of instants.entries())
      candidates.eliminate(reading(at, 50 - 10 * index, { limited: limited && index === 1 }), PAST, true);
    return candidates.alive.length;
  }

  it('in less than a window rules out a shape that only fills until it ends', () => {
    expect(left([0, 59_000])).toBe(2);
    expect(left([0, 20_000, 59_899])).toBe(1);
    expect(left([0, 20_000, 59_901])).toBe(2);
  });

  it('is not shown by a refusal', () => {
    expect(left([0, 20_000, 40_000], true)).toBe(2);
  });
});

describe('a refusal that no candidate predicted', () => {
  it('brings those back that were dismissed, whose debt begins anew, and none that was contradicted', () => {
    const { strict, plain, candidates, eliminate, alive } = three();
    strict.contradicts = true;
    plain.leaves = 50;
    eliminate();
    expect(alive()).toEqual(['vague']);
    candidates.reinstate();
    expect(alive()).toEqual(['plain', 'vague']);
    expect(candidates.shapes.epoch).toBe(1);
    plain.leaves = 2.5;
    eliminate();
    expect(alive()).toEqual(['plain', 'vague']);
    plain.leaves = 1;
    eliminate();
    expect(alive()).toEqual(['vague']);
  });

  it('brings none back that was contradicted after that', () => {
    const { plain, candidates, eliminate, alive } = three();
    plain.leaves = 50;
    eliminate();
    candidates.reinstate();
    expect(alive()).toEqual(['strict', 'plain', 'vague']);
    plain.contradicts = true;
    eliminate();
    candidates.reinstate();
    expect(alive()).toEqual(['strict', 'vague']);
  });

  it('brings all back when it is the second, where none was dismissed', () => {
    const { strict, candidates, eliminate, alive } = three();
    strict.contradicts = true;
    eliminate();
    candidates.reinstate();
    expect([alive(), candidates.shapes.epoch]).toEqual([['plain', 'vague'], 0]);
    candidates.reinstate();
    expect([alive(), candidates.shapes.epoch]).toEqual([['strict', 'plain', 'vague'], 1]);
    eliminate();
    candidates.reinstate();
    expect(alive()).toEqual(['plain', 'vague']);
  });
});

describe('the units of other consumers', () => {
  it('are what no candidate explains, unless rounding does; what was eliminated has no say', () => {
    const { strict, plain, vague, candidates, eliminate } = three();
    strict.contradicts = true;
    eliminate();
    [strict.leaves, plain.leaves, vague.leaves] = [0, 7, 5];
    expect(candidates.reconcile(reading(0, 50), PAST)).toBe(5);
    vague.leaves = 0.5;
    expect(candidates.reconcile(reading(0, 50), PAST)).toBe(0);
    vague.leaves = 0.6;
    expect(candidates.reconcile(reading(0, 50), PAST)).toBe(0.6);
  });
});
