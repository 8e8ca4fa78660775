import { describe, expect, it } from 'vitest';
import { type Client, type ClientEvent, type ClientOptions, createClient } from '../../src/index.ts';
import { createMockService, type MockServiceOptions, virtualClock } from '../../src/testing/index.ts';

/** A client whose key can be replaced, and the requests of each key. */
function world(service: MockServiceOptions = {}, options: ClientOptions = {}) {
  const clock = virtualClock({ wall: Date.UTC(2026, 0, 15, 12, 0, 10) });
  const mock = createMockService({ clock, latencyMs: 80, keys: ['old', 'new', 'third'], ...service });
  const sent: string[] = [];
  const fetch: typeof globalThis.fetch = (input, init) => {
    const request = new Request(input, init);
    sent.push(request.headers.get('x-api-key') ?? 'none');
    return mock.fetch(request);
  };
  const events: ClientEvent[] = [];
  const keys = { present: 'old' as string | undefined };
  const client = createClient({
    baseUrl: mock.origin,
    fetch,
    clock,
    random: () => 0.5,
    apiKey: () => keys.present,
    onEvent: (event) => events.push(event),
    ...options,
  });
  const calls = (count: number): Promise<unknown> =>
    clock.run(Promise.all(Array.from({ length: count }, () => client.getInfo())));
  /** Lets a key's minute be full, as the client knows by one answer. */
  const fill = async (key: string, minute: number): Promise<void> => {
    mock.spend(minute - 1, key);
    await calls(1);
  };
  /** A call that has no patience. */
  const ask = () => clock.run(client.getInfo({ maxWaitMs: 0 }));
  const sentWith = (key: string): number => sent.filter((one) => one === key).length;
  return { clock, service: mock, client, keys, events, calls, fill, ask, sentWith };
}

const minuteOf = (client: Client) => client.quota().windows.find(({ window }) => window === 'minute');

