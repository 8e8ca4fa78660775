import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { SHAPES } from '../../../src/quota/models/all.ts';
import { leaky } from '../../../src/quota/models/leaky.ts';
import type { Shape } from '../../../src/quota/models/model.ts';
import { SharedFacts } from '../../../src/sharing/facts/facts.ts';
import { exactly } from '../support/small.ts';

const TIME = Date.UTC(2026, 2, 10);
const STORE = exactly(0);

/** Facts that one process tells another through a store. */
function relayed(tell: (facts: SharedFacts) => void): SharedFacts {
  const [one, other] = [new SharedFacts(), new SharedFacts()];
  tell(one);
  other.hear(1, one.pending);
  return other;
}

/** The facts of a store as a process hears them, whichever process wrote them. */
function heard(facts: Readonly<Record<string, string>>): SharedFacts {
  const shared = new SharedFacts();
  shared.hear(1, new Map(Object.entries(facts)));
  return shared;
}

describe('facts that processes tell each other', () => {
  it('are limits, shapes and costs, and each arrives as it was told', () => {
    const facts = relayed((one) => {
      one.tellLimit('minute', 500);
      one.tellShapes('minute', { alive: [aligned, leaky], epoch: 2 });
      one.tellCost('GET /path', 3);
    });
    expect(facts.limits).toEqual(new Map([['minute', 500]]));
    expect(facts.shapesOf('minute')).toEqual({ alive: [aligned, leaky], epoch: 2 });
    expect(facts.news(STORE, TIME).costs).toEqual([['GET /path', 3]]);
  });

  it('name the shapes that are ruled out by their place in a list, which never changes', () => {
    const facts = new SharedFacts();
    facts.tellShapes('minute', { alive: [aligned], epoch: 1 });
    expect(facts.pending.get('s:minute')).toBe('1 27');
    expect(SHAPES.map(({ name, bit }) => `${bit} ${name}`).sort()).toEqual([
      '0 sliding-log',
      '1 sliding-counter',
      '2 aligned',
      '3 first-request',
      '4 leaky',
    ]);
  });

  it('do not tell of shapes while all may be, because that says nothing', () => {
    const facts = new SharedFacts();
    facts.tellShapes('minute', { alive: SHAPES, epoch: 0 });
    expect(facts.pending.size).toBe(0);
    // All of them may be again after a refusal, and that is news.
    facts.tellShapes('minute', { alive: SHAPES, epoch: 1 });
    expect(facts.pending.size).toBe(1);
  });

  it('are told once, and once more only if they have changed meanwhile', () => {
    const facts = new SharedFacts();
    facts.tellLimit('minute', 500);
    const { pending } = facts;
    facts.tellLimit('minute', 600);
    facts.told(pending);
    expect(facts.pending).toEqual(new Map([['l:minute', '600']]));
    facts.told(facts.pending);
    expect(facts.pending.size).toBe(0);
  });

  it('are told again to a store that has lost them', () => {
    const facts = new SharedFacts();
    facts.tellLimit('minute', 500);
    facts.told(facts.pending);
    facts.hear(2, new Map());
    expect(facts.pending).toEqual(new Map([['l:minute', '500']]));
  });

  it('need not be told if another process has told the same', () => {
    const facts = heard({ 'l:minute': '500' });
    facts.tellLimit('minute', 500);
    expect(facts.pending.size).toBe(0);
  });

  it('are urgent if others reckon with another limit or shape, and costs that others know, or of one unit, can wait', () => {
    const facts = heard({ 'c:GET /path': '5' });
    facts.tellCost('GET /path', 3);
    facts.tellCost('GET /all:s:r:', 1);
    expect(facts.isUrgent).toBe(false);
    facts.tellLimit('minute', 500);
    expect(facts.isUrgent).toBe(true);
  });

  it('are urgent if no other process knows that an endpoint costs more than a unit', () => {
    const facts = heard({ 'c:GET /path': '1' });
    facts.tellCost('GET /other', 10);
    expect(facts.isUrgent).toBe(true);
    facts.told(facts.pending);
    expect(facts.isUrgent).toBe(false);
  });

  it('are no more than fifty costs of names of a sane length, so that free-form paths do not fill the store', () => {
    const facts = new SharedFacts();
    for (let count = 0; count < 60; count++) facts.tellCost(`GET /${count}`, 1);
    facts.tellCost(`GET /${'x'.repeat(200)}`, 1);
    expect(facts.pending.size).toBe(50);
    // One that is known may still change.
    facts.tellCost('GET /0', 2);
    expect(facts.pending.get('c:GET /0')).toBe('2');
  });

  it.each(['0', '-5', '1.5', 'many', '1e15', 'Infinity', ''])('are not believed of a limit of "%s"', (limit) => {
    expect(heard({ 'l:minute': limit }).limits.size).toBe(0);
  });

  it.each(['', '1', '1 31', '1 -1', '1 27 x', '9999999 1'])('are not believed of shapes written "%s"', (shapes) => {
    // 31 rules all of them out, and one there must be.
    expect(heard({ 's:minute': shapes }).shapesOf('minute')).toBeUndefined();
  });

  it.each(['-1', 'costly', '1e13'])('are not believed of a cost of "%s"', (cost) => {
    expect(heard({ 'c:GET /path': cost }).news(STORE, TIME).costs).toEqual([]);
  });
});

