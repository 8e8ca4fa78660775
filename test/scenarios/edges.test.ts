import { describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/index.ts';
import {
  type MockService,
  type MockServiceOptions,
  type ServiceFault,
  seeded,
  type VirtualClock,
} from '../../src/testing/index.ts';
import { cases, runs } from '../support/deep.ts';
import { worldOf } from './support/world.ts';

interface Edge {
  readonly clock: VirtualClock;
  readonly service: MockService;
  readonly client: Client;
  /** How long so many calls take together, in seconds; those that fail count as well. */
  readonly seconds: (calls: number) => Promise<number>;
}

/** A client of a service whose answers an edge changes on their way: the headers that it sets, or none of those that are `undefined`. */
function behindEdge(
  options: MockServiceOptions,
  change: (headers: Headers, at: number) => Record<string, string | undefined>,
): Edge {
  const { clock, service } = worldOf(options);
  const client = createClient({
    ...{ baseUrl: service.origin, apiKey: 'a-key', clock, random: seeded(8) },
    async fetch(input, init) {
      const { status, headers, body } = await service.fetch(input, init);
      for (const [name, value] of Object.entries(change(headers, clock.wall()))) {
        if (value === undefined) headers.delete(name);
        else headers.set(name, value);
      }
      return new Response(body, { status, headers });
    },
  });
  const seconds = async (calls: number): Promise<number> => {
    const from = clock.now();
    const all = Array.from({ length: calls }, () => client.getInfo({ maxWaitMs: Infinity }));
    await clock.run(Promise.allSettled(all));
    return (clock.now() - from) / 1_000;
  };
  return { clock, service, client, seconds };
}

describe('an endpoint whose answers state no cost, beside one whose answers do', () => {
  it.each<[string, ServiceFault]>([
    ['serves all', 'no quota headers'],
    ['is not there', { status: 404, counted: false }],
    ['fails', { status: 500, counted: false }],
  ])('and that %s delays no calls of the other one for long', async (_, fault) => {
    const { clock, service, client, ask } = worldOf({ keyed: { second: 20, minute: 1_000 } });
    await clock.run(client.getInfo());
    await clock.advance(2_000);
    service.faults.when(({ url }) => (url.pathname.includes('/assets') ? fault : undefined));
    const from = clock.now();
    for (let number = 0; number < 60; number++) ask(number).catch(() => {});
    await clock.run(client.getInfo());
    expect(clock.now() - from).toBeLessThan(10_000);
  });
});

describe('an edge between the client and the service', () => {
  it.each(
    cases<[string, (at: number) => string]>(
      [['shows the same date for ever', () => 'Thu, 15 Jan 2026 12:00:00 GMT']],
      [['caches the date for a minute', (at) => new Date(at - (at % 60_000)).toUTCString()]],
    ),
  )('that %s costs no refusal, and little time', async (_, date) => {
    const { service, seconds } = behindEdge({}, (_, at) => ({ date: date(at) }));
    const calls = runs(600, 1_200);
    expect(await seconds(calls)).toBeLessThan(calls / 6);
    expect(service.limited).toBe(0);
  });

  it.each(cases([['lags behind', -20_000]], [['is a second ahead of', 1_000]]))(
    'whose clock %s that of the limiter does not make two windows of one',
    async (_, ms) => {
      const { service, seconds } = behindEdge({}, (_, at) => ({ date: new Date(at + ms).toUTCString() }));
      expect(await seconds(600)).toBeLessThan(110);
      expect(service.limited).toBe(0);
    },
  );

  it.each(cases([20_000], [2_000]))(
    'whose clock is %d ms ahead of that of the limiter costs no more than one that is not',
    async (ms) => {
      const { service, seconds } = behindEdge({}, (_, at) => ({ date: new Date(at + ms).toUTCString() }));
      expect(await seconds(600)).toBeLessThan(71);
      expect(service.limited).toBe(0);
    },
  );

  it('that answers some requests by itself, uncounted, does not make believe that windows hold more', async () => {
    const { service, seconds } = behindEdge({}, () => ({}));
    const random = seeded(3);
    service.faults.when(() => (random() < 0.3 ? { status: 404, counted: false } : undefined));
    const calls = runs(700, 3_000);
    expect(await seconds(calls)).toBeLessThan((calls / 3_000) * 400);
    expect(service.limited).toBe(0);
  });

  it('that names a cost no window can have had is not believed', async () => {
    let answers = 0;
    const { seconds } = behindEdge({ keyed: { minute: 500, month: 150_000 } }, () =>
      ++answers === 2 ? { 'x-ratelimit-cost-stacks': '100000' } : {},
    );
    expect(await seconds(400)).toBeLessThan(30);
  });

  it('that names a reset of another century is not waited for', async () => {
    let answers = 0;
    const { client, seconds } = behindEdge({}, () => {
      const isOdd = ++answers === 2;
      return isOdd ? { 'ratelimit-limit': '3', 'ratelimit-remaining': '0', 'ratelimit-reset': '7258118400' } : {};
    });
    expect(await seconds(40)).toBeLessThan(10);
    expect(client.waiting).toBe(0);
  });

  it('that says once that nothing is allowed ends calls at once, and is asked again a window later', async () => {
    let answers = 0;
    const { clock, client } = behindEdge({ keyed: { minute: 500 } }, () =>
      ++answers === 1 ? { 'x-ratelimit-limit-stacks-minute': '0', 'x-ratelimit-remaining-stacks-minute': '0' } : {},
    );
    await clock.run(client.getInfo());
    const told = await clock.run(client.getInfo().catch((error: unknown) => error));
    expect(told).toMatchObject({ name: 'QuotaExhaustedError', window: 'minute', limit: 0 });
    expect((told as { retryAt: Date }).retryAt.getTime()).not.toBeNaN();
    await clock.advance(60_000);
    await clock.run(Promise.all([client.getInfo(), clock.sleep(200).then(() => client.getInfo())]));
  });

  it('that refuses and asks for no pause is not asked again at once, time after time', async () => {
    const { service, seconds } = behindEdge({}, () => ({}));
    let refusals = 0;
    service.faults.when(() =>
      ++refusals > 1 && refusals < 12 ? { status: 429, headers: { 'retry-after': '0' } } : undefined,
    );
    expect(await seconds(3)).toBeGreaterThan(5);
  });
});
