import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import { isConfigError } from '../../src/errors.ts';
import { createMockService, virtualClock } from '../../src/testing/index.ts';
import type { QueueOptions } from '../../src/trace/queue-view.ts';
import { mockWorld } from '../support/mock-world.ts';
import { wire } from '../support/wire.ts';

const ADDRESS = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';
const WALL = Date.UTC(2026, 0, 15, 12, 0, 20, 500);

describe('client.queue', () => {
  it('is empty while no call waits, although one is under way', async () => {
    const { client, call } = wire();
    expect(client.queue()).toEqual([]);
    await call('first');
    expect(client.queue()).toEqual([]);
  });

  it('says of every call what it waits for, until when, and how many calls go before it', async () => {
    const { client, call, last, clock } = wire();
    await call('first');
    await last('first').answer(200, { 'retry-after': '60' });
    await call('second', { label: 'job 2' });
    await clock.advance(1_000);
    await call('third');
    await call('fourth');
    const why = 'the service asked for a pause';
    const all = {
      endpoint: 'GET /extended/v1/info',
      priority: 0,
      reason: { kind: 'cooldown', why },
      until: new Date(WALL + 60_000),
    };
    expect(client.queue()).toEqual([
      { ...all, call: 2, label: 'job 2', place: 1, since: new Date(WALL), why },
      { ...all, call: 3, place: 2, since: new Date(WALL + 1_000), why: `1 call goes before it; ${why}` },
      { ...all, call: 4, place: 3, since: new Date(WALL + 1_000), why: `2 calls go before it; ${why}` },
    ]);
    expect(JSON.parse(JSON.stringify(client.queue()))).toHaveLength(3);
  });

  it('is in the order in which calls go: by priority, then by arrival', async () => {
    const { client, call, last, clock, names } = wire({ concurrency: 1 });
    for (const name of ['1', '2', '3', '4']) await call(name);
    for (const name of ['5', '6']) await call(name, { priority: 1 });
    await last('1').answer(429, { 'retry-after': '5' });
    await clock.advance(1);
    const order = client.queue().map(({ call: number }) => String(number));
    expect(order).toEqual(['5', '6', '1', '2', '3', '4']);
    await clock.advance(5_000);
    for (const name of order) {
      await last(name).answer();
      await clock.advance(100);
    }
    expect(names().slice(1)).toEqual(order);
  });

  it('names a window that is full', async () => {
    const { client, call, last } = wire();
    await call('first');
    await last('first').answer(200, { 'x-ratelimit-remaining-stacks-minute': '0' });
    await call('second');
    expect(client.queue()).toMatchObject([{ place: 1, reason: { kind: 'window', window: 'minute', headroom: 0 } }]);
  });

  it('says which answer each call waits for where only the number of requests under way holds calls back', async () => {
    const { clock, client } = mockWorld({ latencyMs: 100, keyless: { minute: 10_000 } }, { concurrency: 1 }, WALL);
    await clock.run(client.getInfo());
    const from = clock.wall();
    const calls = Array.from({ length: 4 }, () => client.getInfo());
    await clock.advance(1);
    const untils = client.queue().map(({ until, reason }) => [reason?.kind, until && until.getTime() - from]);
    expect(untils).toEqual([
      ['concurrency', undefined],
      ['concurrency', 201],
      ['concurrency', 301],
    ]);
    await clock.run(Promise.all(calls));
  });

  it('lists parked calls last, without a place', async () => {
    const { clock, client } = mockWorld(
      {
        latencyMs: 100,
        keyless: { minute: 10_000 },
        ceilings: { assets: { limit: 1, period: 'minute' } },
        headers: { generic: 'per endpoint ceiling' },
      },
      { concurrency: 1 },
      WALL,
    );
    const calls: Promise<unknown>[] = [client.getAddressAssets(ADDRESS), client.getAddressAssets(ADDRESS)];
    await clock.run(Promise.resolve(calls[0]));
    calls.push(client.getInfo(), client.getInfo());
    await clock.advance(0);
    const queue = client.queue();
    expect(queue.map(({ call, place }) => [call, place])).toEqual([
      [4, 1],
      [2, undefined],
    ]);
    expect(queue[1]?.why).toMatch(
      /^the endpoint's window of 1 requests has 0 left; it is parked, so that other calls can pass$/,
    );
    expect(queue[1]?.until?.getTime()).toBeGreaterThan(clock.wall() + 30_000);
    await clock.run(Promise.all(calls));
  });

  it('lists calls as parked for as long as they are, and says why, although only one of them asks at the end of each pause', async () => {
    const { clock, client, service } = mockWorld({ latencyMs: 100, keyless: { minute: 10_000 } }, {}, WALL);
    await clock.run(client.getInfo());
    service.faults.when(({ url }) => (url.pathname.endsWith('/assets') ? { status: 429 } : undefined));
    const calls = Array.from({ length: 5 }, () => client.getAddressAssets(ADDRESS).catch(() => {}));
    const seen = new Set<string>();
    for (let second = 0; second < 20; second++) {
      await clock.advance(1_000);
      for (const { place, why, until } of client.queue()) {
        const isLater = until !== undefined && until.getTime() > clock.wall();
        seen.add(`${place}: ${why.replace(/last \d+/, 'last n')}, ${isLater ? 'later' : 'now'}`);
      }
    }
    const of = 'GET /extended/v1/address/{address}/assets';
    expect([...seen]).toEqual(
      ['a request', 'the last n requests'].map(
        (what) =>
          `undefined: the service refused ${what} of ${of} without saying when to retry; it is parked, so that other calls can pass, later`,
      ),
    );
    await client.close();
    await clock.run(Promise.all(calls));
  });

  it('says when each call is sent, also behind a costly one that is parked', async () => {
    const clock = virtualClock({ wall: WALL });
    const costOf = ({ url }: { readonly url: URL }): number => Number(url.searchParams.get('units') ?? 1);
    const service = createMockService({ clock, latencyMs: 100, keyless: { minute: 90 }, cost: costOf });
    const client = createClient({ baseUrl: service.origin, fetch: service.fetch, clock, random: () => 0.5 });
    const call = (cost: number, label: string): Promise<unknown> =>
      client.get('/extended/v1/info', { cost, label, query: { units: cost }, maxWaitMs: Infinity });
    await clock.run(Promise.all(Array.from({ length: 150 }, () => call(1, ''))));
    await clock.advance(120_000);
    const sentAt = new Map<string | undefined, number>();
    client.subscribe((event) => {
      if (event.type === 'sent') sentAt.set(event.label, event.at.getTime());
    });
    const calls = Array.from({ length: 60 }, (_, nth) => call(nth % 4 === 3 ? 1 : 25, `${nth}`));
    await clock.advance(400_000);
    const queue = client.queue();
    expect(queue.filter(({ place }) => place === undefined)).toHaveLength(1);
    await clock.run(Promise.all(calls));
    for (const { label, until } of queue)
      expect(Math.abs(Number(until) - Number(sentAt.get(label))), label).toBeLessThan(2_000);
  });

  it('lists a call that pauses before another attempt', async () => {
    const { client, call, last } = wire({ random: () => 0.5 });
    await call('first');
    await last('first').answer(502);
    expect(client.queue()).toEqual([
      {
        call: 1,
        endpoint: 'GET /extended/v1/info',
        priority: 0,
        since: new Date(WALL),
        until: new Date(WALL + 250),
        why: 'it pauses before its next attempt',
      },
    ]);
  });

  it('finds calls by their label, at their place', async () => {
    const { client, call } = wire({ concurrency: 1 });
    for (const label of ['a', 'a', 'b', 'b', 'a']) await call(label, { label });
    expect(client.queue({ label: 'b' }).map(({ call: number, place }) => [number, place])).toEqual([
      [3, 2],
      [4, 3],
    ]);
    expect(client.queue({ label: 'c' })).toEqual([]);
  });

  it('is no longer than `limit`, by default a hundred', async () => {
    const { client, call } = wire({ concurrency: 1 });
    for (let name = 0; name < 150; name++) await call(String(name));
    expect(client.queue()).toHaveLength(100);
    expect(client.queue({ limit: 2 }).map(({ place }) => place)).toEqual([1, 2]);
  });

  it.each([
    [{ limit: 0 }, 'limit must be a whole number, 1 or more, not 0'],
    [{ label: 7 }, 'label must be text, not 7'],
    [{ offset: 1 }, 'offset is not one of the options of queue: label, limit'],
  ])('refuses %o, saying what would be right', (options, message) => {
    const { client } = wire();
    let error: unknown;
    try {
      client.queue(options as unknown as QueueOptions);
    } catch (thrown) {
      error = thrown;
    }
    expect(isConfigError(error) && error.message).toBe(message);
  });
});
