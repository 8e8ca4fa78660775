import { describe, expect, it } from 'vitest';
import { ClientWide } from '../../../src/quota/client-wide.ts';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { SHAPES } from '../../../src/quota/models/all.ts';
import type { Shape, WindowModel } from '../../../src/quota/models/model.ts';
import { Pacer } from '../../../src/quota/pacer.ts';
import { SharedFacts } from '../../../src/sharing/facts/facts.ts';
import { factsOf } from '../support/builders.ts';

const OPENS_AT = 40_000;

/** A window that never refills before an instant of its own: no shape of the client, to show that a new one needs no other file. */
const toy: Shape = {
  name: 'toy',
  bit: 5,
  onlyFills: true,
  isEstimated: true,
  create: () => new ToyModel(),
};

class ToyModel implements WindowModel {
  readonly shape = toy;
  #spent = 0;

  spent(): number {
    return this.#spent;
  }

  earliest(_units: number, _held: number, _cap: number, now: number): number {
    return this.#spent > 0 ? Math.max(now, OPENS_AT) : now;
  }

  book(units: number): void {
    this.#spent += units;
  }

  isContradicted(): boolean {
    return false;
  }

  unexplained(): number {
    return 0;
  }

  reconcile(): number {
    return 0;
  }
}

/** A pacer that was served one request of a minute of 100 units. */
function served(shapes: readonly Shape[]): Pacer {
  const pacer = new Pacer({ clientWide: new ClientWide(10), leaseMs: 60_000, shapes });
  const admission = pacer.admit({ endpoint: 'GET /a', maxWaitMs: 0 }, 0);
  if (admission.kind !== 'granted') throw new Error('nothing holds a first request back');
  const quota = {
    receivedAt: 10,
    date: 10,
    stacks: { minute: { limit: 100, remaining: 99 } },
    malformed: [],
    unrecognised: {},
  };
  pacer.settle(admission.lease, { kind: 'answered', quota, limited: false }, 10);
  return pacer;
}

describe('a new shape', () => {
  const ask = { endpoint: 'GET /a', maxWaitMs: Infinity };

  it('holds requests back as soon as it is in the list, which no other file repeats', () => {
    expect(served(SHAPES).admit(ask, 20).kind).toBe('granted');
    expect(factsOf(served([...SHAPES, toy]).admit(ask, 20))).toMatchObject({ kind: 'wait', until: OPENS_AT });
  });

  it('is ruled out among processes by its own bit, and brought back by no process that does not know it', () => {
    const one = new SharedFacts([...SHAPES, toy]);
    one.tellShapes('minute', { alive: [aligned], epoch: 1 });
    expect(one.pending.get('s:minute')).toBe(`1 ${0b111111 & ~(1 << aligned.bit)}`);
    const other = new SharedFacts();
    other.hear(1, one.pending);
    expect(other.shapesOf('minute')).toEqual({ alive: [aligned], epoch: 1 });
  });

  it.each(SHAPES)('needs a bit of its own: $name has one', ({ name, bit }) => {
    expect(SHAPES.filter((shape) => shape.bit === bit || shape.name === name)).toHaveLength(1);
  });
});
