import { describe, expect, it } from 'vitest';
import { isQuotaExhausted } from '../../src/index.ts';
import { virtualClock } from '../../src/testing/index.ts';
import { outcomeOf } from './support/outcome.ts';
import { worldOf } from './support/world.ts';

const DAY_MS = 86_400_000;

describe('a retry-after longer than any window', () => {
  const HOUR_MS = 3_600_000;
  const absurd = [
    ['more than a month', '3000000'],
    ['a timestamp', '1793872860'],
    ['a timestamp in milliseconds', '1793872860000'],
    ['the milliseconds of a minute', '60000'],
    ['a date in 2081', 'Wed, 05 Nov 2081 10:00:00 GMT'],
    ['a number too long to read', '9'.repeat(40)],
    ['a number of 300 digits', '9'.repeat(300)],
  ] as const;

  it.each(absurd)('that is %s holds all calls and is looked at every hour, by one request', async (_, text) => {
    const { clock, service, client } = worldOf();
    await clock.run(client.getInfo());
    const isOver = (): boolean => clock.now() > 2.5 * HOUR_MS;
    service.faults.when(() => (isOver() ? undefined : { status: 429, headers: { 'retry-after': text } }));
    const calls = Array.from({ length: 3 }, () => client.getInfo({ maxWaitMs: HOUR_MS }));
    await clock.run(Promise.all(calls));
    const asked = service.log.filter(({ method }) => method === 'GET');
    const hours = asked.slice(1).map(({ at }) => Math.round((at - (asked[1]?.at ?? 0)) / HOUR_MS));
    expect(hours.slice(-3)).toEqual([3, 3, 3]);
    expect(hours.filter((hour) => hour === 1 || hour === 2)).toEqual([1, 2]);
  });

  it('is an error at once for a call that may not wait for an hour, and no request', async () => {
    const { clock, service, ask } = worldOf();
    service.faults.next(1, { status: 429, headers: { 'retry-after': '3000000' } });
    const error = await clock.run(outcomeOf(ask(1)));
    expect(isQuotaExhausted(error)).toBe(true);
    expect(isQuotaExhausted(await clock.run(outcomeOf(ask(2))))).toBe(true);
    expect(service.requests).toBe(1);
    await clock.advance(HOUR_MS);
    expect(await clock.run(outcomeOf(ask(3)))).toBe('ok');
  });

  it('is heeded to the last second where it is no longer than a window, but for one call an hour', async () => {
    const { clock, service, client } = worldOf({ keyed: { minute: 500, day: 10_000 } });
    await clock.run(client.getInfo());
    const leftS = (): number => Math.ceil(80_000 - clock.now() / 1_000);
    service.faults.when(() => (leftS() > 0 ? { status: 429, headers: { 'retry-after': String(leftS()) } } : undefined));
    await clock.run(() => client.getInfo({ maxWaitMs: DAY_MS }));
    const [, ...sent] = service.log.map(({ at }) => at);
    const gaps = sent.slice(1).map((at, nth) => at - (sent[nth] ?? 0));
    expect(Math.min(...gaps.slice(0, -1))).toBeGreaterThanOrEqual(HOUR_MS);
    expect(sent.at(-1)).toBeGreaterThanOrEqual(79_990_000);
  });
});

