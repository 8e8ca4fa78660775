import { describe, expect, it } from 'vitest';
import type { ClientEvent } from '../../../src/events.ts';
import { type Wire, wire } from '../../support/wire.ts';

describe('the order of calls', () => {
  it('the queue sends the most urgent call first, and within a priority the one that came first', async () => {
    const { call, last, names } = wire({ concurrency: 1 });
    await call('first');
    for (const [name, priority] of [
      ['a', 0],
      ['b', 5],
      ['c', 0],
      ['d', -1],
      ['e', 5],
    ] as const) {
      await call(name, { priority });
    }
    for (const name of ['first', 'b', 'e', 'a', 'c', 'd']) await last(name).answer();
    expect(names()).toEqual(['first', 'b', 'e', 'a', 'c', 'd']);
  });

  it('the queue lets a more urgent call overtake the one at the gate, which keeps its place', async () => {
    const { call, last, names } = wire({ concurrency: 1 });
    await call('first');
    for (const name of ['at the gate', 'behind']) await call(name);
    await call('urgent', { priority: 1 });
    await call('most urgent', { priority: 2 });
    for (const name of ['first', 'most urgent', 'urgent', 'at the gate', 'behind']) await last(name).answer();
    expect(names()).toEqual(['first', 'most urgent', 'urgent', 'at the gate', 'behind']);
  });

  it('the queue lets no cheaper call pass a costly one that waits at the gate', async () => {
    const { call, last, names } = wire();
    await call('first');
    await last('first').answer(200, { 'x-ratelimit-remaining-stacks-minute': '5' });
    await call('costly', { cost: 50 });
    await call('cheap', { cost: 1 });
    expect(names()).toEqual(['first']);
  });

  it('the queue tells how many calls wait behind the one that waits', async () => {
    const behind: number[] = [];
    const onEvent = (event: ClientEvent): void => void (event.type === 'waiting' && behind.push(event.waiting));
    const { call } = wire({ concurrency: 1, onEvent });
    for (const priority of [0, 0, 1]) await call('any', { priority });
    expect(behind).toEqual([0, 1]);
  });

  it('the queue does not let a call of the same priority overtake', async () => {
    const { call, last, names } = wire({ concurrency: 1 });
    await call('first', { priority: 3 });
    await call('second', { priority: 3 });
    await call('third', { priority: 3 });
    for (const name of ['first', 'second', 'third']) await last(name).answer();
    expect(names()).toEqual(['first', 'second', 'third']);
  });

  it('the queue puts a call that goes again before those that came after it', async () => {
    const { call, last, names, clock } = wire({ concurrency: 1 });
    for (const name of ['first', 'second', 'third', 'fourth']) await call(name);
    await last('first').answer(429, { 'retry-after': '5' });
    await clock.advance(6_000);
    // The second stood at the gate all the while.
    for (const name of ['second', 'first', 'third', 'fourth']) {
      await last(name).answer();
      await clock.advance(100);
    }
    expect(names()).toEqual(['first', 'second', 'first', 'third', 'fourth']);
  });

  it('the queue keeps calls that go again in the order in which they first came, whichever came back first', async () => {
    const { call, last, names, clock } = wire({ concurrency: 2 });
    await call('a');
    await last('a').answer();
    for (const name of ['b', 'c', 'd', 'e']) await call(name);
    for (const name of ['c', 'b']) await last(name).answer(429, { 'retry-after': '5' });
    await clock.advance(5_000);
    for (const name of ['d', 'b', 'c', 'e']) {
      await last(name).answer();
      await clock.advance(100);
    }
    expect(names()).toEqual(['a', 'b', 'c', 'd', 'b', 'c', 'e']);
  });

  it('the queue counts calls that wait, and not those that are under way', async () => {
    const { client, call, last } = wire({ concurrency: 1 });
    for (const name of ['a', 'b', 'c']) await call(name);
    expect([client.waiting, client.quota().waiting, client.quota().inFlight]).toEqual([2, 2, 1]);
    await last('a').answer();
    expect([client.waiting, client.quota().inFlight]).toEqual([1, 1]);
  });
});

describe('aging', () => {
  /** Answers whichever request is under way while more urgent calls come without end, until the `count`-th request has left. */
  async function flood({ call, sent }: Wire, count: number): Promise<void> {
    for (let at = sent.length; sent.length < count; at++) {
      await call(`urgent ${at}`, { priority: 1 });
      await call(`urgent again ${at}`, { priority: 1 });
      await sent.at(-1)?.answer();
    }
  }

  it('a call of the lowest priority goes in the end, though more urgent ones never cease: one of 32 goes to the eldest', async () => {
    const world = wire({ concurrency: 1 });
    await world.call('first');
    for (const name of ['low', 'lower', 'lowest']) await world.call(name, { priority: -name.length });
    await flood(world, 120);
    const low = world.names().flatMap((name, at) => (name.startsWith('low') ? [[name, at]] : []));
    expect(low.map(([name]) => name)).toEqual(['low', 'lower', 'lowest']);
    const [one = 0, other = 0, third = 0] = low.map(([, at]) => Number(at));
    expect(one).toBeLessThanOrEqual(33);
    expect([other - one, third - other]).toEqual([32, 32]);
  });

  it('a call of the lowest priority is not overtaken when its time has come', async () => {
    const world = wire({ concurrency: 1 });
    await world.call('first');
    await world.call('low', { priority: -1 });
    await flood(world, 32);
    const { call, last, names } = world;
    expect(names()).not.toContain('low');
    await call('most urgent', { priority: 99 });
    await world.sent.at(-1)?.answer();
    await last('low').answer();
    expect(names().slice(-2)).toEqual(['low', 'most urgent']);
  });
});
