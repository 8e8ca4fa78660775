import { describe, expect, it } from 'vitest';
import { isQuotaExhausted } from '../../src/index.ts';
import { world } from './support/two-keys.ts';

/** How much of a minute's units a service has served, in each whole minute between the first and the last. */
function minutesUsed({ log }: { readonly log: readonly { serviceTime: number }[] }, limit: number): readonly number[] {
  const minutes = new Map<number, number>();
  for (const { serviceTime } of log) {
    const minute = Math.floor(serviceTime / 60_000);
    minutes.set(minute, (minutes.get(minute) ?? 0) + 1);
  }
  return [...minutes.entries()]
    .sort(([one], [other]) => one - other)
    .slice(1, -1)
    .map(([, used]) => used / limit);
}

describe('a pool of two keys with different plans', () => {
  it('uses both quotas, and is refused nothing', async () => {
    const plans = [
      { second: 10, minute: 20 },
      { second: 25, minute: 50 },
    ] as const;
    const { services, calls, limited } = world(plans, { options: { maxWaitMs: Infinity } });
    await calls(260);
    expect(limited()).toBe(0);
    const used = services.map((one, nth) => minutesUsed(one, plans[nth]?.minute ?? 0));
    for (const minutes of used) {
      expect(minutes.length).toBeGreaterThanOrEqual(2);
      expect(Math.min(...minutes)).toBeGreaterThanOrEqual(0.95);
    }
  });

  it('divides hundreds of calls at once by what each can send, although nothing is known of either', async () => {
    const { calls, requests, clock } = world([{ minute: 40 }, { minute: 360 }]);
    await calls(400);
    expect(Math.abs((requests()[0] ?? 0) - 40)).toBeLessThanOrEqual(4);
    expect(clock.now()).toBeLessThan(120_000);
  });

  it('passes over a key whose month is out', async () => {
    const { calls, requests, services, limited } = world([
      { minute: 5_000, month: 1_000 },
      { minute: 5_000, month: 1_000 },
    ]);
    services[0]?.spend(995, '0-key');
    await calls(100);
    expect(requests()[0]).toBeLessThanOrEqual(6);
    expect((requests()[0] ?? 0) + (requests()[1] ?? 0)).toBeGreaterThanOrEqual(100);
    expect(limited()).toBe(0);
  });

  it('leaves no call with a key whose last units of the month are kept for others', async () => {
    const month = 100_000;
    const { clock, pool, calls, services, limited } = world([
      { second: 5, minute: 120, month },
      { second: 5, minute: 120, month },
    ]);
    await calls(20);
    services[0]?.spend(month - 25, '0-key');
    for (let second = 0; second < 60; second++) {
      const from = clock.now();
      await clock.run(Promise.all([pool.getInfo(), pool.getInfo()]));
      expect(clock.now() - from).toBeLessThan(5_000);
      await clock.advance(2_000);
    }
    // The others filled the minute, too.
    expect(limited()).toBe(1);
  });

  it('cuts no request that is under way, and leaves a call where it is that goes as soon there', async () => {
    const { clock, pool, calls, requests, limited } = world([{ minute: 100 }, { minute: 100 }], {
      service: { latencyMs: 4_000 },
    });
    await calls(2);
    const before = requests();
    await calls(300);
    expect(requests().reduce((sum, one) => sum + one, 0) - before.reduce((sum, one) => sum + one, 0)).toBe(300);
    expect(limited()).toBe(0);
    await clock.run(pool.close());
  });

  it('fails a call with the sooner of two instants where no key can send it in time', async () => {
    const { clock, pool, services, calls } = world([{ month: 100 }, { minute: 100 }], {
      options: { maxWaitMs: 1_000 },
    });
    await calls(4);
    services[0]?.spend(100, '0-key');
    services[1]?.spend(100, '1-key');
    const errors = await clock.run(
      Promise.all([1, 2, 3, 4].map(() => pool.getInfo().catch((error: unknown) => error))),
    );
    const last = errors.at(-1);
    // The other one is out for the month.
    expect(isQuotaExhausted(last) && last.retryAfterMs).toBeLessThan(120_000);
  });
});

describe('a pool', () => {
  it('estimates each client once for a call', async () => {
    const { clients, calls } = world([{ minute: 200 }, { minute: 800 }]);
    await calls(2);
    let estimates = 0;
    for (const client of clients) {
      const { estimate } = client;
      client.estimate = (options) => {
        estimates++;
        return estimate(options);
      };
    }
    await calls(10);
    expect(estimates).toBe(20);
  });
});