describe('what processes tell each other of shapes', () => {
  /** Whether this is told where a process has heard of the last two shapes at an epoch of 2. */
  function isTold(alive: readonly Shape[], epoch: number): boolean {
    const facts = heard({ 's:minute': '2 7' });
    facts.tellShapes('minute', { alive, epoch });
    return facts.pending.size > 0;
  }
  const [, , , firstRequest] = SHAPES as [Shape, Shape, Shape, Shape, Shape];

  it('is what rules out one more, or what follows a later refusal', () => {
    expect(heard({ 's:minute': '2 7' }).shapesOf('minute')?.alive).toEqual([firstRequest, leaky]);
    expect(isTold([firstRequest], 2)).toBe(true);
    expect(isTold([aligned], 2)).toBe(true);
    expect(isTold(SHAPES, 3)).toBe(true);
  });

  it('is nothing that all know better', () => {
    expect(isTold([firstRequest, leaky], 2)).toBe(false);
    expect(isTold([aligned, firstRequest, leaky], 2)).toBe(false);
    expect(isTold([firstRequest], 1)).toBe(false);
  });

  it('is read from a number of more than one digit, and all of it', () => {
    expect(heard({ 's:minute': '12 15' }).shapesOf('minute')).toEqual({ alive: [leaky], epoch: 12 });
  });

  it('is handed to the pacer by period, for those of which anything is known', () => {
    const { shapes } = heard({ 's:minute': '2 7', 's:month': '0 27' }).news(STORE, TIME);
    expect(shapes).toEqual([
      { alive: [firstRequest, leaky], epoch: 2, period: 'minute' },
      { alive: [aligned], epoch: 0, period: 'month' },
    ]);
  });
});

describe('what processes tell each other of an hourly trial', () => {
  it('is when it was answered, by the store’s clock, and whether it was served', () => {
    for (const isServed of [true, false]) {
      const { trial } = relayed((one) => one.tellTrial(isServed, TIME - 5_000.4)).news({ least: -10, most: 10 }, TIME);
      // On a clock that is at most 10 ms behind the store’s, no later than that.
      expect(trial).toEqual({ at: TIME - 5_010, isServed });
    }
  });

  it('is urgent', () => {
    const facts = new SharedFacts();
    facts.tellTrial(true, TIME);
    expect(facts.isUrgent).toBe(true);
  });

  it('is believed of the present instant, and of none to come', () => {
    const isBelieved = (time: number): boolean =>
      heard({ 'r:trial': `${time} 1` }).news(STORE, TIME).trial !== undefined;
    expect([isBelieved(TIME), isBelieved(TIME + 1)]).toEqual([true, false]);
  });

  it.each(['', '1', `${TIME} 2`, `x${TIME} 1`, `${TIME} 1x`, 'many 1', `${TIME} x`])(
    'is not believed if it is written "%s"',
    (text) => expect(heard({ 'r:trial': text }).news(STORE, TIME).trial).toBeUndefined(),
  );
});

describe('what processes tell each other of costs', () => {
  it('is believed from nothing to a million millions', () => {
    const { costs } = heard({ 'c:GET /free': '0', 'c:GET /costly': '1000000000000', 'l:minute': '5' }).news(
      STORE,
      TIME,
    );
    expect(costs).toEqual([
      ['GET /free', 0],
      ['GET /costly', 1e12],
    ]);
    expect(heard({ 'l:minute': '1000000000000' }).limits.get('minute')).toBe(1e12);
  });

  it('is told of a name of 128 letters and of none longer, one at a time', () => {
    const facts = new SharedFacts();
    facts.tellCost('x'.repeat(128), 1);
    facts.tellCost('x'.repeat(129), 1);
    expect(facts.pending.size).toBe(1);
  });

  it('is not told again to a store that has it, nor what a store of another version has lost of others', () => {
    const facts = new SharedFacts();
    expect(facts.version).toBe(-1);
    facts.tellCost('GET /path', 3);
    facts.hear(1, new Map([['c:GET /path', '3']]));
    facts.told(facts.pending);
    facts.hear(2, undefined);
    expect([facts.version, facts.pending.size]).toEqual([2, 0]);
    facts.hear(3, new Map([['c:GET /path', '7']]));
    expect(facts.pending.size).toBe(0);
  });

  it('is not told any more where another process has told the same meanwhile', () => {
    const facts = new SharedFacts();
    facts.tellCost('GET /path', 3);
    facts.hear(1, new Map([['c:GET /path', '4']]));
    facts.tellCost('GET /path', 4);
    expect(facts.pending.size).toBe(0);
  });
});

