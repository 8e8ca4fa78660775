import { describe, expect, it } from 'vitest';
import type { ClientEvent } from '../../src/events.ts';
import { createClient, isQuotaExhausted } from '../../src/index.ts';
import { createMockService, virtualClock } from '../../src/testing/index.ts';
import { wire } from '../support/wire.ts';

/** A client with two keys, each of which has five units a minute left, and one after a request. */
async function twoKeys() {
  const clock = virtualClock({ wall: Date.UTC(2026, 0, 15, 12, 0, 10) });
  const service = createMockService({ clock, latencyMs: 80, keys: ['old', 'new'], keyed: { minute: 5 } });
  const key = { present: 'new', asked: 0 };
  const apiKey = async () => {
    key.asked++;
    return key.present;
  };
  const events: ClientEvent[] = [];
  const client = createClient({
    baseUrl: service.origin,
    fetch: service.fetch,
    clock,
    apiKey,
    onEvent: (event) => events.push(event),
  });
  /** Lets the minute of the present key be full, as the client knows by one answer. */
  const fill = async (): Promise<void> => {
    service.spend(4, key.present);
    await clock.run(client.getInfo());
  };
  await fill();
  key.present = 'old';
  await fill();
  return { clock, client, key, events, service };
}

const endOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

describe('a call that is refused by the books of one key', () => {
  it.each([{ maxQueueMs: 1_000 }, { maxWaitMs: 0 }])(
    'is refused by those of the next key, too, if it is full: %o',
    async (options) => {
      const { clock, client, key, events, service } = await twoKeys();
      key.present = 'new';
      const from = clock.now();
      expect(isQuotaExhausted(await clock.run(endOf(client.getInfo(options))))).toBe(true);
      expect(clock.now()).toBe(from);
      expect(events.at(-1)).toMatchObject({ type: 'failed', error: 'QuotaExhaustedError' });
      await clock.run(client.idle());
      expect([service.requests, client.waiting]).toEqual([2, 0]);
    },
  );

  it('asks for the key, which a call that was aborted does not', async () => {
    const { clock, client, key } = await twoKeys();
    const { asked } = key;
    await clock.run(endOf(client.getInfo({ signal: AbortSignal.abort() })));
    expect(key.asked).toBe(asked);
    await clock.run(endOf(client.getInfo({ maxWaitMs: 0 })));
    expect(key.asked).toBe(asked + 1);
  });
});

describe('the calls that wait', () => {
  /** Whether a call of 400 units would be sent at once, of 1,000 a minute of which 900 were left. */
  const isFree = ({ client }: ReturnType<typeof wire>): boolean => {
    const { ms = Infinity } = client.estimate({ endpoint: 'GET /extended/v1/info', cost: 400 });
    return ms < 1_000;
  };

  it('are counted in estimates once: while they are under way as in flight, and again where they are to be repeated', async () => {
    const world = wire({ random: () => 0.9 });
    const { call, last, clock } = world;
    await call('first');
    await last('first').answer();
    expect(isFree(world)).toBe(true);
    await call('second', { cost: 400 });
    expect(isFree(world)).toBe(true);
    await last('second').answer(503, { 'x-ratelimit-remaining-stacks-minute': '500' });
    expect(isFree(world)).toBe(false);
    await clock.advance(1_000);
    expect(world.names()).toEqual(['first', 'second', 'second']);
  });

  it('are turned away by close, which says how many each time that it is asked', async () => {
    const { client, call, last } = wire({ concurrency: 1 });
    for (const name of ['first', 'second', 'third']) await call(name);
    const closings = [client.close(), client.close(), client.close({ drain: true })];
    await last('first').answer();
    expect(await Promise.all(closings)).toEqual(Array(3).fill({ rejected: 2 }));
  });
});

it('a call that is repeated says which attempt comes next, by an event', async () => {
  const events: ClientEvent[] = [];
  const { call, last, clock } = wire({ onEvent: (event) => events.push(event) });
  await call('first');
  for (let attempt = 1; attempt <= 2; attempt++) {
    await last('first').answer(503);
    await clock.advance(5_000);
  }
  const retries = events.flatMap((event) => (event.type === 'retrying' ? [event.attempt] : []));
  expect(retries).toEqual([2, 3]);
});
