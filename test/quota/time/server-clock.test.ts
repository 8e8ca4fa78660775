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

/** What is known at an instant of how far the service's clock is ahead, in milliseconds: the least and the most. */
const leadOf = (clock: ServerClock, now: number): [number, number] => [clock.least(now) - now, clock.most(now) - now];

/** A clock that was told one date: a lead of 8,980 ms to 10,020 ms at 1 s. */
function told(): ServerClock {
  const clock = new ServerClock();
  clock.observe(10_000, 1_000, 1_000);
  return clock;
}

describe('one date of a service', () => {
  it('was stamped within its second, up to 20 ms ago, while the request was under way', () => {
    const clock = new ServerClock();
    clock.observe(10_000, 900, 1_000);
    expect(leadOf(clock, 1_000)).toEqual([10_000 - 20 - 1_000, 11_000 + 20 - 900]);
    expect(clock.vagueness(1_000)).toBe(1_140);
  });

  it('says less the longer ago it was: a ten-thousandth of the time on either side', () => {
    const [[least, most], [later, laterMost]] = [leadOf(told(), 1_000), leadOf(told(), 101_000)];
    expect(told().vagueness(101_000)).toBeCloseTo(most - least + 20, 6);
    expect(later).toBeCloseTo(least - 10, 6);
    expect(laterMost).toBeCloseTo(most + 10, 6);
  });

  it('says as much of a time before it', () => {
    const [[least, most], before] = [leadOf(told(), 1_000), leadOf(told(), -99_000)];
    expect(before[0]).toBeCloseTo(least, 6);
    expect(before[1]).toBeCloseTo(most, 6);
  });

  it.for([-86_400_000, -3_600_000, 1_000, 3_600_000])(
    'never has an instant certainly sooner than it may be: %d ms',
    (at) => {
      const clock = heard(12_345);
      const time = at + 12_345;
      expect(clock.surely(time)).toBeGreaterThanOrEqual(clock.soonest(time));
    },
  );

  it('names the instants from which an instant is certain, and possible', () => {
    const clock = told();
    for (const time of [20_000, 1_000_000]) {
      expect(clock.least(clock.surely(time))).toBeCloseTo(time, 6);
      expect(clock.most(clock.soonest(time))).toBeCloseTo(time, 6);
      expect(clock.surely(time)).toBeGreaterThan(clock.soonest(time));
    }
  });

  it('is none before the first: the clock may show anything, and half of each window counts as over', () => {
    const clock = new ServerClock();
    expect([clock.known, clock.revision, clock.elapsedPart('minute', 5)]).toEqual([false, 0, 0.5]);
    expect(told().known).toBe(true);
  });

  it('tells which part of a window is over at least', () => {
    expect(told().elapsedPart('minute', 21_000)).toBeCloseTo((21_000 + 8_980 - 2) / 60_000, 6);
    expect(told().elapsedPart('minute', 81_000)).toBeCloseTo((21_000 + 8_980 - 8) / 60_000, 6);
  });
});

