import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { runs } from '../../support/deep.ts';
import { referenced } from '../../support/garbage.ts';
import { type Wire, wire } from '../../support/wire.ts';

const reason = new Error('enough');

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
    expect(signals).toHaveLength(6);
    expect(await referenced(signals)).toBe(0);
    expect(client.waiting).toBe(0);
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
