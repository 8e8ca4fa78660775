import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/index.ts';
import { createMockService, type MockServiceOptions, seeded, virtualClock } from '../../../src/testing/index.ts';
import { cases, DEEP, runs } from '../../support/deep.ts';

const KEY = '0123456789abcdef0123456789abcdef';

/** Makes calls to a service that names no limit, all at once. */
async function callsTo(count: number, options: Partial<MockServiceOptions>) {
  const clock = virtualClock({ wall: Date.UTC(2026, 2, 10, 14, 0, 7, 300) });
  const headers = { family: false, generic: false, cost: false };
  const mock = createMockService({ clock, keys: [KEY], latencyMs: [40, 200], random: seeded(3), headers, ...options });
  const client = createClient({ baseUrl: mock.origin, apiKey: KEY, fetch: mock.fetch, clock, random: seeded(9) });
  await clock.run(Promise.all(Array.from({ length: count }, () => client.getInfo())));
  const later = mock.log.filter(({ at }) => at > 60_000);
  return {
    refused: mock.log.filter(({ limited }) => limited).length,
    refusedLater: later.filter(({ limited }) => limited).length / later.length,
    seconds: clock.now() / 1_000,
  };
}

const CALLS = runs(700, 2_000);

describe('a service that names no limit and refuses', () => {
  const services = cases<[string, Partial<MockServiceOptions>, number]>(
    [['10 a second, with nothing but 429', { keyed: { second: 10 }, limited: { retryAfter: 'none' } }, 10]],
    [
      ['20 a second, with nothing but 429', { keyed: { second: 20 }, limited: { retryAfter: 'none' } }, 20],
      ['20 a second, with retry-after', { keyed: { second: 20 } }, 20],
      ['20 a second by a sliding log', { keyed: { second: 20 }, windows: 'sliding-log' }, 20],
      ['500 a minute by a leaky bucket', { keyed: { minute: 500 }, windows: 'leaky' }, 500 / 60],
    ],
  );

  it.each(services)('is found and kept: %s', async (_, options, perSecond) => {
    const { refusedLater, seconds } = await callsTo(CALLS, options);
    expect(refusedLater).toBeLessThan(0.01);
    expect(seconds).toBeLessThan(CALLS / perSecond / 0.83);
  });
});

describe('a limit of 5 a second that no answer names', () => {
  it.runIf(DEEP)('is used again within three minutes after it was doubled', async () => {
    const clock = virtualClock({ wall: Date.UTC(2026, 2, 10, 14, 0, 7, 300) });
    const headers = { family: false, generic: false, cost: false };
    const mock = createMockService({ clock, keys: [KEY], keyed: { second: 5 }, latencyMs: 90, headers });
    const client = createClient({ baseUrl: mock.origin, apiKey: KEY, fetch: mock.fetch, clock, random: seeded(9) });
    clock.timer(300_000, () => mock.setLimits({ keyed: { second: 10 } }));
    await clock.run(Promise.all(Array.from({ length: 4_000 }, () => client.getInfo())));
    const late = mock.log.filter(({ at, limited }) => !limited && at > 480_000);
    const seconds = ((late.at(-1)?.at ?? 0) - 480_000) / 1_000;
    expect(seconds).toBeGreaterThan(10);
    expect(late.length / seconds).toBeGreaterThan(7.5);
  });
});

describe('a minute of 500 that no answer names', () => {
  it('is found with no more than twenty requests refused, although they follow each other as fast as they are served', async () => {
    const { refused } = await callsTo(600, { keyed: { minute: 500 } });
    expect(refused).toBeLessThanOrEqual(20);
  });
});

describe('a service whose first answer is a refusal', () => {
  it('is used as soon as it serves', async () => {
    const headers = { family: false, generic: false };
    const clock = virtualClock();
    const mock = createMockService({ clock, keys: [KEY], keyed: { second: 200 }, latencyMs: 50, headers });
    let requests = 0;
    mock.faults.when(() => (++requests === 1 ? { status: 429, headers: { 'retry-after': '3' } } : undefined));
    const client = createClient({ baseUrl: mock.origin, apiKey: KEY, fetch: mock.fetch, clock, random: seeded(9) });
    await clock.run(Promise.all(Array.from({ length: 40 }, () => client.getInfo())));
    expect(clock.now()).toBeLessThan(5_000);
  });
});
