import { describe, expect, it } from 'vitest';
import { type CallOptions, createClient, type QuotaExhaustedError } from '../../src/index.ts';
import { createMockService, type MockServiceOptions, virtualClock } from '../../src/testing/index.ts';
import { cases } from '../support/deep.ts';
import { wire } from '../support/wire.ts';
import { ADDRESS, quietly, ROOMY, refused, refusedSoon, world } from './support/deadline-world.ts';

describe('maxQueueMs', () => {
  it('refuses at once what would be sent later, with the instant of that', async () => {
    const { clock, client } = await world();
    const others = quietly(Array.from({ length: 200 }, () => client.getInfo()));
    const error = await refused(client.getInfo({ maxQueueMs: 60_000 }));
    expect(error).toMatchObject({ window: 'minute', endpoint: 'GET /extended/v1/info' });
    // 61 of 60 a minute wait for the third minute from here, and the rest for the fourth.
    expect(error?.retryAt.getTime()).toBeGreaterThanOrEqual(Date.UTC(2026, 0, 15, 12, 3));
    expect(error?.retryAt.getTime()).toBeLessThan(Date.UTC(2026, 0, 15, 12, 4));
    expect(error?.message).toMatch(
      /would be sent after about [2-4](\.\d)? min, with \d+ waiting, which is later than maxQueueMs \(1 min\) allows/,
    );
    await clock.run(others);
  });

  it('sends what is in time, and what goes first by its priority', async () => {
    const { clock, client } = await world();
    const others = quietly(Array.from({ length: 200 }, () => client.getInfo()));
    const urgent = client.getInfo({ maxQueueMs: 60_000, priority: 1 });
    const patient = client.getInfo({ maxQueueMs: 240_000 });
    await clock.run(Promise.all([urgent, patient, others]));
  });

  it('counts no call that it refused, however many are made in one turn', async () => {
    const { clock, client } = await world();
    const burst = Array.from({ length: 300 }, () => refused(client.getInfo({ maxQueueMs: 60_000 })));
    const inTime = refused(client.getInfo({ maxQueueMs: 120_000 }));
    const late = (await Promise.all(burst)).filter((error) => error !== undefined);
    expect(late.length).toBeGreaterThan(100);
    for (const { retryAfterMs } of late) expect(retryAfterMs).toBeLessThan(120_000);
    expect(await inTime).toBeUndefined();
    await clock.run(client.idle());
  });

  it('is an option of the client and of client.fetchWith, too', async () => {
    const { clock, client } = await world({}, { maxQueueMs: 30_000 });
    const others = quietly(Array.from({ length: 70 }, () => client.getInfo({ maxQueueMs: Infinity })));
    expect(await refused(client.getInfo())).toBeDefined();
    expect(await refused(client.fetchWith({ maxQueueMs: 20_000 })('/extended/v1/info'))).toBeDefined();
    expect(await refused(client.fetchWith({ maxQueueMs: 200_000 })('/extended/v1/info'))).toBeUndefined();
    await clock.run(others);
  });

  it('counts a pause that the service ordered', async () => {
    const { clock, client, service } = await world();
    service.faults.next(1, { status: 429, headers: { 'retry-after': '100' } });
    const first = quietly([client.getInfo()]);
    await clock.advance(1_000);
    expect(await refused(client.getInfo({ maxQueueMs: 90_000 }))).toMatchObject({ window: 'cooldown' });
    const inTime = client.getInfo({ maxQueueMs: 110_000 });
    await clock.run(Promise.all([first, inTime]));
  });

  it('refuses nothing while no limit is known, and spends nothing where it refuses', async () => {
    const { clock, client, service } = await world();
    const fresh = createClient({ baseUrl: service.origin, fetch: service.fetch, clock, maxQueueMs: 0 });
    await clock.run(fresh.getInfo());
    const others = quietly(Array.from({ length: 100 }, () => client.getInfo()));
    const late = quietly(Array.from({ length: 50 }, () => client.getInfo({ maxQueueMs: 1_000 })));
    await clock.run(Promise.all([others, late]));
    expect(service.requests).toBe(102);
  });

  it('refuses calls that wait as soon as an answer tells a limit that makes them late, the last of them', async () => {
    const { clock, client, service } = await world({ keyless: { minute: 60 } });
    const fresh = createClient({ baseUrl: service.origin, fetch: service.fetch, clock, maxWaitMs: 600_000 });
    const fates: string[] = [];
    const errors: QuotaExhaustedError[] = [];
    const calls = Array.from({ length: 200 }, (_, nth) =>
      fresh.getInfo({ maxQueueMs: 75_000 }).then(
        () => (fates[nth] = 'sent'),
        (error) => {
          fates[nth] = 'refused';
          errors.push(error);
        },
      ),
    );
    expect(fresh.waiting).toBe(199);
    // Were the minute a leaky bucket, some of the others could go within 15 s: a minute before the end of their time.
    await clock.advance(500);
    expect(errors.length).toBeGreaterThan(30);
    await clock.advance(15_000);
    // The minute has 59 left, and so has room for those and for 60 in the next, which begins in 50 s.
    const inTime = 200 - errors.length;
    expect(inTime).toBeGreaterThan(115);
    expect(inTime).toBeLessThanOrEqual(119);
    expect(errors[0]).toMatchObject({ name: 'QuotaExhaustedError', window: 'minute' });
    expect(errors[0]?.retryAfterMs).toBeGreaterThan(75_000);
    expect(errors[0]?.message).toMatch(/the call would be sent after about [\d.]+ min,/);
    await clock.run(Promise.all(calls));
    expect(fates).toEqual([...Array(inTime).fill('sent'), ...Array(200 - inTime).fill('refused')]);
    await client.close();
  });

  it('refuses calls that wait as soon as answers tell that those ahead cost more than was thought', async () => {
    const { clock, client } = await world({
      keyless: { minute: 100 },
      cost: ({ url }) => Number(url.searchParams.get('units') ?? 1),
    });
    const call = (units: number, maxQueueMs: number): Promise<unknown> =>
      client.get('/extended/v1/info', { query: { units }, maxQueueMs, label: `${units}` });
    // By what is known they take 90 units; in truth 90 times 20.
    const refusedAt: number[] = [];
    const waiting = Array.from({ length: 90 }, () => call(20, 75_000).catch(() => void refusedAt.push(clock.now())));
    const patient = call(20, Infinity);
    const madeAt = clock.now();
    await clock.run(Promise.all([...waiting, patient]));
    expect(refusedAt.filter((at) => at - madeAt < 2_000).length).toBeGreaterThan(50);
    // Five fit each minute, and so ten in time.
    expect(90 - refusedAt.length).toBeLessThanOrEqual(15);
  });

  it('refuses no call at once for costs that are hardly known', async () => {
    const costs = [25];
    const { clock, client } = await world({ keyless: { minute: 100 }, cost: () => costs.pop() ?? 1 });
    const call = (nth: number): Promise<unknown> =>
      client.get('/extended/v1/info', { query: { nth }, maxQueueMs: 60_000 });
    // By the only answer they take 500 units, in truth 20.
    await clock.run(Promise.all(Array.from({ length: 20 }, (_, nth) => call(nth + 1))));
  });

  it('refuses calls that wait as soon as an answer shows that a limit was lowered', async () => {
    const { clock, client, service } = await world({ keyless: { minute: 200 } });
    const madeAt = clock.now();
    const refusedAt: number[] = [];
    const call = (): Promise<unknown> =>
      client.getInfo({ maxQueueMs: 100_000 }).catch(() => void refusedAt.push(clock.now() - madeAt));
    const calls = Array.from({ length: 399 }, call);
    await clock.advance(0);
    expect(refusedAt).toHaveLength(0);
    await clock.advance(30_000);
    service.setLimits({ keyless: { minute: 20 } });
    await clock.run(Promise.all(calls));
    // The first answer of the second minute tells of it: 20 and no more of those that it was to send are in time.
    expect(refusedAt.length).toBeGreaterThan(150);
    expect(Math.max(...refusedAt)).toBeLessThan(60_000);
  });

  it('refuses calls that wait as soon as an answer comes after calls of higher priority that make them late', async () => {
    const { clock, client } = await world();
    const madeAt = clock.now();
    const refusedAt: number[] = [];
    const usual = Array.from({ length: 100 }, () =>
      client.getInfo({ maxQueueMs: 75_000 }).catch(() => void refusedAt.push(clock.now() - madeAt)),
    );
    await clock.advance(10_000);
    expect(refusedAt).toHaveLength(0);
    const urgent = Array.from({ length: 60 }, () => client.getInfo({ priority: 1 }));
    await clock.run(Promise.all([usual, urgent].flat()));
    expect(refusedAt.length).toBeGreaterThan(30);
    expect(Math.max(...refusedAt)).toBeLessThan(60_000);
  });

  it('refuses calls that wait as soon as the service orders a pause that makes them late', async () => {
    const { clock, client, service } = await world({ keyless: { minute: 10_000 } }, { concurrency: 1 });
    service.faults.next(1, { status: 429, headers: { 'retry-after': '100' } });
    const first = quietly([client.getInfo()]);
    const [late, inTime] = [
      refusedSoon(client.getInfo({ maxQueueMs: 90_000 })),
      client.getInfo({ maxQueueMs: 110_000 }),
    ];
    await clock.advance(1_000);
    expect(late()?.retryAfterMs).toBeGreaterThan(90_000);
    await clock.run(Promise.all([first, inTime]));
  });

  // An estimate knows neither when answers come nor what others take: calls of 300 ms waited for up to a minute.
  it('rejects a call that still waits when its time is over, and sends those whose time is not', async () => {
    const { clock, client, service } = await world({ latencyMs: 800 });
    const call = (maxQueueMs: number): Promise<unknown> => client.getAddressAssets(ADDRESS, { maxQueueMs });
    const others = [call(60_000)];
    const short = refusedSoon(call(300));
    others.push(call(2_000), call(60_000));
    await clock.advance(299);
    expect(short()).toBeUndefined();
    await clock.advance(1);
    expect(short()?.message).toMatch(
      /would be sent after more than 300 ms, with 3 waiting, which is later than maxQueueMs \(300 ms\) allows/,
    );
    await clock.run(Promise.all(others));
    expect(service.requests).toBe(4);
  });

  it('of 0 sends calls that wait for an answer which comes within a quarter of a second', async () => {
    const { clock, client, service } = await world({ latencyMs: 200 });
    const calls = Array.from({ length: 4 }, () => client.getAddressAssets(ADDRESS, { maxQueueMs: 0 }));
    await clock.run(Promise.all(calls));
    expect(service.requests).toBe(5);
  });

  // A real clock goes on between two readings: what would be sent "now" came after the instant of the call, by which it was to be sent.
  it('of 0 refuses no call at once while no limit is known, though time goes on while it is looked at', async () => {
    const clock = virtualClock();
    let read = 0;
    const ticking = { ...clock, now: () => clock.now() + ++read / 10_000 };
    const service = createMockService({ clock, latencyMs: 200, ...ROOMY });
    const client = createClient({ baseUrl: service.origin, fetch: service.fetch, clock: ticking });
    const calls = Array.from({ length: 4 }, () => client.getInfo({ maxQueueMs: 0 }));
    await clock.run(Promise.all(calls));
    expect(service.requests).toBe(4);
  });

  it('rejects a call that was not sent because its key has changed, and waits for the other key', async () => {
    const clock = virtualClock();
    const keys = ['a-key', 'b-key'];
    const service = createMockService({ clock, keys, keyed: { minute: 6 }, latencyMs: 50 });
    let apiKey = 'b-key';
    const client = createClient({
      baseUrl: service.origin,
      fetch: service.fetch,
      clock,
      apiKey: () => Promise.resolve(apiKey),
    });
    for (let call = 0; call < 5; call++) await clock.run(client.getInfo());
    apiKey = 'a-key';
    await clock.run(client.getInfo());
    apiKey = 'b-key';
    const sent = client.getInfo();
    const late = refusedSoon(client.getInfo({ maxQueueMs: 300 }));
    await clock.run(sent);
    await clock.advance(250);
    expect(late()).toMatchObject({ maxQueueMs: 300, window: 'minute' });
  });

  it('refuses no call that was sent once and waits to be sent again', async () => {
    const { call, last } = wire();
    await call('first');
    await last('first').answer();
    const bounded = await call('bounded', { maxQueueMs: 10_000 });
    await call('other');
    await last('bounded').answer(429, { 'retry-after': '60' });
    await last('other').answer(200, { 'x-ratelimit-limit-stacks-minute': '800' });
    expect(bounded.now()).toBe('under way');
  });

  const services = cases<[string, MockServiceOptions]>(
    [
      ['sliding counters', { windows: 'sliding-counter' }],
      ['calls that cost 3', { cost: () => 3 }],
      ['slow answers', { latencyMs: 2_500 }],
    ],
    [
      ['aligned windows', {}],
      ['leaky buckets', { windows: 'leaky' }],
      ['windows from the first request on', { windows: 'first-request' }],
      ['sliding logs', { windows: 'sliding-log' }],
      ['usage booked after the answer', { charge: 'after' }],
      ['a clock 40 s ahead', { skewMs: 40_000 }],
    ],
  );

  it.for(services)('is right within one window: %s', async ([, options]) => {
    const { clock, client } = await world(options);
    const reckoned: number[] = [];
    const sent: number[] = [];
    client.subscribe((event) => {
      if (event.type === 'sent' && event.label) sent[Number(event.label)] = event.at.getTime();
    });
    const calls: Promise<unknown>[] = [];
    for (let nth = 0; nth < 150; nth++) {
      const asked = await refused(client.getInfo({ maxQueueMs: 0 }));
      reckoned[nth] = asked?.retryAt.getTime() ?? clock.wall();
      calls.push(client.getInfo({ label: String(nth) }));
    }
    await clock.run(Promise.all(calls));
    const errors = sent.map((at, nth) => at - (reckoned[nth] as number));
    expect(sent).toHaveLength(150);
    // Where the shape of a window is not known yet, the units of a minute may also be spaced, which takes the seconds that they fill.
    expect(Math.max(...errors)).toBeLessThanOrEqual(67_000);
    expect(Math.min(...errors)).toBeGreaterThanOrEqual(-60_000);
  });
});

