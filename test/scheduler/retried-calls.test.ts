import { describe, expect, it } from 'vitest';
import type { ServiceFault } from '../../src/testing/index.ts';
import { error, pair } from './support/called-service.ts';

describe('retries', () => {
  const faults: [string, ServiceFault][] = [
    ...[408, 425, 500, 502, 503, 504, 520, 527, 530].map((status): [string, ServiceFault] => [
      `a ${status}`,
      { status },
    ]),
    ['a connection that breaks', 'reset'],
    ['an answer that gets lost', 'lost'],
    ['a body that breaks off', 'truncate'],
  ];

  it.each(faults)('a fault that may pass, such as %s, is tried again', async (_, fault) => {
    const { mock, client, count, endOf } = pair();
    mock.faults.next(2, fault);
    expect(await endOf(client.getInfo())).toMatchObject({ data: {} });
    expect([count('sent'), count('retrying'), client.quota().inFlight]).toEqual([3, 2, 0]);
  });

  it('a call pauses before each further attempt for a random part of a bound that doubles', async () => {
    for (const chance of [0, 0.25, 0.999]) {
      const { mock, client, events, endOf, asked } = pair({ maxAttempts: 8, random: () => chance });
      mock.faults.next(7, { status: 500 });
      await endOf(client.getInfo());
      const bounds = [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000];
      const pauses = events.flatMap((event) => (event.type === 'retrying' ? [event.afterMs] : []));
      expect(pauses).toEqual(bounds.map((bound) => bound * chance));
      const gaps = asked()
        .map(({ at }, nth, all) => at - (all[nth - 1]?.at ?? at) - 100)
        .slice(1);
      for (const [nth, gap] of gaps.entries()) expect(gap).toBeCloseTo(pauses[nth] ?? -1);
    }
  });

  it('a fault that may pass is the caller’s when the attempts are used up', async () => {
    const { mock, client, count, endOf } = pair({ maxAttempts: 2 });
    mock.faults.next(2, 'reset');
    const broken = error('ConnectionError', { code: 'ECONNRESET', attempts: 2, endpoint: 'GET /extended/v1/info' });
    expect(await endOf(client.getInfo())).toEqual(broken);
    mock.faults.next(2, { status: 503, body: '{"error":"busy"}' });
    expect(await endOf(client.getInfo())).toEqual(error('ServiceError', { status: 503, body: { error: 'busy' } }));
    expect(count('sent')).toBe(4);
  });

  it.each([400, 401, 404, 410, 501])('an answer of %i is not tried again', async (status) => {
    const { mock, client, count, endOf } = pair();
    mock.faults.next(1, { status });
    expect(await endOf(client.getInfo())).toEqual(error('ServiceError', { status }));
    expect(count('sent')).toBe(1);
  });

  it('a call that has tries left is not given up because the budget of retries is spent: the retry waits until it is refilled', async () => {
    const { clock, mock, client, events, endOf } = pair({ random: () => 0 });
    const isDown = (): boolean => clock.now() < 20_000;
    mock.faults.when(() => (isDown() ? { status: 500 } : undefined));
    const ends = await endOf(
      Promise.allSettled(Array.from({ length: 12 }, () => client.getInfo({ maxWaitMs: 60_000 }))),
    );
    expect(ends).toEqual(Array(12).fill(expect.objectContaining({ reason: expect.objectContaining({ status: 500 }) })));
    const retries = events.flatMap((event) => (event.type === 'retrying' ? [event.afterMs] : []));
    expect(retries).toHaveLength(2 * 12);
    expect(retries.slice(0, 10)).toEqual(Array(10).fill(0));
    expect(Math.max(...retries)).toBeGreaterThan(10_000);
  });

  it('a retry that waits for the budget goes as soon as its endpoint serves again, two for each success', async () => {
    const { clock, mock, client } = pair({}, { keyless: { second: 20, minute: 10_000 } });
    await clock.run(Promise.all([client.getInfo(), client.getInfo()]));
    const from = clock.now();
    mock.faults.when(() => (clock.now() < from + 30_000 ? { status: 500 } : undefined));
    const ends: number[] = [];
    const ask = (): void =>
      void client.getInfo().then(
        () => ends.push(clock.now() - from),
        () => {},
      );
    for (let call = 0; call < 60; call++) ask();
    for (let second = 0; second < 40; second++) {
      ask();
      await clock.advance(1_000);
    }
    expect(client.waiting).toBe(0);
    expect(ends.length).toBeGreaterThan(50);
    expect(Math.max(...ends)).toBeLessThan(40_000);
  });

  it('a success lets two of them go, and not all at once', async () => {
    const { clock, mock, ask, asked } = pair({ random: () => 0, maxWaitMs: 60_000, maxAttempts: 9 });
    await clock.run(ask(0));
    mock.faults.next(30, { status: 500 });
    await clock.run(Promise.all(Array.from({ length: 20 }, (_, nth) => ask(nth))));
    const together = Map.groupBy(asked(), ({ at }) => at);
    // The last 20 requests are served.
    expect(Array.from(together.values(), ({ length }) => length).slice(-5)).toEqual([1, 2, 4, 8, 5]);
  });

  it.each<[string, ServiceFault]>([
    ['breaks every connection', 'reset'],
    ['answers nothing but 503', { status: 503 }],
    // No sign of an outage, so nothing but the budget spaces them.
    ['answers nothing but 500', { status: 500 }],
  ])('retries are ten and one a second where the service %s', async (_, fault) => {
    const { clock, mock, client, count, endOf } = pair({ maxAttempts: 2 });
    mock.faults.when(() => fault);
    for (let call = 0; call < 50; call++) await endOf(client.getInfo());
    expect(count('sent')).toBe(2 * 50);
    expect(clock.now()).toBeGreaterThanOrEqual(39_000);
  });

  it('a call whose patience is shorter than the wait for the budget of retries ends with its fault', async () => {
    const { mock, client, count, endOf } = pair({ random: () => 0 });
    mock.faults.when(() => ({ status: 500 }));
    await endOf(Promise.allSettled(Array.from({ length: 30 }, () => client.getInfo({ maxWaitMs: 5_000 }))));
    expect(count('sent')).toBeLessThan(60);
  });
});
