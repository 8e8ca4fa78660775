import { describe, expect, it } from 'vitest';
import { isQuotaExhausted, type QuotaExhaustedError } from '../../src/index.ts';
import { outcomeOf } from './support/outcome.ts';
import { worldOf } from './support/world.ts';

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
    const { clock, service, ask } = worldOf({ keyed: { second: 20, minute: 500, month: 100 } });
    const calls = Array.from({ length: 300 }, (_, number) => outcomeOf(ask(number)));
    const outcomes = await clock.run(Promise.all(calls));
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(100);
    expect(outcomes.filter(isQuotaExhausted)).toHaveLength(200);
    expect(service.requests).toBe(100);
    expect(clock.now()).toBeLessThan(10_000);
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
