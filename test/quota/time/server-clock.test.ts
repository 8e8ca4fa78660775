import { describe, expect, it } from 'vitest';
import { ServerClock } from '../../../src/quota/time/server-clock.ts';

/** A clock that has heard, every 90 ms, what a service says whose clock is `lead` ms ahead, its answers taking 40 ms. */
function heard(lead: number, { from = 0, to = 3_000, clock = new ServerClock() } = {}): ServerClock {
  for (let sentAt = from; sentAt < to; sentAt += 90) {
    clock.observe(Math.floor((sentAt + 20 + lead) / 1_000) * 1_000, sentAt, sentAt + 40);
  }
  return clock;
}

describe("what is known of the service's clock", () => {
  it('grows narrower with answers at other phases of a second', () => {
    const vagueness = [90, 1_000, 10_000].map((to) => heard(12_345, { to }).vagueness(to));
    expect(vagueness[0]).toBeGreaterThan(1_000);
    expect(vagueness[2]).toBeLessThan(150);
    expect(vagueness).toEqual(vagueness.toSorted((a, b) => b - a));
  });

  it('holds the truth between its least and its most', () => {
    const clock = heard(12_345);
    expect(clock.least(3_000)).toBeLessThanOrEqual(3_000 + 12_345);
    expect(clock.most(3_000)).toBeGreaterThanOrEqual(3_000 + 12_345);
  });

  it.for([-7_000, 7_000, 80_000])('is as narrow as before soon after a clock was set by %d ms', (step) => {
    const clock = heard(12_345);
    const before = clock.vagueness(3_000);
    heard(12_345 + step, { from: 3_000, to: 6_000, clock });
    expect(clock.least(6_000)).toBeLessThanOrEqual(6_000 + 12_345 + step);
    expect(clock.most(6_000)).toBeGreaterThanOrEqual(6_000 + 12_345 + step);
    expect(clock.vagueness(6_000)).toBeLessThan(before + 5);
  });
});