describe('maxWaitMs', () => {
  it('refuses with the instant at which the call would be sent behind those that wait, and not with the end of the standstill', async () => {
    const { clock, client } = await world({ keyless: { minute: 20 } });
    const others = quietly(Array.from({ length: 100 }, () => client.getInfo()));
    await clock.advance(20_000);
    const late = Array.from({ length: 20 }, () => refused(client.getInfo({ maxWaitMs: 1_000 })));
    const urgent = await refused(client.getInfo({ maxWaitMs: 1_000, priority: 1 }));
    for (const error of await Promise.all(late)) {
      expect(error?.window).toBe('minute');
      // 81 wait, and none of those that are refused is ahead of another.
      expect(error?.retryAt.getTime()).toBeGreaterThanOrEqual(Date.UTC(2026, 0, 15, 12, 4, 59));
      expect(error?.retryAt.getTime()).toBeLessThan(Date.UTC(2026, 0, 15, 12, 6));
    }
    expect(urgent?.retryAt.getTime()).toBeLessThan(Date.UTC(2026, 0, 15, 12, 1, 30));
    await clock.run(others);
    for (let nth = 0; nth < 20; nth++) await clock.run(quietly([client.getInfo({ maxWaitMs: 0 })]));
    expect((await refused(client.getInfo({ maxWaitMs: 0 })))?.retryAfterMs).toBeLessThan(61_000);
  });
});

