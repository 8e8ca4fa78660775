import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import { createMockService, type MockServiceOptions, virtualClock } from '../../src/testing/index.ts';

const DAY_MS = 86_400_000;
const NOON = Date.UTC(2026, 0, 16, 12);

function client(options: MockServiceOptions = {}) {
  const clock = virtualClock({ wall: NOON });
  const mock = createMockService({ clock, keyless: { minute: 1_000, month: 31_000 }, ...options });
  return { clock, mock, client: createClient({ baseUrl: mock.origin, fetch: mock.fetch, clock }) };
}

describe('the month', () => {
  it('is undefined until the service has named it', async () => {
    const { clock, client: one } = client({ keyless: { minute: 1_000 } });
    expect(one.month()).toBeUndefined();
    await clock.run(one.getInfo());
    expect(one.month()).toBeUndefined();
  });

  it('says what is left, when it will be used up at the present pace, and which pace it allows', async () => {
    const { clock, mock, client: one } = client();
    mock.spend(24_799);
    await clock.run(one.getInfo());
    const month = one.month();
    // 24,800 in fifteen days and a half is 1,600 a day, so 6,200 last a bit less than four days.
    expect(month).toMatchObject({ limit: 31_000, used: 24_800, remaining: 6_200 });
    expect(month?.perDay).toBeCloseTo(1_600, 0);
    expect(month?.affordablePerDay).toBeCloseTo(400, 0);
    expect(month?.runsOutAt?.toISOString()).toMatch(/^2026-01-20T09:0/);
    expect(Math.abs(Number(month?.resetsAt) - Date.UTC(2026, 1))).toBeLessThan(2_000);
  });

  it('lasts, and does not run out, where the pace is slow enough', async () => {
    const { clock, mock, client: one } = client();
    mock.spend(1_000);
    await clock.run(one.getInfo());
    expect(one.month()).not.toHaveProperty('runsOutAt');
  });

  it('goes by the service’s clock, and states instants by the clock of this machine', async () => {
    const clock = virtualClock({ wall: NOON + 40 * DAY_MS });
    const mock = createMockService({
      clock: { ...clock, wall: () => clock.wall() - 40 * DAY_MS },
      keyless: { minute: 1_000, month: 31_000 },
    });
    mock.spend(24_799);
    const one = createClient({ baseUrl: mock.origin, fetch: mock.fetch, clock });
    await clock.run(one.getInfo());
    const inDays = (date?: Date): number => (Number(date) - clock.wall()) / DAY_MS;
    expect(inDays(one.month()?.resetsAt)).toBeCloseTo(15.5, 2);
    expect(inDays(one.month()?.runsOutAt)).toBeCloseTo(3.875, 2);
  });
});
