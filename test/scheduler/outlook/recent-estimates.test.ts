import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/index.ts';
import {
  type EstimateBasis,
  type EstimateSubject,
  RecentEstimates,
} from '../../../src/scheduler/outlook/recent-estimates.ts';
import { createMockService, virtualClock } from '../../../src/testing/index.ts';

const SUBJECT = {
  endpoint: 'GET /a',
  priority: 0,
  count: 1,
  size: 0,
  reckoning: 'likely' as const,
  key: 1,
  pausedUntil: 0,
  concurrency: 8,
};

/** How many estimates were made for these, one after the other. */
function madeFor(...asked: readonly Partial<EstimateBasis & EstimateSubject>[]): number {
  const recent = new RecentEstimates();
  let made = 0;
  const make = (): undefined => void made++;
  for (const { now = 0, moved = 0, ahead = 25_600, ...subject } of asked)
    recent.of({ ...SUBJECT, ...subject }, { now, moved, ahead }, make);
  return made;
}

describe('an estimate', () => {
  it('is read again while hardly any of the work ahead has moved', () => {
    expect(madeFor({}, { moved: 1 }, { moved: 99, now: 250 })).toBe(1);
    expect(madeFor({}, { moved: 100 })).toBe(2);
    expect(madeFor({}, { moved: 99 }, { moved: 198 })).toBe(2);
    expect(madeFor({ now: 1_000 }, { now: 1_250 })).toBe(1);
  });

  it('is made anew where few are ahead, later, and for another call, key, pause or concurrency', () => {
    expect(madeFor({ ahead: 8_000 }, { ahead: 8_000, moved: 2 })).toBe(2);
    expect(madeFor({ ahead: 0 }, { ahead: 0 })).toBe(2);
    expect(madeFor({ ahead: 8_192 }, { ahead: 8_192 })).toBe(1);
    expect(madeFor({}, { now: 251 })).toBe(2);
    const others = [{ endpoint: 'GET /b' }, { priority: 1 }, { count: 2 }, { size: 1 }, { reckoning: 'sure' as const }];
    for (const other of [...others, { key: 2 }, { pausedUntil: 1 }, { concurrency: 9 }])
      expect(madeFor({}, other, {}, other), JSON.stringify(other)).toBe(2);
  });

  it('is kept for few of them, the last', () => {
    const counts = Array.from({ length: 64 }, (_, nth) => ({ count: nth }));
    expect(madeFor(...counts, ...counts)).toBe(64);
    expect(madeFor(...counts, { count: 64 }, { count: 1 }, { count: 0 })).toBe(66);
    const anew = counts.map(({ count }) => ({ priority: 1, moved: 100 * count }));
    expect(madeFor({}, ...anew, {})).toBe(65);
  });
});

describe('the estimate of a client with thousands of calls waiting', () => {
  it('counts a pause at once, and others within a window however they come', async () => {
    const clock = virtualClock({ wall: Date.UTC(2026, 0, 15, 12, 0, 10) });
    const service = createMockService({ clock, latencyMs: 80, keyless: { minute: 500 } });
    const client = createClient({ baseUrl: service.origin, fetch: service.fetch, clock });
    await clock.run(client.getInfo());
    const errors: number[] = [];
    const calls: Promise<unknown>[] = [];
    for (let waiting = 0; waiting < 3_000; waiting++) {
      const priority = waiting % 3;
      const label = String(waiting);
      // Only the last ones of each 500 are compared.
      const { finishesAt } = waiting % 500 < 488 ? {} : client.estimate({ priority });
      calls.push(client.getInfo({ priority, label, maxWaitMs: Infinity }).catch(() => {}));
      if (waiting % 500 < 497) continue;
      const { until } = client.queue({ limit: 3_000 }).find((call) => call.label === label) ?? {};
      errors.push(Number(until) - Number(finishesAt));
    }
    expect(errors).toHaveLength(18);
    expect(Math.max(...errors.map(Math.abs))).toBeLessThan(61_000);
    const before = client.estimate().ms ?? Number.NaN;
    client.pause(600_000);
    expect(client.estimate().ms).toBeGreaterThan(before + 500_000);
    client.resume();
    await clock.run(Promise.all([client.close(), ...calls]));
    expect(client.estimate().ms).toBeLessThan(61_000);
  });
});