describe('what processes tell each other of the service’s clock', () => {
  it('is known where it was told', () => {
    expect(heard({ lead: `0 400 ${TIME}` }).knowsLead(TIME)).toBe(true);
    expect(heard({}).knowsLead(TIME)).toBe(false);
  });

  it('is believed where it is exact', () => {
    expect(heard({ lead: `5 5 ${TIME}` }).news(STORE, TIME).lead).toEqual({ least: 5, most: 5 });
  });

  it('is told where a tenth of a second was known, and a quarter of that is left', () => {
    const facts = heard({ lead: `0 100 ${TIME}` });
    expect(facts.tellLead({ least: 10, most: 35 }, STORE, TIME, false)).toBe(true);
    const vague = heard({ lead: `0 200 ${TIME}` });
    expect(vague.tellLead({ least: 10, most: 110 }, STORE, TIME, false)).toBe(false);
  });

  it('is how far it is ahead of the store’s, because their own clocks have nothing in common', () => {
    const one = new SharedFacts();
    // One runs 7,000 ms behind the store, and the service 1,000 ms ahead of it.
    one.tellLead({ least: 7_990, most: 8_010 }, exactly(7_000), TIME, false);
    const other = heard(Object.fromEntries(one.pending));
    const { lead } = other.news(exactly(-500), TIME);
    expect(lead?.least).toBeCloseTo(490);
    expect(lead?.most).toBeCloseTo(510);
  });

  it('is as vague as both clocks are, and grows vaguer with time', () => {
    const one = new SharedFacts();
    one.tellLead({ least: 0, most: 20 }, { least: -5, most: 5 }, TIME, false);
    const other = heard(Object.fromEntries(one.pending));
    const width = (time: number): number => {
      const { lead } = other.news(STORE, time);
      return lead ? lead.most - lead.least : Number.NaN;
    };
    expect(width(TIME)).toBeCloseTo(30);
    expect(width(TIME + 60_000)).toBeCloseTo(42);
  });

  it('is not told for a little more exactness, only where little is left of what was unknown', () => {
    const facts = heard({ lead: `0 400 ${TIME}` });
    expect(facts.tellLead({ least: 10, most: 180 }, STORE, TIME, false)).toBe(false);
    expect(facts.pending.size).toBe(0);
    expect(facts.tellLead({ least: 10, most: 90 }, STORE, TIME, false)).toBe(true);
    expect(facts.pending.has('lead')).toBe(true);
  });

  it.each([
    [210, true],
    [190, false],
  ])('is told when it suffices to meet a part of a second, and what was known, %i ms, did not', (known, isTold) => {
    const facts = heard({ lead: `0 ${known} ${TIME}` });
    expect(facts.tellLead({ least: 10, most: 150 }, STORE, TIME, false)).toBe(isTold);
  });

  it('is told sooner by a process that lacks units, while it is vague: until it is known, slots are wide', () => {
    for (const [width, isNeeded, isTold] of [
      [750, true, true],
      [760, true, false],
      [750, false, false],
    ] as const) {
      const facts = heard({ lead: `0 1000 ${TIME}` });
      expect(facts.tellLead({ least: 10, most: 10 + width }, STORE, TIME, isNeeded)).toBe(isTold);
    }
    const facts = heard({ lead: `0 190 ${TIME}` });
    expect(facts.tellLead({ least: 10, most: 100 }, STORE, TIME, true)).toBe(false);
  });

  it('is not told again while it is known to a tenth of a second', () => {
    const facts = heard({ lead: `0 90 ${TIME}` });
    expect(facts.tellLead({ least: 10, most: 11 }, STORE, TIME, false)).toBe(false);
    // After a minute it is 12 ms vaguer.
    expect(facts.tellLead({ least: 10, most: 11 }, STORE, TIME + 60_000, false)).toBe(true);
  });

  it.each(['', '5 1', 'x y z', `5 1 ${TIME}`, '0 100', `0 100 ${TIME - 10_800_000}`, `0 100 ${TIME + 10_800_000}`])(
    'is not believed if it is written "%s", too old or of another time',
    (lead) => expect(heard({ lead }).news(STORE, TIME).lead).toBeUndefined(),
  );
});
