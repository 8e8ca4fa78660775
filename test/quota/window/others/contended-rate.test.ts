import { describe, expect, it } from 'vitest';
import { createClient } from '../../../../src/index.ts';
import { ContendedRate, type Contention } from '../../../../src/quota/window/others/contended-rate.ts';
import type { LongerWindow, ServedRate } from '../../../../src/quota/window/others/total-rate.ts';
import { createMockService, seeded, virtualClock } from '../../../../src/testing/index.ts';

const SECOND_MS = 1_000;
const LIMIT = 20;

/** Longer windows allow as much as the second does. */
const MOST = { mostPerMs: LIMIT / SECOND_MS, othersAt: 0 };

/** A reading in the middle of a window that this client may have filled itself, and no rate of all. */
const UNKNOWN: Contention = { isShared: false, elapsed: 0.5, slides: false };

/** A longer window that counted much before, and tells this rate of all. */
function counting(rate: ServedRate): LongerWindow {
  return { used: 100, rate };
}

/** A rate after seconds of which a reading each showed so many units used, some of others. */
function showing(seconds: number, used: number, { others = 1, rate = new ContendedRate(SECOND_MS), from = 0 } = {}) {
  for (let second = from; second < from + seconds; second++)
    rate.observe(others, used, LIMIT, second * SECOND_MS, UNKNOWN);
  return rate;
}

/** Clients that cannot communicate, in a second on the calendar: what the last 30 of 120 seconds held, and each client's requests. */
function crowd(rates: readonly ContendedRate[]): { readonly perSecond: number; readonly counts: readonly number[] } {
  const counts = rates.map(() => 0);
  // Each has its own phase.
  const nextAt = rates.map((_, index) => (index * 397) % SECOND_MS);
  let total = 0;
  let used = 0;
  for (let at = 0; at < 120 * SECOND_MS; at += 10) {
    if (at % SECOND_MS === 0) used = 0;
    rates.forEach((rate, index) => {
      if (at < (nextAt[index] ?? 0)) return;
      const isLate = at >= 90 * SECOND_MS;
      if (used < LIMIT) {
        used++;
        rate.observe(used - 1, used, LIMIT, at, { ...UNKNOWN, isShared: true, elapsed: (at % SECOND_MS) / SECOND_MS });
        if (isLate) total++;
        if (isLate) counts[index] = (counts[index] ?? 0) + 1;
      } else rate.onRefused(1, LIMIT, at);
      nextAt[index] = at + SECOND_MS / (LIMIT * rate.part);
    });
  }
  return { perSecond: total / 30, counts };
}

