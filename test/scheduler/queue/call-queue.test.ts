import { AsyncLocalStorage } from 'node:async_hooks';
import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { ClientEvent } from '../../../src/events.ts';
import { runs } from '../../support/deep.ts';
import { type Called, type Wire, wire } from '../../support/wire.ts';

const reason = new Error('enough');

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

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

  it('the queue keeps the async context of each caller, however long it waited and whichever call let it pass', async () => {
    const who = new AsyncLocalStorage<string>();
    const seen: string[] = [];
    const { client, clock } = wire({
      concurrency: 1,
      maxAttempts: 2,
      fetch: async (input) => {
        const name = (input as Request).headers.get('x-call');
        seen.push(`${name} in the context of ${who.getStore()}`);
        await clock.sleep(100);
        return new Response('{}', { status: name === 'b' && seen.length < 4 ? 503 : 200 });
      },
    });
    const calls = ['a', 'b', 'c'].map((name, at) =>
      who.run(name, () => client.getInfo({ headers: { 'x-call': name }, priority: at })),
    );
    await clock.run(Promise.all(calls));
    expect(seen.toSorted()).toEqual(['a', 'b', 'b', 'c'].map((name) => `${name} in the context of ${name}`));
  });

  it('the queue tells that a call waits in the async context of that call, whichever call was there before', async () => {
    const who = new AsyncLocalStorage<string>();
    const heard: (string | undefined)[] = [];
    const { client, clock } = wire({
      concurrency: 1,
      fetch: () => clock.sleep(100).then(() => new Response('{}')),
      onEvent: ({ type }) => void (type === 'waiting' && heard.push(who.getStore())),
    });
    const calls = ['a', 'b', 'c', 'd'].map((name) => who.run(name, () => client.getInfo()));
    await clock.run(Promise.all(calls));
    expect(heard).toEqual(['b', 'c', 'd']);
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

describe('aborts', () => {
  it('an abort takes a call out of the queue at once, and nothing is sent for it', async () => {
    const { client, call, last, names } = wire({ concurrency: 1 });
    const controller = new AbortController();
    await call('first');
    await call('at the gate');
    const queued = await call('queued', { signal: controller.signal });
    await call('behind');
    controller.abort(reason);
    expect(client.waiting).toBe(2);
    expect(await queued.end).toBe(reason);
    for (const name of ['first', 'at the gate', 'behind']) await last(name).answer();
    expect(names()).toEqual(['first', 'at the gate', 'behind']);
  });

  it('an abort takes a call away from the gate at once, and the next steps up', async () => {
    const { client, call, last, names } = wire({ concurrency: 1 });
    const controller = new AbortController();
    await call('first');
    const gone = await call('at the gate', { signal: controller.signal });
    await call('behind');
    controller.abort(reason);
    expect(await gone.end).toBe(reason);
    expect(client.waiting).toBe(1);
    for (const name of ['first', 'behind']) await last(name).answer();
    expect(names()).toEqual(['first', 'behind']);
  });

  it.each([undefined, 0])(
    'an abort that came before the call ends it before it joins (patience: %s)',
    async (maxWaitMs) => {
      const { call, names, client } = wire({ concurrency: 1 });
      await call('first');
      const late = await call('late', { signal: AbortSignal.abort(reason), maxWaitMs });
      expect(late.now()).toBe(reason);
      expect(names()).toEqual(['first']);
      expect(client.waiting).toBe(0);
    },
  );

  it('an abort ends the pause before another attempt', async () => {
    const { client, call, last, names, clock } = wire({ random: () => 0.9 });
    const controller = new AbortController();
    const only = await call('only', { signal: controller.signal });
    await last('only').answer(503);
    expect([only.now(), client.waiting]).toEqual(['under way', 1]);
    controller.abort(reason);
    expect(await only.end).toBe(reason);
    expect(names()).toEqual(['only']);
    expect([client.waiting, clock.timers]).toEqual([0, 0]);
  });

  it('an abort while another attempt is announced ends the call at once', async () => {
    const controller = new AbortController();
    const onEvent = ({ type }: ClientEvent): void => void (type === 'retrying' && controller.abort(reason));
    const { client, call, last } = wire({ random: () => 0.9, onEvent });
    const only = await call('only', { signal: controller.signal });
    await last('only').answer(503);
    expect([only.now(), client.waiting]).toEqual([reason, 0]);
  });

  it('an abort at the gate leaves no timer where no other call waits', async () => {
    const { call, last, clock } = wire();
    const controller = new AbortController();
    await call('first');
    await last('first').answer(200, { 'retry-after': '60' });
    const gone = await call('at the gate', { signal: controller.signal });
    controller.abort(reason);
    expect([await gone.end, clock.timers]).toEqual([reason, 0]);
  });

  it('an abort of a call that has overtaken another lets that one go when the pause has ended', async () => {
    const { call, last, clock, names } = wire();
    const controller = new AbortController();
    await call('first');
    await last('first').answer(200, { 'retry-after': '60' });
    await call('overtaken');
    await call('urgent', { priority: 1, signal: controller.signal });
    controller.abort(reason);
    await clock.advance(60_000);
    expect(names()).toEqual(['first', 'overtaken']);
  });

  it('an abort cuts a request that is under way, and what it may have cost stays spent', async () => {
    const { client, call, last } = wire();
    await call('first');
    await last('first').answer();
    const controller = new AbortController();
    const cut = await call('cut', { signal: controller.signal, cost: 7 });
    controller.abort(reason);
    expect(await cut.end).toBe(reason);
    expect(last('cut').request.signal.aborted).toBe(true);
    expect(client.quota()).toMatchObject({ inFlight: 0, windows: [{ window: 'minute', headroom: 893 }] });
  });

  // The way from the gate to the wire is some turns of the microtask queue long. An abort may come at any of them.
  it.each([undefined, 0])('an abort in the same turn as a grant leaks nothing (maxWaitMs: %s)', async (maxWaitMs) => {
    const outcomes = new Set<string>();
    for (let breath = 0; breath < 60; breath++) {
      const { client, call, last, names, clock } = wire({ concurrency: 1 });
      const controller = new AbortController();
      await call('first');
      const granted = await call('granted', { signal: controller.signal, maxWaitMs, cost: 7 });
      void last('first').answer();
      for (let turn = 0; turn < breath; turn++) await undefined;
      controller.abort(reason);
      await clock.advance(0);
      expect(granted.now()).toBe(reason);
      const isSent = names().includes('granted');
      outcomes.add(isSent ? 'sent' : 'not sent');
      if (isSent) expect(last('granted').request.signal.aborted).toBe(true);
      const headroom = isSent ? 893 : 900;
      expect(client.quota()).toMatchObject({ inFlight: 0, held: 0, waiting: 0, windows: [{ headroom }] });
      await call('next');
      expect(names().at(-1)).toBe('next');
    }
    expect(outcomes).toEqual(new Set(['sent', 'not sent']));
  });
});

describe('calls that have ended', () => {
  /** Brings some calls to their ends by way of the queue, the gate, a pause and another attempt. */
  async function some(signalOf: () => AbortSignal): Promise<Wire['client']> {
    const { client, call, last, clock } = wire({ concurrency: 1, random: () => 0.5 });
    for (const maxWaitMs of [undefined, 1_000]) {
      for (const name of ['a', 'b', 'c']) await call(name, { signal: signalOf(), maxWaitMs });
      await last('a').answer(429, { 'retry-after': '1' });
      await clock.advance(1_000);
      await last('b').answer(503);
      await clock.advance(1_000);
      for (const name of ['a', 'c', 'b']) {
        await last(name).answer();
        await clock.advance(100);
      }
      // Two refusals soon after one another would tell of a rate.
      await clock.advance(120_000);
    }
    return client;
  }

  it('a call that has ended leaves no listener on a signal that outlives it', async () => {
    const { signal } = new AbortController();
    await some(() => signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('a call that has ended is forgotten', async () => {
    const signals: WeakRef<AbortSignal>[] = [];
    const client = await some(() => {
      const { signal } = new AbortController();
      signals.push(new WeakRef(signal));
      return signal;
    });
    await new Promise(setImmediate);
    collectGarbage();
    expect(signals.map((signal) => signal.deref())).toEqual(Array(6).fill(undefined));
    expect(client.waiting).toBe(0);
  });
});

describe('a full queue', () => {
  const full = { concurrency: 1, maxWaiting: 3, onOverflow: 'reject-lowest' } as const;

  it('a full queue makes room for a more urgent call by one of the lowest priority, the one that came last', async () => {
    const { call } = wire(full);
    await call('first');
    const waiting = new Map<string, Called>();
    for (const [name, priority] of [
      ['a', 0],
      ['b', -1],
      ['c', -1],
    ] as const)
      waiting.set(name, await call(name, { priority }));
    const gone = () => [...waiting].filter(([, { now }]) => now() !== 'under way').map(([name]) => name);
    for (const expected of [['c'], ['b', 'c'], ['a', 'b', 'c']]) {
      await call('urgent', { priority: 1 });
      expect(gone()).toEqual(expected);
    }
    // No one of those that wait is less urgent.
    waiting.set('urgent', await call('urgent', { priority: 1 }));
    expect(gone()).toEqual(['a', 'b', 'c', 'urgent']);
  });

  it('a full queue takes back a call that was refused because of a limit', async () => {
    const { call, last, clock, names } = wire({ concurrency: 1, maxWaiting: 1 });
    const refused = await call('refused');
    const waiting = await call('waiting');
    await last('refused').answer(429, { 'retry-after': '1' });
    await clock.advance(3_000);
    for (const name of names().slice(1)) await last(name).answer();
    await clock.advance(3_000);
    for (const name of names().slice(2)) await last(name).answer();
    expect([refused.now(), waiting.now()]).toEqual(['answered', 'answered']);
  });

  it('a call that goes again is not late by its maxQueueMs, which was for its first request', async () => {
    const { call, last, clock, names } = wire({ concurrency: 2 });
    await call('first');
    await last('first').answer();
    const refused = await call('refused', { maxQueueMs: 5_000 });
    await call('other');
    await last('refused').answer(429, { 'retry-after': '60' });
    await last('other').answer();
    expect(refused.now()).toBe('under way');
    await clock.advance(61_000);
    expect(names()).toEqual(['first', 'refused', 'other', 'refused']);
  });

  it('a full queue keeps a call that is made again by when it first came', async () => {
    const { call, last, clock } = wire({ ...full, maxWaiting: 2 });
    const again = await call('again');
    const second = await call('second');
    const third = await call('third');
    await last('again').answer(503);
    await clock.advance(10_000);
    expect(last('second').request.signal.aborted).toBe(false);
    await call('urgent', { priority: 1 });
    expect([again, second, third].map(({ now }) => now() === 'under way')).toEqual([true, true, false]);
  });
});

it('the queue has as many timers for thousands of calls as for one', async () => {
  const { client, call, last, clock } = wire();
  await call('first');
  await last('first').answer(200, { 'x-ratelimit-remaining-stacks-minute': '0' });
  await call('waits');
  const { timers } = clock;
  for (let at = 1; at < 5_000; at++) client.getInfo().catch(() => {});
  await clock.advance(0);
  expect([client.waiting, clock.timers]).toEqual([5_000, timers]);
  await client.close();
  expect([client.waiting, clock.timers]).toEqual([0, 0]);
});

describe('shared signals', () => {
  it.each([undefined, 1_000])(
    'a signal of many thousand calls has a few listeners, and its abort ends them all (patience: %s)',
    async (maxWaitMs) => {
      const COUNT = maxWaitMs === undefined ? runs(10_000, 100_000) : runs(2_000, 10_000);
      const { client, sent, clock } = wire({ concurrency: 1 });
      const controller = new AbortController();
      const { signal } = controller;
      let listeners = 0;
      const { addEventListener } = signal;
      signal.addEventListener = (...given: unknown[]): void => {
        listeners++;
        Reflect.apply(addEventListener, signal, given);
      };
      const reasons = new Map<unknown, number>();
      for (let at = 0; at < COUNT; at++) {
        client.getInfo({ signal, maxWaitMs }).catch((error) => reasons.set(error, (reasons.get(error) ?? 0) + 1));
      }
      await clock.advance(0);
      expect(client.waiting).toBe(COUNT - 1);
      expect(listeners).toBeLessThan(10);
      controller.abort(reason);
      await clock.advance(0);
      expect(reasons).toEqual(new Map([[reason, COUNT]]));
      expect(sent).toHaveLength(1);
      expect(client.quota()).toMatchObject({ inFlight: 0, waiting: 0 });
    },
    60_000,
  );
});
