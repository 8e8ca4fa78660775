import { describe, expect, it } from 'vitest';
import { isQuotaExhausted, type QuotaExhaustedError } from '../../src/index.ts';
import { worldOf } from './support/world.ts';

const DAY_MS = 86_400_000;
const LONG_S = 3_000_000;

/** What a call came to: `ok`, or its error. */
const outcomeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'ok',
    (error: unknown) => error,
  );

describe('a retry-after of 34.7 days, longer than any timer', () => {
  it('is one hit and an error that says when to come back', async () => {
    const { clock, service, ask } = worldOf();
    service.faults.next(1, { status: 429, headers: { 'retry-after': String(LONG_S) } });
    const error = await clock.run(outcomeOf(ask(1)));
    expect(isQuotaExhausted(error)).toBe(true);
    expect((error as QuotaExhaustedError).retryAt.getTime()).toBeGreaterThanOrEqual(
      clock.wall() + LONG_S * 1_000 - 1_000,
    );
    expect(service.requests).toBe(1);
  });

  it('refuses everyone who comes meanwhile without a request, and lets them through after it', async () => {
    const { clock, service, ask } = worldOf();
    service.faults.next(1, { status: 429, headers: { 'retry-after': String(LONG_S) } });
    await clock.run(outcomeOf(ask(1)));
    await clock.advance(30 * DAY_MS);
    expect(isQuotaExhausted(await clock.run(outcomeOf(ask(2))))).toBe(true);
    expect(service.requests).toBe(1);
    await clock.advance(5 * DAY_MS);
    expect(await clock.run(outcomeOf(ask(3)))).toBe('ok');
  });

  it('is waited out in full by a caller who has the patience', async () => {
    const { clock, service, client } = worldOf();
    const leftS = (): number => LONG_S - Math.floor(clock.now() / 1_000);
    service.faults.when(() => (leftS() > 0 ? { status: 429, headers: { 'retry-after': String(leftS()) } } : undefined));
    await clock.run(() => client.getInfo({ maxWaitMs: Number.POSITIVE_INFINITY }));
    // Between the two there are the client's own looks, one an hour.
    const [first, second, ...more] = service.log.filter(({ method }) => method === 'GET');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(LONG_S * 1_000);
    expect(more).toEqual([]);
    expect(service.requests).toBeLessThanOrEqual(2 + LONG_S / 3_600);
  });
});

describe('the boundary of a reset', () => {
  it.for(['epoch-seconds', 'epoch-ms', 'seconds-left'] as const)(
    'is never crossed early, told as %s',
    async (reset) => {
      const { clock, service, client } = worldOf({
        reset,
        keyed: { minute: 5 },
        headers: { family: false, cost: false },
        skewMs: 700,
      });
      await clock.run(() => Promise.all(Array.from({ length: 12 }, () => client.getInfo())));
      expect(service.limited).toBe(0);
      expect(service.requests).toBe(12);
    },
  );

  it('is waited for when a refusal names it and no retry-after', async () => {
    const { clock, service, client } = worldOf({ keyed: { minute: 5 }, limited: { retryAfter: 'none' } });
    service.spend(5, 'a-key');
    await clock.run(() => client.getInfo());
    expect(service.limited).toBe(1);
    expect(service.requests).toBe(2);
  });
});

describe('a month that ends in the middle', () => {
  it('lets no request through after the last unit, and tells every caller at once', async () => {
    const { clock, service, ask } = worldOf({ keyed: { second: 20, minute: 500, month: 300 } });
    const calls = Array.from({ length: 1_000 }, (_, number) => outcomeOf(ask(number)));
    const outcomes = await clock.run(Promise.all(calls));
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(300);
    expect(outcomes.filter(isQuotaExhausted)).toHaveLength(700);
    expect(service.requests).toBe(300);
    expect(clock.now()).toBeLessThan(20_000);
  });

  it('names the month and its end', async () => {
    const { clock, client } = worldOf({ keyed: { month: 1 } });
    await clock.run(() => client.getInfo());
    const error = (await clock.run(outcomeOf(client.getInfo()))) as QuotaExhaustedError;
    expect(error).toMatchObject({ name: 'QuotaExhaustedError', window: 'month', limit: 1, remaining: 0 });
    expect(error.retryAt.getTime()).toBeGreaterThanOrEqual(Date.UTC(2026, 1));
    // Late by what two clocks may drift apart in a month, and no more.
    expect(error.retryAt.getTime()).toBeLessThan(Date.UTC(2026, 1) + 600_000);
  });

  it('ends for everyone with the first refusal, should others have spent it', async () => {
    const { clock, service, ask } = worldOf({ keyed: { second: 20, minute: 500, month: 1_000 } });
    await clock.run(ask(0));
    service.spend(999, 'a-key');
    const outcomes = await clock.run(Promise.all(Array.from({ length: 500 }, (_, number) => outcomeOf(ask(number)))));
    expect(outcomes.every(isQuotaExhausted)).toBe(true);
    // Those that were in flight when the first refusal came, and no more.
    expect(service.requests).toBeLessThanOrEqual(1 + 20);
  });
});
