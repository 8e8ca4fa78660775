import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type QuotaSnapshot, readQuota } from '../../../src/quota/headers/snapshot.ts';
import { runs } from '../../support/deep.ts';
import { numbersIn } from '../support/numbers-in.ts';

const PERIODS = ['second', 'minute', 'hour', 'day', 'month'] as const;
const NAMES = [
  ...['age', 'date', 'retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'],
  ...['x-ratelimit-cost-stacks', 'ratelimit', 'ratelimit-policy', 'x-ratelimit-limit-__proto__'],
  ...PERIODS.flatMap((period) => [`x-ratelimit-limit-stacks-${period}`, `x-ratelimit-remaining-stacks-${period}`]),
  ...PERIODS.flatMap((period) => [`x-ratelimit-limit-${period}`, `x-ratelimit-remaining-${period}`]),
];
/** Where a date of four-digit year in HTTP's forms may lie. */
const wholeSeconds = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31, 23, 59, 59) / 1_000 }).map((s) => s * 1_000);
const wallClock = fc.integer({ min: Date.UTC(2001, 9), max: Date.UTC(2100, 0) });

const FORMS: Record<string, (at: Date) => string> = {
  'IMF-fixdate': (at) => at.toUTCString(),
  'RFC 850': (at) => {
    const day = at.toLocaleDateString('en-US', { weekday: 'long', timeZone: 'UTC' });
    const [, dd, month, year, time] = at.toUTCString().split(' ');
    return `${day}, ${dd}-${month}-${year?.slice(-2)} ${time} GMT`;
  },
  asctime: (at) => {
    const [day, dd, month, year, time] = at.toUTCString().split(' ');
    return `${day?.slice(0, 3)} ${month} ${String(Number(dd)).padStart(2)} ${time} ${year}`;
  },
};
const form = fc.constantFrom(...Object.values(FORMS));

describe('Whatever a response says', () => {
  /** Every byte that `Headers` lets through. */
  const anything = fc.string({
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .filter((byte) => byte !== 0x7f)
      .map((byte) => String.fromCharCode(byte)),
    maxLength: 400,
  });
  const number = fc.oneof(fc.integer({ min: -3, max: 12 }), fc.integer(), fc.double(), fc.bigInt()).map(String);
  const date = fc.tuple(form, wholeSeconds).map(([print, at]) => print(new Date(at)));
  const value = fc.oneof(anything, date, { arbitrary: number, weight: 4 });
  const lines = fc.array(fc.tuple(fc.constantFrom(...NAMES), value), { maxLength: 20 });

  const holds = (property: (snapshot: QuotaSnapshot, headers: Headers) => void): void =>
    fc.assert(
      fc.property(lines, wallClock, (entries, receivedAt) => {
        const headers = new Headers();
        for (const [name, text] of entries) headers.append(name, text);
        property(readQuota(headers, receivedAt), headers);
      }),
      { numRuns: runs(200, 1_000) },
    );

  test('every number read from it is finite and not negative', () => {
    holds((snapshot) => {
      for (const number of numbersIn(snapshot)) expect(Number.isFinite(number) && number >= 0, `${number}`).toBe(true);
    });
  });

  test('every instant read from it can be told as a Date', () => {
    holds(({ receivedAt, date = 0, resetAt = 0, retryAfterMs = 0 }) => {
      for (const at of [date, resetAt, receivedAt + retryAfterMs]) expect(new Date(at).getTime()).toBe(at);
    });
  });

  test('no more remains than the limit', () => {
    holds(({ stacks: { cost, ...windows }, ...endpoint }) => {
      for (const { limit = Infinity, remaining = 0 } of [endpoint, ...Object.values(windows)]) {
        expect(remaining).toBeLessThanOrEqual(limit);
      }
    });
  });

  test('only headers that it had are called malformed, each once', () => {
    holds(({ malformed }, headers) => {
      expect(malformed).toEqual(malformed.filter((name, i) => headers.has(name) && malformed.indexOf(name) === i));
    });
  });

  test('a field is absent rather than undefined', () => {
    holds((snapshot) =>
      expect(JSON.parse(JSON.stringify(snapshot))).toStrictEqual(
        structuredClone({
          ...snapshot,
          unrecognised: { ...snapshot.unrecognised },
        }),
      ),
    );
  });
});