describe('a retry-after of days of one endpoint', () => {
  const HOUR_MS = 3_600_000;
  const refusal = { status: 429, headers: { 'retry-after': '259200' } };

  /** A faucet that refuses for so many hours, beside an endpoint that is called each minute for as long as the faucet's call waits. */
  async function faucetFor(hours: number) {
    const routes = { 'GET /served': () => ({}), 'GET /faucet': () => ({}) };
    const { clock, service, client } = worldOf({ keyed: { minute: 500, month: 150_000 }, routes });
    await clock.run(Promise.all([client.get('/served'), client.get('/faucet')]));
    service.faults.when(({ url }) =>
      url.pathname === '/faucet' && clock.now() < hours * HOUR_MS ? refusal : undefined,
    );
    let isOver = false;
    const waits: number[] = [];
    const call = client.get('/faucet', { maxWaitMs: Infinity }).finally(() => {
      isOver = true;
    });
    const serve = async (): Promise<void> => {
      while (!isOver) {
        const from = clock.now();
        await client.get('/served');
        waits.push(clock.now() - from);
        await clock.sleep(60_000);
      }
    };
    await clock.run(Promise.all([call, serve()]));
    const sent = service.log.filter(({ endpoint }) => endpoint === 'GET /faucet');
    return { hours: sent.slice(1).map(({ at }) => Math.round(at / HOUR_MS)), longest: Math.max(...waits) };
  }

  it('is looked at every hour, by one request, while the other endpoints are served', async () => {
    const { hours, longest } = await faucetFor(2.5);
    expect(hours).toEqual([0, 1, 2, 3]);
    expect(longest).toBeLessThan(1_000);
  });
});

describe('a retry-after that ends before our reckoning has room', () => {
  const FULL = { 'x-ratelimit-limit-stacks-minute': '500', 'x-ratelimit-remaining-stacks-minute': '0' };
  const REFUSAL = { status: 429, counted: false, headers: { 'retry-after': '5', ...FULL } };

  /** When each request of twenty calls was sent, in seconds of the minute, and how it was answered; `times` are refused in a row. */
  async function sentWhenRefused(times: number): Promise<[second: number, status: number][]> {
    const clock = virtualClock({ wall: Date.UTC(2026, 2, 10, 14, 0, 5) });
    const { service, client } = worldOf({ clock, keyed: { minute: 500 }, latencyMs: 100 }, { clock });
    await clock.run(client.getInfo());
    const sent: [number, number][] = [];
    client.subscribe((event) => {
      if (event.type === 'answered') sent.push([(event.at.getTime() % 60_000) / 1_000 - 0.1, event.status]);
    });
    service.faults.next(times, REFUSAL);
    await clock.run(client.getInfo());
    await clock.run(Promise.all(Array.from({ length: 20 }, () => client.getInfo())));
    return sent;
  }

  it('lets one request go by the service’s word, whose answer mends the reckoning for all others', async () => {
    const [refused, ...served] = await sentWhenRefused(1);
    expect(refused?.[1]).toBe(429);
    expect(served.map(([, status]) => status)).toEqual(Array(21).fill(200));
    expect(served[0]?.[0]).toBeCloseTo((refused?.[0] ?? 0) + 5.1, 1);
    // All in the minute that was full.
    const seconds = served.map(([second]) => second);
    expect(seconds).toEqual(seconds.toSorted((a, b) => a - b));
  });

  it('lets the reckoning win where that request is refused, too', async () => {
    const [first, second, third, ...others] = await sentWhenRefused(2);
    expect([first?.[1], second?.[1], third?.[1]]).toEqual([429, 429, 200]);
    expect(second?.[0]).toBeCloseTo((first?.[0] ?? 0) + 5.1, 1);
    // In the next minute.
    expect(third?.[0]).toBeLessThan(second?.[0] ?? 0);
    expect(others).toHaveLength(20);
  });
});

describe('a pause of a month', () => {
  it.each(['retry-after', 'ratelimit-reset'])(
    'ends with the month, though %s counts 30 days for February',
    async (name) => {
      // Not on the hour: the hourly look of a paused client would come at midnight, too.
      const clock = virtualClock({ wall: Date.UTC(2026, 1, 27, 12, 20) });
      const { service, client } = worldOf({ clock, keyed: { minute: 500, month: 150_000 } }, { clock });
      await clock.run(client.getInfo());
      const leftS = (): number => Math.ceil((Date.UTC(2026, 2, 3) - clock.wall()) / 1_000);
      const isOver = (): boolean => clock.wall() >= Date.UTC(2026, 2, 1);
      service.faults.when(() => (isOver() ? undefined : { status: 429, headers: { [name]: String(leftS()) } }));
      await clock.run(() => client.getInfo({ maxWaitMs: 10 * DAY_MS }));
      expect(new Date(clock.wall()).toISOString()).toMatch(/^2026-03-01T00:00:/);
    },
  );
});