describe('another date', () => {
  it('counts as news where it narrows the interval', () => {
    const clock = told();
    const { revision } = clock;
    clock.observe(10_000, 990, 1_000);
    clock.observe(10_000, 1_000, 1_000);
    expect(clock.revision).toBe(revision);
    clock.observe(10_000, 1_100, 1_110);
    expect(clock.revision).toBe(revision + 1);
    clock.observe(10_000, 900, 900);
    expect(clock.revision).toBe(revision + 2);
    clock.observe(10_000, 900, 900);
    expect(clock.revision).toBe(revision + 2);
  });

  it('is believed beside the first where the two have one instant in common', () => {
    const clock = told();
    clock.observe(11_040, 1_000, 1_000);
    expect(leadOf(clock, 1_000)).toEqual([10_020, 10_020]);
  });

  it('is ignored where it contradicts and repeats the one before: it comes from a cache', () => {
    const clock = told();
    const before = leadOf(clock, 60_000);
    clock.observe(10_000, 60_000, 60_000);
    expect(leadOf(clock, 60_000)).toEqual(before);
  });

  it('is believed where it contradicts by more than a second, as precisely as the first was', () => {
    const clock = told();
    clock.observe(200_000, 2_000, 2_000);
    expect(leadOf(clock, 2_000)).toEqual([197_980, 199_020]);
    clock.observe(100_000, 3_000, 3_000);
    expect(leadOf(clock, 3_000)).toEqual([96_980, 98_020]);
  });

  it('is believed where it contradicts by up to a second, and all dates are taken as that much vaguer from then on', () => {
    const clock = told();
    // The most was 10,020 ms at 1 s; this says at least 10,120, less what a clock may have drifted.
    clock.observe(20_140, 10_000, 10_000);
    expect(clock.vagueness(10_000)).toBeCloseTo(1_040, 6);
    clock.observe(200_000, 20_000, 20_000);
    expect(clock.vagueness(20_000)).toBeCloseTo(1_040 + 2 * 99.1, 6);
  });

  it('makes all dates vaguer where it contradicts by a second, by a second on either side at most, and no vaguer where by more', () => {
    for (const [date, vagueness] of [
      [12_040, 3_000],
      [12_041, 1_040],
    ] as const) {
      const clock = told();
      clock.observe(date, 1_000, 1_000);
      clock.observe(200_000, 1_000, 1_000);
      expect(clock.vagueness(1_000)).toBe(vagueness);
    }
  });
});

