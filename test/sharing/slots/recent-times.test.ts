import { expect, it } from 'vitest';
import { RecentTimes } from '../../../src/sharing/slots/recent-times.ts';

it('of the last few times the one in the middle counts, the lesser of two, and none before the first', () => {
  const times = new RecentTimes(3);
  expect(times.median).toBe(undefined);
  const medians = [11, 45, 12, 45, 45].map((ms) => {
    times.add(ms);
    return times.median;
  });
  expect(medians).toEqual([11, 11, 12, 45, 45]);
});