describe('another key', () => {
  it('is not held by the full minute of the one before', async () => {
    const { clock, keys, fill, ask, calls, service } = world({ keyed: { minute: 10 } });
    await fill('old', 10);
    await expect(ask()).rejects.toThrow('maxWaitMs');
    const start = clock.now();
    keys.present = 'new';
    await ask();
    expect(clock.now() - start).toBe(80);
    await calls(5);
    expect(service.limited).toBe(0);
  });

  it('is noticed while calls wait, within a second of the last request', async () => {
    const { clock, client, keys, fill, sentWith } = world({ keyed: { minute: 100 } });
    await fill('old', 100);
    const start = clock.now();
    const waiting = Promise.all(Array.from({ length: 5 }, () => client.getInfo()));
    keys.present = 'new';
    await clock.run(waiting);
    expect(clock.now() - start).toBeLessThan(2_000);
    expect([sentWith('old'), sentWith('new')]).toEqual([1, 5]);
  });

  it('serves the most urgent of the calls that wait first, although less urgent ones had passed it', async () => {
    const { clock, client, keys, events, service } = world({ keyed: { minute: 20 } });
    service.spend(16, 'old');
    await clock.run(client.getInfo()); // three units are left
    const urgent = client.getInfo({ priority: 5, cost: 5, label: 'urgent' });
    const others = Array.from({ length: 9 }, (_, at) => client.getInfo({ cost: 1, label: `other ${at}` }));
    await clock.advance(500);
    keys.present = 'new';
    await clock.run(Promise.all([urgent, ...others]));
    const order = events.filter(({ type }) => type === 'sent').map((event) => (event as { label?: string }).label);
    expect(order.slice(1)).toEqual([
      'other 0',
      'other 1',
      'other 2',
      'urgent',
      'other 3',
      'other 4',
      'other 5',
      'other 6',
      'other 7',
      'other 8',
    ]);
  });

  it('is noticed within a minute, however long calls have waited, and its source is not asked all the time', async () => {
    let asked = 0;
    const key = { present: 'old' };
    const apiKey = (): string => {
      asked++;
      return key.present;
    };
    const { clock, client, calls } = world({ keyed: { month: 10 } }, { apiKey, maxWaitMs: Infinity });
    await calls(10);
    const waiting = client.getInfo();
    await clock.advance(86_400_000);
    expect(asked).toBeLessThan(1_600);
    key.present = 'new';
    const start = clock.now();
    await clock.run(waiting);
    expect(clock.now() - start).toBeLessThanOrEqual(61_000);
  });

  it('has none of the pauses and costs of the one before', async () => {
    const { clock, client, keys, service, calls } = world({ keyed: { second: 20, minute: 500 }, cost: () => 4 });
    await calls(3);
    service.faults.next(1, { status: 429, headers: { 'retry-after': '3000' } });
    await expect(clock.run(client.getInfo())).rejects.toThrow('asked for a pause');
    expect(client.quota().cooldown).toBeDefined();
    keys.present = 'new';
    await calls(1);
    expect(client.quota().cooldown).toBeUndefined();
    expect(minuteOf(client)).toMatchObject({ remaining: 496 });
  });

  it('finds its own books again when it returns', async () => {
    const { client, keys, fill, ask, service } = world({ keyed: { minute: 100 } });
    await fill('old', 100);
    keys.present = 'new';
    await ask();
    keys.present = 'old';
    await expect(ask()).rejects.toThrow('maxWaitMs');
    expect(minuteOf(client)).toMatchObject({ headroom: 0, remaining: 0 });
    keys.present = 'new';
    await ask();
    expect(minuteOf(client)).toMatchObject({ headroom: 98, remaining: 98 });
    expect([service.requests, service.limited]).toEqual([3, 0]);
  });

  it('leaves requests under way to the books of the one that they were sent with', async () => {
    const { clock, client, keys, calls, events } = world({ keyed: { minute: 30 }, latencyMs: 3_000 });
    await calls(1);
    const old = Promise.all(Array.from({ length: 8 }, () => client.getInfo()));
    await clock.advance(1_000);
    keys.present = 'new';
    await clock.run(client.getInfo());
    await clock.run(old);
    expect(minuteOf(client)).toMatchObject({ limit: 30, remaining: 29, headroom: 29 });
    keys.present = 'old';
    await calls(1);
    expect(minuteOf(client)).toMatchObject({ remaining: 20, headroom: 20 });
    expect(events.filter(({ type }) => type === 'lost' || type === 'retrying')).toEqual([]);
  });

  it('gets what was admitted for the one before only if that fits its own books', async () => {
    const { clock, client, keys, fill, ask, service, sentWith } = world({ keyed: { minute: 100 } });
    await fill('old', 100);
    keys.present = 'new';
    await ask();
    keys.present = 'old';
    // Admitted at once by the books of `new`, until the source gives the other key.
    const many = Promise.all(Array.from({ length: 30 }, () => client.getInfo()));
    await clock.run(many);
    expect([service.limited, sentWith('new'), sentWith('old')]).toEqual([0, 1, 31]);
    expect(clock.now()).toBeGreaterThan(50_000);
  });

  it('is one of two that the source gives in turn: each request goes by the books of its own', async () => {
    let asked = 0;
    const { service, calls, sentWith } = world(
      { keyed: { second: 5, minute: 40 } },
      { apiKey: () => (asked++ % 2 ? 'new' : 'old') },
    );
    await calls(160);
    expect([service.requests, service.limited]).toEqual([160, 0]);
    expect(Math.min(sentWith('new'), sentWith('old'))).toBeGreaterThan(60);
  });

  it('counts towards the same concurrency', async () => {
    const { clock, client, keys, calls, service } = world(
      { keyed: { minute: 100 }, latencyMs: 2_000 },
      { concurrency: 4 },
    );
    await calls(1);
    const all = [1, 2, 3, 4].map(() => client.getInfo());
    await clock.advance(100);
    keys.present = 'new';
    all.push(client.getInfo(), client.getInfo());
    await clock.advance(1_500);
    expect(client.quota().inFlight).toBe(4);
    await clock.run(Promise.all(all));
    expect(service.requests).toBe(7);
  });

  it('is not waited for longer than a second by a call that is refused', async () => {
    let isSilent = false;
    const { clock, fill, ask } = world(
      { keyed: { minute: 10 } },
      { apiKey: () => (isSilent ? new Promise<string>(() => {}) : 'old') },
    );
    await fill('old', 10);
    isSilent = true;
    const start = clock.now();
    await expect(ask()).rejects.toThrow('maxWaitMs');
    expect(clock.now() - start).toBe(1_000);
  });

  it('keeps no more than the books of four keys, and none of them shows a key', async () => {
    const names = ['key-a', 'key-b', 'key-c', 'key-d', 'key-e'];
    const { client, keys, calls, service } = world({ keys: names, keyed: { minute: 10 } });
    for (const name of names) {
      keys.present = name;
      await calls(5);
    }
    keys.present = 'key-a';
    await calls(1);
    // Its books are new: it has learned by this answer alone.
    expect(minuteOf(client)).toMatchObject({ remaining: 4 });
    expect(service.limited).toBe(0);
  });

  it('takes estimates, the month and the queue along', async () => {
    const { client, keys, fill, ask } = world({ keyed: { minute: 10, month: 1_000 } });
    await fill('old', 10);
    expect(client.estimate({ count: 5 }).ms).toBeGreaterThan(40_000);
    keys.present = 'new';
    await ask();
    expect(client.estimate({ count: 5 }).ms).toBeLessThan(1_000);
    expect(client.month()).toMatchObject({ used: 1, remaining: 999 });
  });

  it('is not refused for the queue of the one before by maxQueueMs', async () => {
    const { keys, fill, calls } = world({ keyed: { minute: 10 } }, { maxQueueMs: 2_000 });
    await fill('old', 10);
    await expect(calls(1)).rejects.toThrow('maxQueueMs');
    keys.present = 'new';
    await calls(5);
  });
});