describe('the client’s part of a second that others use, too', () => {
  it('is half at first, then what is ours of the first reading', () => {
    expect(new ContendedRate(SECOND_MS).part).toBe(0.5);
    expect(showing(1, 4, { others: 1 }).part).toBe(0.75);
    expect(showing(1, 10, { others: 9 }).part).toBeCloseTo(0.1);
    expect(showing(1, 19, { others: 18 }).part).toBeCloseTo(1 / 19);
  });

  it('is a quarter of that where the longer window counts no more than the second, but for a few units: all began together', () => {
    const first = (used: number, longer: LongerWindow | undefined): number => {
      const rate = new ContendedRate(SECOND_MS);
      rate.observe(used - 1, used, LIMIT, 0, { ...UNKNOWN, longer });
      return rate.part;
    };
    expect(first(5, { used: 5 })).toBeCloseTo(1 / 20);
    expect(first(5, { used: 6 })).toBeCloseTo(1 / 5);
    expect(first(5, undefined)).toBeCloseTo(1 / 5);
    expect(first(4, { used: 4 })).toBeCloseTo(1 / 4);
  });

  it('by the first reading is four times as large with each one that shows nobody a second later, and with none where they were seen again', () => {
    const rate = showing(1, 10, { others: 9 });
    rate.observe(0, 2, LIMIT, 990, UNKNOWN);
    const before = rate.part;
    rate.observe(0, 3, LIMIT, 1_000, UNKNOWN);
    expect(rate.part).toBeGreaterThan(3.8 * before);
    expect(rate.part).toBeLessThan(0.5);
    for (const at of [1_300, 1_500, 1_750]) rate.observe(0, 3, LIMIT, at, UNKNOWN);
    expect(before).toBeLessThan(0.2);
    expect(rate.part).toBeGreaterThan(0.49);
    for (let at = 2_000; at < 9_000; at += 250) rate.observe(0, 3, LIMIT, at, UNKNOWN);
    expect(rate.part).toBe(1);
    const besideOthers = showing(1, 10, { others: 9 });
    besideOthers.observe(1, 10, LIMIT, 500, UNKNOWN);
    for (const at of [1_500, 1_750, 1_900]) besideOthers.observe(0, 10, LIMIT, at, UNKNOWN);
    expect(besideOthers.part).toBeLessThan(0.2);
  });

  it('grows while readings show room, a small one by more of itself', () => {
    const large = showing(20, 4);
    expect(large.part).toBeGreaterThan(0.6);
    const small = new ContendedRate(SECOND_MS);
    small.onRefused(1, LIMIT, 0);
    const before = small.part;
    showing(20, 4, { rate: small, from: 1 });
    expect(small.part / before).toBeGreaterThan(1.5 * (large.part / 0.5));
  });

  it('shrinks where readings leave less than a tenth on average, and grows again once they leave more', () => {
    const full = showing(5, 19, { others: 10 });
    expect(full.part).toBeLessThan(0.4);
    const before = full.part;
    expect(showing(40, 2, { rate: full, from: 5 }).part).toBeGreaterThan(before);
  });

  it('is no part by the first reading where that shows nobody', () => {
    const rate = new ContendedRate(SECOND_MS);
    rate.observe(0, 20, LIMIT, 0, UNKNOWN);
    expect(rate.part).toBeLessThan(0.5);
  });

  it('shrinks by itself, where the rate of all leaves less than a fifth, and not by its root', () => {
    const rate = showing(1, 20, { others: 10 });
    rate.observe(1, 20, LIMIT, SECOND_MS, { ...UNKNOWN, longer: counting({ perMs: 0.02, isExact: true, ...MOST }) });
    expect(rate.part).toBeCloseTo(0.4);
  });

  it('grows although others fill the second now and then, if they leave half of it on average', () => {
    const rate = new ContendedRate(SECOND_MS);
    for (let count = 0; count < 5; count++) rate.onRefused(1, LIMIT, 0);
    const least = rate.part;
    for (let second = 0; second < 60; second++)
      rate.observe(1, second % 4 === 0 ? LIMIT : 7, LIMIT, second * SECOND_MS, UNKNOWN);
    expect(rate.part).toBeGreaterThan(5 * least);
  });

  it('shrinks where a window of the calendar is full at its end, however empty it is before', () => {
    const rate = new ContendedRate(SECOND_MS);
    for (let at = 0; at < 20 * SECOND_MS; at += 110) {
      const elapsed = (at % SECOND_MS) / SECOND_MS;
      rate.observe(1, Math.round(LIMIT * elapsed), LIMIT, at, { ...UNKNOWN, isShared: true, elapsed });
    }
    expect(rate.part).toBeLessThan(0.4);
  });

  it('follows the rate of all, where it is known, instead of a trend, and leaves more to chance where the second slides', () => {
    const full = (perMs?: number, slides = false): number => {
      const rate = showing(9, 19);
      const before = rate.part;
      rate.observe(1, 4, LIMIT, 9_700, {
        ...UNKNOWN,
        slides,
        longer: perMs === undefined ? undefined : counting({ perMs, isExact: true, ...MOST }),
      });
      return rate.part / before;
    };
    expect(full()).toBeLessThan(1);
    expect(full(0.004)).toBeGreaterThan(1.2);
    expect(full(0.0159)).toBeGreaterThan(1);
    expect(full(0.0161)).toBeLessThan(1);
    expect(full(0.0139, true)).toBeGreaterThan(1);
    expect(full(0.0141, true)).toBeLessThan(1);
  });

  it('follows the least that the rate of all may be where it asks less than once a second, if that leaves less room than the trend', () => {
    const full = (perMs: number | undefined, first: number): number => {
      const rate = showing(1, first, { others: first - 1 });
      for (let at = 1_000; at < 20_000; at += 1_000) rate.observe(1, at % 2_000 === 0 ? 2 : 14, LIMIT, at, UNKNOWN);
      for (let times = 0; times < (first > 2 ? 2 : 0); times++) rate.onRefused(1, LIMIT, 20_000);
      const before = rate.part;
      rate.observe(1, 4, LIMIT, 20_500, {
        ...UNKNOWN,
        longer: perMs === undefined ? undefined : counting({ perMs, isExact: false, ...MOST }),
      });
      return rate.part / before;
    };
    expect(full(0.02, 10)).toBeLessThan(1);
    expect(full(0.004, 10)).toBe(full(undefined, 10));
    expect(full(undefined, 10)).toBeGreaterThan(1);
    expect(full(0.02, 2)).toBe(full(undefined, 2));
  });

  it('follows the reading itself, where that shows the window fuller than the rate of all', () => {
    const rate = showing(3, 10);
    const before = rate.part;
    rate.observe(1, 19, LIMIT, 3_700, { ...UNKNOWN, longer: counting({ perMs: 0.004, isExact: true, ...MOST }) });
    expect(rate.part).toBeLessThan(before);
  });

  it('shrinks no faster for many readings than for one of a second', () => {
    const many = new ContendedRate(SECOND_MS);
    const one = new ContendedRate(SECOND_MS);
    for (const rate of [many, one]) rate.observe(1, LIMIT, LIMIT, 0, UNKNOWN);
    for (let at = 10; at <= SECOND_MS; at += 10) many.observe(1, LIMIT, LIMIT, at, UNKNOWN);
    one.observe(1, LIMIT, LIMIT, SECOND_MS, UNKNOWN);
    expect(many.part).toBeCloseTo(one.part, 1);
  });

  it('is halved by a refusal, or what we had of the window that was full', () => {
    const rate = new ContendedRate(SECOND_MS);
    rate.onRefused(10, LIMIT, 0);
    expect(rate.part).toBe(0.25);
    rate.onRefused(2, LIMIT, 0);
    expect(rate.part).toBe(0.1);
  });

  it('is about half again once those that a refusal told of before the first reading have gone, and not those of a later one', () => {
    const rate = new ContendedRate(SECOND_MS);
    rate.onRefused(10, LIMIT, 0);
    rate.observe(0, 1, LIMIT, 1_000, UNKNOWN);
    expect(rate.part).toBeGreaterThan(0.49);
    const later = new ContendedRate(SECOND_MS);
    later.observe(1, 2, LIMIT, 0, UNKNOWN);
    later.onRefused(2, LIMIT, 4_000);
    const refused = later.part;
    later.observe(0, 1, LIMIT, 5_500, UNKNOWN);
    expect(later.part).toBeLessThan(2 * refused);
  });

  /** A rate after a minute of readings that show one of two numbers used in turn, as is `more` of them another. */
  function shown(less: number, more: number, mostPerMs = Infinity): ContendedRate {
    const rate = new ContendedRate(SECOND_MS);
    const longer = counting({ perMs: 0, isExact: false, mostPerMs, othersAt: 0 });
    for (let second = 0; second < 60; second++)
      rate.observe(1, second % 2 === 0 ? less : more, LIMIT, second * SECOND_MS, {
        ...UNKNOWN,
        longer: Number.isFinite(mostPerMs) ? longer : undefined,
      });
    return rate;
  }

  /** What a refusal of a full second without any unit of ours leaves of it. */
  function left(rate: ContendedRate): number {
    const before = rate.part;
    rate.onRefused(0, LIMIT, 60 * SECOND_MS);
    return rate.part / before;
  }

  it('is not cut by a refusal where readings vary no more than by chance, unless they leave less than a fifth', () => {
    expect(left(shown(9, 15))).toBe(1);
    expect(left(shown(14, 20))).toBeLessThan(0.9);
    expect(left(shown(14, 20))).toBeGreaterThan(1.3 * left(shown(16, 20)));
  });

  it('is cut by each where they vary by more, as clients make them that swing together', () => {
    expect(left(shown(5, 19))).toBeLessThan(0.2);
  });

  it('is cut by each where a longer window allows less than half: the second is full in bursts only', () => {
    expect(left(shown(9, 15, 0.009))).toBeLessThan(0.2);
    expect(left(shown(9, 15, 0.011))).toBe(1);
  });

  it('grows three times as fast where readings vary no more than by chance', () => {
    const grown = (less: number, more: number): number => {
      const rate = new ContendedRate(SECOND_MS);
      rate.onRefused(1, LIMIT, 0);
      const before = rate.part;
      for (let second = 1; second < 20; second++)
        rate.observe(1, second % 2 === 0 ? less : more, LIMIT, second * SECOND_MS, UNKNOWN);
      return rate.part - before;
    };
    expect(grown(7, 9)).toBeGreaterThan(2 * grown(2, 14));
  });

  it('is a request in not quite four seconds at the least, so that none meets the same end of each second', () => {
    const rate = new ContendedRate(SECOND_MS);
    for (let count = 0; count < 20; count++) rate.onRefused(1, LIMIT, 0);
    expect(SECOND_MS / (LIMIT * rate.part)).toBeCloseTo(3.7 * SECOND_MS, 6);
  });

  it('becomes all of it once readings of three seconds show no other consumer, however full they are', () => {
    const rate = showing(9, LIMIT);
    const least = showing(5, LIMIT, { others: 0, rate, from: 9 }).part;
    expect(least).toBeLessThan(0.3);
    expect(showing(30, LIMIT, { others: 0, rate, from: 14 }).part).toBe(1);
  });

  it('does not while readings count more than this client has sent, although a shape explains all of it', () => {
    const rate = showing(3, 17);
    for (let second = 3; second < 40; second++)
      rate.observe(0, 17, LIMIT, second * SECOND_MS, { ...UNKNOWN, isShared: true });
    expect(rate.part).toBeLessThan(0.9);
  });

  it('does not while a longer window shows others, whom requests that are under way hide in each second', () => {
    const grown = (isSeen: boolean) => {
      const rate = showing(9, LIMIT);
      const least = rate.part;
      for (let at = 9_000; at < 30_000; at += SECOND_MS)
        rate.observe(0, LIMIT, LIMIT, at, {
          ...UNKNOWN,
          longer: counting({ perMs: 0.02, isExact: true, ...MOST, othersAt: isSeen ? at : 0 }),
        });
      return rate.part / least;
    };
    expect(grown(false)).toBeGreaterThan(2);
    expect(grown(true)).toBeLessThan(1);
  });

  it('is that of a second beside others until more than eight readings and three seconds have shown none, and again after a refusal', () => {
    /** A rate after so many full readings without others, the last one at an instant, and by how much the last one changed it. */
    const away = (readings: number, lastAt: number) => {
      const rate = showing(2, LIMIT);
      let before = 0;
      for (let at = 1; at <= readings; at++) {
        before = rate.part;
        rate.observe(0, LIMIT, LIMIT, SECOND_MS + (lastAt * at) / readings, UNKNOWN);
      }
      return { rate, change: rate.part - before };
    };
    expect(away(8, 3_001).change).toBeLessThan(6);
    expect(away(9, 3_000).change).toBeLessThan(6);
    const { rate, change } = away(9, 3_001);
    expect(change).toBeGreaterThan(0);
    rate.onRefused(LIMIT, LIMIT, 4_100);
    const refused = rate.part;
    rate.observe(0, LIMIT, LIMIT, 4_200, UNKNOWN);
    expect(rate.part).toBeLessThan(refused);
  });

  it.each([2, 4, 8, 20, 50])(
    'is as large as that of each other client, and leaves a little of the second: %i clients',
    (clients) => {
      // One of them comes later, and has half.
      const rates = Array.from({ length: clients }, () => new ContendedRate(SECOND_MS));
      for (const rate of rates.slice(1)) rate.onRefused(1, LIMIT, 0);
      const { perSecond, counts } = crowd(rates);
      expect(perSecond).toBeGreaterThan(0.7 * LIMIT);
      expect(perSecond).toBeLessThan(0.98 * LIMIT);
      expect(counts[0]).toBeLessThan(3 * (Math.max(1, perSecond * 30) / clients));
    },
  );
});

describe('twenty clients of one key that begin together and cannot communicate', () => {
  const KEY = '0123456789abcdef0123456789abcdef';

  it('are hardly refused once they have seen each other, before any minute has ended', async () => {
    const clock = virtualClock({ wall: Date.UTC(2026, 2, 10, 14, 0, 7, 300) });
    const keyed = { second: 20, minute: 500 };
    const mock = createMockService({ clock, keys: [KEY], keyed, latencyMs: [25, 150], random: seeded(3) });
    const clients = Array.from({ length: 20 }, (_, index) =>
      createClient({ baseUrl: mock.origin, apiKey: KEY, fetch: mock.fetch, clock, random: seeded(index) }),
    );
    await clock.run(Promise.all(clients.flatMap((client) => Array.from({ length: 22 }, () => client.getInfo()))));
    expect(clock.now()).toBeLessThan(45_000);
    expect(mock.log.filter(({ limited }) => limited).length).toBeLessThan(25);
    expect(mock.log.filter(({ limited, at }) => limited && at > 5_000).length).toBeLessThan(6);
  });
});