describe('maxWaiting', () => {
  it('rejects the call that is one more, at once, and those under way do not count', async () => {
    const { clock, client } = await world(ROOMY, { maxWaiting: 3, concurrency: 2 });
    const calls = Array.from({ length: 5 }, () => client.getInfo());
    const error = await refused(client.getInfo());
    expect(error).toMatchObject({ window: 'queue', limit: 3, remaining: 0 });
    expect(error?.message).toContain('3 calls wait already, which is the maximum (option maxWaiting)');
    expect(client.waiting).toBe(3);
    await clock.run(Promise.all(calls));
    await clock.run(client.getInfo());
  });

  it('of 0 sends only what need not wait', async () => {
    const { clock, client } = await world(ROOMY, { maxWaiting: 0, concurrency: 1 });
    const first = client.getInfo();
    expect(await refused(client.getInfo())).toBeDefined();
    await clock.run(first);
  });

  it('lets a call that is attempted again return to its place', async () => {
    const { clock, client, service } = await world(ROOMY, { maxWaiting: 1, concurrency: 1 });
    service.faults.next(1, { status: 503 });
    const calls = [client.getInfo({ label: 'again' }), client.getInfo()];
    await clock.run(Promise.all(calls));
  });

  it('with reject-lowest rejects the last of the lowest priority, wherever it waits', async () => {
    const { clock, client } = await world(
      { ...ROOMY, ceilings: { assets: { limit: 1, period: 'minute' } }, headers: { generic: 'per endpoint ceiling' } },
      { maxWaiting: 3, onOverflow: 'reject-lowest', concurrency: 1 },
    );
    await clock.run(client.getAddressAssets(ADDRESS));
    const order: string[] = [];
    const call = (label: string, priority: number, parked = false) => {
      const made = parked ? client.getAddressAssets(ADDRESS, { priority }) : client.getInfo({ priority });
      return made.then(
        () => order.push(`${label} sent`),
        () => order.push(`${label} rejected`),
      );
    };
    const calls = [call('under way', 0), call('parked', -2, true), call('low', -1), call('high', 1)];
    await clock.advance(0);
    calls.push(call('higher', 2));
    await clock.advance(0);
    expect(order).toEqual(['parked rejected']);
    calls.push(call('as low', -1), call('highest', 3));
    await clock.advance(0);
    expect(order).toEqual(['parked rejected', 'as low rejected', 'low rejected']);
    await clock.run(Promise.all(calls));
    expect(order.slice(3)).toEqual(['under way sent', 'highest sent', 'higher sent', 'high sent']);
  });
});

