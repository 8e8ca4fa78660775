import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import { createMockService, type MockServiceOptions, virtualClock } from '../../src/testing/index.ts';
import { mockWorld } from '../support/mock-world.ts';

const DAY_MS = 86_400_000;
const NOON = Date.UTC(2026, 0, 16, 12);

function world(options: MockServiceOptions = {}) {
  return mockWorld({ keyless: { minute: 1_000, month: 31_000 }, ...options }, {}, NOON);
}

describe('the month', () => {
  it('is undefined until the service has named it', async () => {
    const { clock, client } = world({ keyless: { minute: 1_000 } });
    expect(client.month()).toBeUndefined();
    await clock.run(client.getInfo());
    expect(client.month()).toBeUndefined();
  });

  it('says what is left, when it will be used up at the present pace, and which pace it allows', async () => {
    const { clock, service, client } = world();
    service.spend(24_799);
    await clock.run(client.getInfo());
    const month = client.month();
    // 24,800 in fifteen days and a half is 1,600 a day, so 6,200 last a bit less than four days.
    expect(month).toMatchObject({ limit: 31_000, used: 24_800, remaining: 6_200 });
    expect(month?.perDay).toBeCloseTo(1_600, 0);
    expect(month?.affordablePerDay).toBeCloseTo(400, 0);
    expect(month?.runsOutAt?.toISOString()).toMatch(/^2026-01-20T09:0/);
    expect(Math.abs(Number(month?.resetsAt) - Date.UTC(2026, 1))).toBeLessThan(2_000);
  });

  it('lasts, and does not run out, where the pace is slow enough', async () => {
    const { clock, service, client } = world();
    service.spend(1_000);
    await clock.run(client.getInfo());
    expect(client.month()).not.toHaveProperty('runsOutAt');
  });

  it('goes by the service’s clock, and states instants by the clock of this machine', async () => {
    const clock = virtualClock({ wall: NOON + 40 * DAY_MS });
    const service = createMockService({
      clock: { ...clock, wall: () => clock.wall() - 40 * DAY_MS },
      keyless: { minute: 1_000, month: 31_000 },
    });
    service.spend(24_799);
    const client = createClient({ baseUrl: service.origin, fetch: service.fetch, clock });
    await clock.run(client.getInfo());
    const inDays = (date?: Date): number => (Number(date) - clock.wall()) / DAY_MS;
    expect(inDays(client.month()?.resetsAt)).toBeCloseTo(15.5, 2);
    expect(inDays(client.month()?.runsOutAt)).toBeCloseTo(3.875, 2);
  });
});
