import { describe, expect, it } from 'vitest';
import { createClient, type QuotaExhaustedError } from '../../src/index.ts';
import { createMockService, virtualClock } from '../../src/testing/index.ts';
import { wire } from '../support/wire.ts';
import { ADDRESS, quietly, refusedSoon, world } from './support/deadline-world.ts';

describe('maxQueueMs', () => {
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
});