describe('a call that is turned away because too many wait', () => {
  const turnedAway = async (priority: number): Promise<Set<number>> => {
    const { clock, client } = await world({}, { maxWaiting: 120, onOverflow: 'reject-lowest' });
    const errors: QuotaExhaustedError[] = [];
    const call = (options: CallOptions) => client.getInfo(options).catch((error) => void errors.push(error));
    const calls = Array.from({ length: 10 + 120 }, () => call({}));
    await clock.advance(0);
    calls.push(...Array.from({ length: 100 }, () => call({ priority })));
    await clock.advance(0);
    expect(errors.length).toBeGreaterThan(100);
    const { ms = Number.NaN } = client.estimate({ priority: 0 });
    await clock.run(Promise.all(calls));
    return new Set(errors.map(({ retryAfterMs }) => Math.round((retryAfterMs - ms) / 1_000)));
  };

  it('says when it would have been sent, and does not count itself', async () => {
    expect(await turnedAway(0)).toEqual(new Set([0]));
  });

  it('does not count others that were turned away in the same turn', async () => {
    expect(await turnedAway(1)).toEqual(new Set([0]));
  });
});

describe('client.queue', () => {
  it('says for each place when it will go, and not what the first waits for', async () => {
    const { clock, client } = await world();
    const sent = new Map<number, number>();
    client.subscribe((event) => {
      if (event.type === 'sent') sent.set(event.call, event.at.getTime());
    });
    const calls = quietly(Array.from({ length: 200 }, () => client.getInfo()));
    await clock.advance(8_000);
    const queue = client.queue({ limit: 1_000 });
    await clock.run(calls);
    expect(queue.length).toBeGreaterThan(100);
    for (const { call, until } of queue) {
      expect(Math.abs((sent.get(call) as number) - (until?.getTime() ?? 0))).toBeLessThan(5_000);
    }
  });
});