describe('What is printed is read back', () => {
  const units = fc.integer({ min: 0, max: 999_999_999_999_999 });
  const pair = fc.tuple(units, units).map(([a, b]) => ({ limit: Math.max(a, b), remaining: Math.min(a, b) }));
  const window = fc.oneof(
    pair,
    units.map((limit) => ({ limit })),
    units.map((remaining) => ({ remaining })),
  );
  const optional = { requiredKeys: [] };
  const stacks = fc.record(
    { cost: units, second: window, minute: window, hour: window, day: window, month: window },
    optional,
  );
  const family = fc.constantFrom('stacks-', '');

  test('for every pair and cost, by either family of names', () => {
    fc.assert(
      fc.property(stacks, pair, family, wallClock, ({ cost, ...windows }, endpoint, stem, receivedAt) => {
        const headers = new Headers();
        const print = (name: string, units: number | undefined): void => {
          if (units !== undefined) headers.set(name, `${units}`);
        };
        print('x-ratelimit-cost-stacks', cost);
        print('ratelimit-limit', endpoint.limit);
        print('ratelimit-remaining', endpoint.remaining);
        for (const [period, { limit, remaining }] of Object.entries<{ limit?: number; remaining?: number }>(windows)) {
          print(`x-ratelimit-limit-${stem}${period}`, limit);
          print(`x-ratelimit-remaining-${stem}${period}`, remaining);
        }
        const said = { ...endpoint, stacks: cost === undefined ? windows : { cost, ...windows } };
        expect(readQuota(headers, receivedAt)).toEqual({ receivedAt, ...said, malformed: [], unrecognised: {} });
      }),
    );
  });

  test('for a wait of any milliseconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e12 }), wallClock, (ms, receivedAt) => {
        const headers = new Headers({ 'retry-after': (ms / 1_000).toFixed(3) });
        expect(readQuota(headers, receivedAt).retryAfterMs).toBe(ms);
      }),
    );
  });

  test('for a reset in seconds left, Unix seconds or Unix milliseconds', () => {
    const reset = fc.integer({ min: Date.UTC(2001, 9), max: Date.UTC(9999, 0) });
    fc.assert(
      fc.property(reset, wallClock, (resetAt, receivedAt) => {
        const printed = [`${resetAt}`, (resetAt / 1_000).toFixed(3)];
        const left = (resetAt - receivedAt) / 1_000;
        if (left >= 0 && left < 1e9) printed.push(left.toFixed(3));
        for (const text of printed)
          expect(readQuota(new Headers({ 'ratelimit-reset': text }), receivedAt).resetAt).toBe(resetAt);
      }),
    );
  });

  test.each(Object.entries(FORMS))('for a date in the form of %s', (_, print) => {
    // A two-digit year says no more than fifty years to either side of now.
    const nearby = fc.integer({ min: -49 * 365 * 86_400, max: 49 * 365 * 86_400 });
    fc.assert(
      fc.property(wallClock, nearby, (now, seconds) => {
        const date = Math.max(0, Math.floor(now / 1_000) + seconds) * 1_000;
        expect(readQuota(new Headers({ date: print(new Date(date)) }), now).date).toBe(date);
      }),
      { numRuns: runs(50, 500) },
    );
  });
});

test('A hostile header of 100 000 characters is read, and listed as malformed', () => {
  const long = ['9', '9,', ', ', ' ,', 'Thu, 05 ', '-', '1.'].map((text) => text.repeat(100_000 / text.length));
  for (const text of long) {
    const headers = new Headers(NAMES.map((name): [string, string] => [name, `1${text}1`]));
    expect(readQuota(headers, 0).malformed).not.toHaveLength(0);
  }
});
