import { expect, it } from 'vitest';
import { RecentTimes } from '../../../src/sharing/slots/recent-times.ts';

it('of the last few times a quantile counts, the lesser of two, and none before the first', () => {
  const times = new RecentTimes(3);
  expect(times.quantile(0.5)).toBe(undefined);
  const medians = [11, 45, 12, 45, 45].map((ms) => {
    times.add(ms);
    return times.quantile(0.5);
  });
  expect(medians).toEqual([11, 11, 12, 45, 45]);
  expect([0, 0.49, 0.99, 1].map((part) => times.quantile(part))).toEqual([12, 12, 45, 45]);
});
