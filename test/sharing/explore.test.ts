import { describe, expect, it } from 'vitest';
import { slidingCounter } from '../../src/quota/models/sliding-counter.ts';
import { slidingLog } from '../../src/quota/models/sliding-log.ts';
import { DEEP, runs } from '../support/deep.ts';
import type { Small } from './support/explore/rules.ts';
import { type Found, SmallWorld } from './support/explore/small-world.ts';

/** The least world in which two processes meet in a second, and what one of them gives back is the other's in the next. */
const LEAST: Small = { processes: 2, limit: 1, long: 2, seconds: 2, asks: 2, underWay: 2 };

const CROWDED: Small = { processes: 3, limit: 3, long: 5, seconds: 3, asks: 4, underWay: 4, wants: [1, 2] };

/** Ten a second, which an estimate allows one of in a fifth of it; the calendar's second ends after the first tenth. */
const ESTIMATED: Small = {
  ...{ ...LEAST, limit: 10, long: 4, seconds: 3, lastOfMinute: 0 },
  estimated: { takenFor: slidingCounter, tenthsApart: 1 },
};

/** Four a second, asked for half a second apart: an estimate refuses some of what a log allows. */
const CROSSED: Small = {
  ...{ ...LEAST, limit: 4, long: 1_000, seconds: 4, asks: 30, wants: [4], lastOfMinute: 1 },
  estimated: { takenFor: slidingCounter, tenthsApart: 5 },
};

/** Four units of a second, half of which calls that are only expected leave; a lone one asks for the next second, too. */
const EXPECTING: Small = { ...LEAST, limit: 4, long: 6, expects: true };

/** A bucket of which one unit is left and one drains in each step. */
const BUCKET: Small = { ...LEAST, limit: 1, seconds: 3, wants: [1, 2], isBucket: true };

function expectSound({ violation, ...found }: Found): void {
  expect(violation).toBeUndefined();
  expect(found.atRest).toBeGreaterThan(0);
}

describe('whatever becomes of the messages between books and their store, no unit is sent twice or lost', {
  timeout: 900_000,
}, () => {
  it('in any order of moves of two processes within one second, one of which dies', async () => {
    const found = await new SmallWorld({ ...LEAST, seconds: 1, deaths: 1 }).explore(runs(800, Infinity));
    expectSound(found);
    expect(found.isAll).toBe(DEEP);
  });

  it('in any order of all moves of two processes within two seconds', async () => {
    const found = await new SmallWorld(LEAST).explore(runs(1_500, Infinity));
    expectSound(found);
    expect(found.isAll).toBe(DEEP);
  });

  it('in any order of moves of two processes where a service estimates the last second', async () => {
    const found = await new SmallWorld(ESTIMATED).explore(runs(800, 200_000));
    expectSound(found);
  });

  it('in any order of moves of two processes that ask for calls which are only expected', async () => {
    expectSound(await new SmallWorld(EXPECTING).explore(runs(1_200, 60_000)));
  });

  it('in any order of moves of two processes that share a token bucket', async () => {
    expectSound(await new SmallWorld(BUCKET).explore(runs(800, 30_000)));
  });

  it.each([
    ['two processes that share a token bucket', { ...BUCKET, seconds: 4, asks: 5, underWay: 4, expects: true }],
    ['three processes, one of which dies and is followed by another', { ...CROWDED, deaths: 1 }],
    ['three processes that all live', CROWDED],
    [
      'two processes at the end of a minute',
      { ...CROWDED, processes: 2, limit: 2, long: 2, lastOfMinute: 0, wants: [1, 2] },
    ],
    ['two processes where a service estimates the last second', CROSSED],
    ['two processes that give up many asks', { ...CROWDED, processes: 2, limit: 4, long: 4, asks: 8, underWay: 6 }],
  ] as const)('on random walks of %s', async (_, small) => {
    const found = await new SmallWorld(small).wander(runs(14, 3_000), 60, 7);
    expectSound(found);
    expect(found.states).toBeGreaterThan(runs(300, 1_000));
  });

  it.runIf(DEEP).each([
    ['a process that dies', { ...LEAST, deaths: 1 }, 200_000],
    ['three messages under way', { ...LEAST, seconds: 1, asks: 3, underWay: 3 }, 200_000],
    ['the end of a minute', { ...LEAST, lastOfMinute: 0 }, 200_000],
    ['two units a second', { ...LEAST, limit: 2, long: 3, wants: [1, 2] }, 200_000],
    ['three processes', { ...LEAST, processes: 3 }, 200_000],
  ] as const)(
    'in any order of moves with %s, as far as memory reaches',
    async (_, small, most) => expectSound(await new SmallWorld(small).explore(most)),
    900_000,
  );
});

describe('the exploration finds, by itself,', () => {
  it('that an older ask undoes a newer one where the store ignores the sequence', async () => {
    const world = new SmallWorld({ ...LEAST, bug: 'the store ignores the sequence' });
    const { violation } = await world.explore(20_000);
    expect(violation?.moves).toContain('the store takes ask 2 of process 0');
    expect(violation?.moves.length).toBeLessThan(10);
  });

  it('that a process holds what the store has not booked where it counts an old answer', async () => {
    const world = new SmallWorld({ ...LEAST, bug: 'processes count old answers' });
    const { violation } = await world.explore(20_000);
    expect(violation?.what).toBe('process 0 holds more of second 0 than the store has booked for it');
    expect(violation?.moves.length).toBeLessThan(10);
  });

  it('that a service which estimates refuses a request where processes take its window for a log', async () => {
    const estimated = { takenFor: slidingLog, tenthsApart: 5 };
    const { violation } = await new SmallWorld({ ...CROSSED, processes: 1, estimated }).wander(400, 80, 5);
    expect(violation?.what).toBe('the service refuses a request');
  });

  it.each([
    ['calls that are expected get whatever is free', { ...EXPECTING, limit: 2 }, /for 2 of 2 units .* gets 2/],
    ['a call leaves half of the windows free', { ...EXPECTING, limit: 1 }, /gets 0/],
    ['a slot of two seconds shrinks to the first', EXPECTING, /are booked at rest/],
    ['steps hold their own units alone', BUCKET, /31 of 30 units .* are booked/],
    ['what is used of a step drains too slowly', { ...BUCKET, processes: 1, seconds: 4, wants: [2] }, /gets 0/],
  ] as const)('that %s', async (bug, small, what) => {
    const { violation } = await new SmallWorld({ ...small, bug }).explore(20_000);
    expect(violation?.what).toMatch(what);
    expect(violation?.moves.length).toBeLessThan(10);
  });

  it.each(['the store ignores the sequence', 'processes count old answers'] as const)(
    'by chance, too, that %s',
    async (bug) => {
      const { violation } = await new SmallWorld({ ...LEAST, asks: 4, underWay: 3, bug }).wander(300, 60, 3);
      expect(violation).toBeDefined();
    },
  );
});