describe('the end of a window that an answer names', () => {
  it('changes nothing while it has not passed by the dates', () => {
    const clock = told();
    const { revision } = clock;
    clock.observeEnd('minute', 60_000, 50_000, 50_050);
    expect(leadOf(clock, 1_000)).toEqual([8_980, 10_020]);
    expect(clock.revision).toBe(revision);
  });

  it('is believed, and dates are not, from when it has passed by those: they are of another clock', () => {
    const clock = told();
    const byDates = clock.revision;
    clock.observeEnd('minute', 60_000, 52_000, 52_050);
    const { revision } = clock;
    expect(revision).toBeGreaterThan(byDates);
    expect(leadOf(clock, 52_050)).toEqual([-52_050, 8_000]);
    clock.observeEnd('minute', 120_000, 53_000, 53_100);
    clock.observe(62_000, 53_000, 53_100);
    expect(leadOf(clock, 53_100)[0]).toBe(60_000 - 53_100);
    expect(clock.vagueness(53_100)).toBeLessThan(1_101);
    expect(clock.revision).toBeGreaterThan(revision);
  });

  it('is believed where a request that was sent as soon as it had passed by the dates finds that it has not', () => {
    const clock = told();
    const sentAt = clock.surely(60_000);
    clock.observeEnd('minute', 60_000, sentAt, sentAt + 50);
    expect(clock.least(sentAt)).toBeLessThan(1_000);
  });

  it('of a window longer than a minute says nothing of the time: a request might belong to any of a million seconds', () => {
    const clock = told();
    const { revision } = clock;
    clock.observeEnd('month', 60_000, 52_000, 52_050);
    clock.observeEnd('hour', 60_000, 52_000, 52_050);
    expect(clock.revision).toBe(revision);
    expect(clock.vagueness(52_050)).toBeLessThan(1_101);
  });

  it('is believed where no answer has a date, and then tells the time to a length of its window', () => {
    const clock = new ServerClock();
    clock.observeEnd('minute', 60_000, 12_000, 12_000);
    expect(leadOf(clock, 12_000)).toEqual([-12_000, 48_000]);
  });

  it('is not believed any more where no answer has a date and two ends contradict: they are rounded, and not the calendar’s', () => {
    const clock = new ServerClock();
    clock.observeEnd('second', 20_000, 12_000, 12_050);
    expect(clock.known).toBe(true);
    expect(leadOf(clock, 12_050)).toEqual([6_950, 8_000]);
    clock.observeEnd('second', 22_000, 12_500, 12_500);
    expect(clock.known).toBe(false);
  });

  it('may be rounded by a second where it contradicts one before, and dates are believed again as far as they agree with that', () => {
    const clock = told();
    clock.observeEnd('second', 20_000, 12_000, 12_000);
    expect(leadOf(clock, 12_000)).toEqual([7_000, 8_000]);
    const { revision } = clock;
    clock.observeEnd('second', 22_000, 12_500, 12_500);
    expect(leadOf(clock, 12_500)[0]).toBeCloseTo(8_980 - 1.15, 6);
    expect(clock.revision).toBeGreaterThan(revision);
    clock.observeEnd('second', 18_000, 12_500, 12_500);
    expect(leadOf(clock, 12_500)).toEqual([3_500, 6_500]);
  });

  it('agrees with one before where the two have one instant in common', () => {
    const clock = told();
    clock.observeEnd('second', 20_000, 12_000, 12_000);
    clock.observeEnd('second', 21_000, 12_000, 12_000);
    expect(leadOf(clock, 12_000)).toEqual([8_000, 8_000]);
  });

  it('is not believed where it may be the instant at which a request is sent that waits for it by the dates', () => {
    const isMoved = [9_979, 9_980].map((end) => {
      const clock = told();
      const { revision } = clock;
      clock.observeEnd('second', end, 1_000, 1_000);
      return clock.revision > revision;
    });
    expect(isMoved).toEqual([true, false]);
  });

  it('is no news where it was named before', () => {
    const clock = told();
    clock.observeEnd('minute', 60_000, 52_000, 52_050);
    const { revision } = clock;
    clock.observeEnd('minute', 60_000, 52_000, 52_050);
    expect(clock.revision).toBe(revision);
  });

  it('is forgotten where a date shows that the clock was set', () => {
    const clock = told();
    clock.observeEnd('minute', 60_000, 52_000, 52_050);
    clock.observe(200_000, 53_000, 53_000);
    expect(leadOf(clock, 53_000)).toEqual([200_000 - 20 - 53_000, 201_020 - 53_000]);
  });

  it('counts as rounded from then on, whatever ends before it said', () => {
    const clock = told();
    clock.observeEnd('second', 20_000, 12_000, 12_000);
    clock.observeEnd('second', 22_000, 12_500, 12_500);
    clock.observeEnd('second', 20_200, 12_500, 12_500);
    expect(leadOf(clock, 12_500)).toEqual([7_500, 8_700]);
  });

  it('is no contradiction of one that was named before the clock was set', () => {
    const clock = told();
    clock.observeEnd('minute', 60_000, 52_000, 52_050);
    clock.observe(200_000, 53_000, 53_000);
    clock.observeEnd('minute', 199_000, 53_000, 53_000);
    expect(leadOf(clock, 53_000)).toEqual([86_000, 146_000]);
  });
});

describe('what other processes know of the clock', () => {
  it('narrows the interval of this one', () => {
    const clock = told();
    const { revision } = clock;
    clock.narrow(9_500, 9_600, 1_000);
    expect(clock.revision).toBeGreaterThan(revision);
    expect(leadOf(clock, 1_000)).toEqual([9_500, 9_600]);
  });

  it.each([
    ['is no interval', 9_600, 9_500],
    ['is beyond the most', 10_021, 10_100],
    ['is below the least', 8_000, 8_979],
  ])('is ignored where it %s', (_, least, most) => {
    const clock = told();
    clock.narrow(least, most, 1_000);
    expect(leadOf(clock, 1_000)).toEqual([8_980, 10_020]);
  });

  it('is adopted where it only touches what is known', () => {
    const clock = told();
    clock.narrow(10_020, 10_100, 1_000);
    expect(leadOf(clock, 1_000)).toEqual([10_020, 10_020]);
    const other = told();
    other.narrow(8_000, 8_980, 1_000);
    expect(leadOf(other, 1_000)).toEqual([8_980, 8_980]);
  });
});
