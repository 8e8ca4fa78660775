import { describe, expect, it } from 'vitest';
import { forecast } from '../../../src/quota/forecast/forecast.ts';
import { calendar, ceiling, lastOf } from '../support/forecasts.ts';

describe('a forecast', () => {
  it('takes no longer for a thousand million requests', () => {
    const from = Date.UTC(2026, 0);
    const open = [calendar('second', 20), calendar('minute', 500)].map((window) => window(from));
    // 500 a minute.
    const { sentAt, window } = forecast([{ count: 1e9, cost: 1 }], open, from);
    expect([Math.abs((sentAt[0] as number) - from - 2e6 * 60_000) < 60_000, window]).toEqual([true, 'minute']);
    const month = calendar('month', 150_000)(from);
    const months = forecast([{ count: 12 * 150_000, cost: 1 }], [...open, month], from).sentAt[0] as number;
    expect(Math.abs(months - Date.UTC(2026, 11, 1, 5))).toBeLessThan(60_000);
  });

  it('goes on at the pace so far where windows never fall together', () => {
    const odd = [calendar('minute', 50), ceiling('GET /a', 40, Date.UTC(2026, 0) + 13, 60_000)];
    const open = odd.map((window) => window(Date.UTC(2026, 0)));
    const at = lastOf([{ endpoint: 'GET /a', count: 4e8, cost: 1 }], open, Date.UTC(2026, 0));
    expect(Math.abs((at - Date.UTC(2026, 0)) / (1e7 * 60_000) - 1)).toBeLessThan(0.001);
  });
});

describe('a forecast of more than a hundred windows', () => {
  it('takes what its units take at the limit where costs differ, one work after the other', () => {
    const minute = calendar('minute', 50)(0);
    const works = [
      { count: 1e6, cost: 3 },
      { count: 1e6, cost: 2 },
    ];
    const { sentAt, window } = forecast(works, [minute], 0);
    expect((sentAt[0] as number) / (6e4 * 60_000)).toBeCloseTo(1, 4);
    expect((sentAt[1] as number) / (1e5 * 60_000)).toBeCloseTo(1, 4);
    expect(window).toBe('minute');
  });

  it.for([
    ['nothing else', []],
    ['no others before', [{ count: 0, cost: 1 }]],
  ] as const)('has whole requests in each of them where all cost the same: %s', ([, before]) => {
    const works = [...before, { count: 1e6, cost: 30 }, { count: 0, cost: 2 }];
    const at = lastOf(works, [calendar('minute', 50)(0)], 0);
    expect(at / (1e6 * 60_000)).toBeCloseTo(1, 4);
  });

  it('takes from each month no more than it holds, and what fits the rest of this one', () => {
    const from = Date.UTC(2026, 1) - 10 * 60_000;
    const open = [calendar('minute', 500), calendar('month', 100_000)].map((window) => window(from));
    // 5,000 go in the last ten minutes of January, 100,000 in February, and the others in March.
    const { sentAt, window } = forecast([{ count: 110_000, cost: 1 }], open, from);
    expect(Math.abs((sentAt[0] as number) - Date.UTC(2026, 2, 1, 0, 10))).toBeLessThan(120_000);
    expect(window).toBe('month');
  });
});
