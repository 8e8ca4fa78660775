import { describe, expect, test } from 'vitest';
import { isAnyWindowFull, readQuota, repeatedWindow, resetOf, windowsOf } from '../../../src/quota/headers/snapshot.ts';
import { DATE, expectQuota, rows, SERVER_NOW } from '../support/responses.ts';

describe('A response', () => {
  rows(
    ['without any headers says nothing', {}, {}],
    ['with headers of other kinds says nothing', { 'content-type': 'text/html', 'x-rate': '1', via: 'kong' }, {}],
    ['may state one half of a pair', { 'ratelimit-limit': '50' }, { limit: 50 }],
    ['may state the other half', { 'x-ratelimit-remaining-stacks-day': '7' }, { stacks: { day: { remaining: 7 } } }],
    [
      'may state everything',
      {
        date: DATE,
        'ratelimit-limit': '500',
        'ratelimit-remaining': '499',
        'ratelimit-reset': '1793872860',
        'retry-after': '3',
        'x-ratelimit-cost-stacks': '1',
        'x-ratelimit-limit-stacks-second': '20',
        'x-ratelimit-remaining-stacks-second': '19',
        'x-ratelimit-limit-stacks-minute': '500',
        'x-ratelimit-remaining-stacks-minute': '499',
        'x-ratelimit-limit-stacks-month': '150000',
        'x-ratelimit-remaining-stacks-month': '149999',
      },
      {
        date: SERVER_NOW,
        limit: 500,
        remaining: 499,
        resetAt: SERVER_NOW + 60_000,
        retryAfterMs: 3_000,
        stacks: {
          cost: 1,
          second: { limit: 20, remaining: 19 },
          minute: { limit: 500, remaining: 499 },
          month: { limit: 150_000, remaining: 149_999 },
        },
      },
    ],
    [
      'may write names in any case',
      { 'RateLimit-Limit': '50', 'X-RateLimit-Cost-Stacks': '2' },
      { limit: 50, stacks: { cost: 2 } },
    ],
    [
      'may use the older names without a family',
      { 'x-ratelimit-limit-hour': '900', 'x-ratelimit-remaining-hour': '899' },
      { stacks: { hour: { limit: 900, remaining: 899 } } },
    ],
    [
      'never has an older pair complete a newer one',
      {
        'x-ratelimit-limit-minute': '25',
        'x-ratelimit-remaining-minute': '3',
        'x-ratelimit-limit-stacks-minute': '500',
      },
      { stacks: { minute: { limit: 500 } } },
    ],
    [
      'from a cache says nothing, not even what is wrong with it',
      { age: '1', date: DATE, 'ratelimit-limit': 'x', 'retry-after': '3', 'ratelimit-policy': '"a";q=1' },
      { ageMs: 1_000 },
    ],
    ['fresh from its origin counts although it states an age', { age: '0', 'ratelimit-limit': '50' }, { limit: 50 }],
    ['of unreadable age counts', { age: 'old', 'ratelimit-limit': '50' }, { limit: 50, malformed: ['age'] }],
  );
});

describe('A number', () => {
  const bad = [
    '',
    '5 seconds',
    '1e9',
    '0x10',
    'Infinity',
    'NaN',
    '+5',
    '.5',
    '5.',
    '1.1234567',
    '5;w=60',
    '1_000',
    '--1',
    '-',
  ];
  const numbers = ['ratelimit-reset', 'x-ratelimit-cost-stacks', 'ratelimit-limit', 'ratelimit-remaining'];
  const tooLong = ['9'.repeat(16), '9'.repeat(300), `${'9'.repeat(20)}.5`];

  test.each(tooLong)('too long to read, "%s", is no wait that would be over soon', (text) => {
    const { retryAfterMs = 0 } = readQuota(new Headers({ 'retry-after': text }), 0);
    expect(retryAfterMs).toBeGreaterThan(1e15);
  });

  test.each(tooLong)('too long to read, "%s", is nothing else', (text) => {
    expectQuota(Object.fromEntries(numbers.map((name) => [name, text])), { malformed: numbers });
  });

  test.each(bad)('is not written "%s"', (text) => {
    const malformed = ['ratelimit-reset', 'retry-after', ...numbers.slice(1)];
    expectQuota(Object.fromEntries(malformed.map((name) => [name, text])), { malformed });
  });

  rows(
    ['may be 0', { 'ratelimit-limit': '0', 'x-ratelimit-cost-stacks': '0' }, { limit: 0, stacks: { cost: 0 } }],
    ['has up to 15 digits', { 'ratelimit-limit': '999999999999999' }, { limit: 999_999_999_999_999 }],
    [
      'is rounded down where it is a limit, and makes no sense where it is what remains',
      { 'ratelimit-limit': '5.9', 'ratelimit-remaining': '4.999999', 'x-ratelimit-remaining-stacks-day': '0.5' },
      { limit: 5, malformed: ['x-ratelimit-remaining-stacks-day', 'ratelimit-remaining'] },
    ],
    ['is kept where it is a cost', { 'x-ratelimit-cost-stacks': '1.5' }, { stacks: { cost: 1.5 } }],
    ['is rounded up where it is a wait', { 'retry-after': '1.0001' }, { retryAfterMs: 1_001 }],
    ['is not rounded up for the inexactness of binary fractions', { 'retry-after': '2.007' }, { retryAfterMs: 2_007 }],
    [
      'below zero means that nothing remains',
      { 'x-ratelimit-limit-stacks-month': '9', 'x-ratelimit-remaining-stacks-month': '-1' },
      { stacks: { month: { limit: 9, remaining: 0 } } },
    ],
    [
      'makes no sense where a fraction below zero is what remains',
      { 'x-ratelimit-limit-stacks-month': '9', 'x-ratelimit-remaining-stacks-month': '-0.5' },
      { stacks: { month: { limit: 9 } }, malformed: ['x-ratelimit-remaining-stacks-month'] },
    ],
    [
      'below zero makes no sense elsewhere',
      { 'ratelimit-limit': '-5', 'ratelimit-reset': '-5', 'retry-after': '-5', 'x-ratelimit-cost-stacks': '-5' },
      { malformed: ['ratelimit-reset', 'retry-after', 'x-ratelimit-cost-stacks', 'ratelimit-limit'] },
    ],
    [
      'cannot remain above the limit: neither is believed',
      { 'ratelimit-limit': '5', 'ratelimit-remaining': '6', 'x-ratelimit-limit-stacks-day': '5' },
      { stacks: { day: { limit: 5 } }, malformed: ['ratelimit-limit', 'ratelimit-remaining'] },
    ],
    ['may remain up to the limit', { 'ratelimit-limit': '5', 'ratelimit-remaining': '5' }, { limit: 5, remaining: 5 }],
  );
});

describe('A header sent twice', () => {
  rows(
    [
      'counts at its least where it is a limit or what remains',
      [
        ['ratelimit-limit', '7'],
        ['ratelimit-limit', '6'],
        ['ratelimit-remaining', '5,4'],
        ['ratelimit-remaining', '-1'],
      ],
      { limit: 6, remaining: 0 },
    ],
    [
      'counts at its most where it is a wait, a reset or a cost',
      { date: DATE, 'retry-after': '1, 7', 'ratelimit-reset': '1793872801,5', 'x-ratelimit-cost-stacks': '3, 2.5' },
      { date: SERVER_NOW, retryAfterMs: 7_000, resetAt: SERVER_NOW + 5_000, stacks: { cost: 3 } },
    ],
    [
      'may hold dates, which have commas of their own',
      { date: DATE, 'retry-after': '3, Thu, 05 Nov 2026 10:00:09 GMT,Thursday, 05-Nov-26 10:00:05 GMT' },
      { date: SERVER_NOW, retryAfterMs: 9_000 },
    ],
    [
      'is malformed when any part of it is',
      { 'ratelimit-limit': '7, x', 'ratelimit-remaining': ', 7', 'retry-after': '7,' },
      { malformed: ['retry-after', 'ratelimit-limit', 'ratelimit-remaining'] },
    ],
    [
      'is one date when both are the same',
      [
        ['date', DATE],
        ['date', DATE],
      ],
      { date: SERVER_NOW },
    ],
    [
      'is no date when they differ',
      [
        ['date', DATE],
        ['date', DATE.replace(':00 ', ':01 ')],
      ],
      { malformed: ['date'] },
    ],
    [
      'may be as long as 256 characters, and is then read',
      { 'ratelimit-limit': `${'5,'.repeat(127)}55` },
      { limit: 5 },
    ],
    [
      'is malformed when it is longer than any honest one',
      { 'ratelimit-limit': `${'5, '.repeat(90)}5` },
      { malformed: ['ratelimit-limit'] },
    ],
  );
});

describe('A rate-limit header that is unknown', () => {
  const policy = '"minute";q=500;w=60';
  const bitcoin = { 'x-ratelimit-cost-bitcoin': '1', 'x-ratelimit-limit-bitcoin-minute': '9' };
  rows(
    [
      'is handed on',
      { 'RateLimit-Policy': policy, ratelimit: 'r=4' },
      { unrecognised: { 'ratelimit-policy': policy, ratelimit: 'r=4' } },
    ],
    ['may belong to another family, whose quota is not ours', bitcoin, { unrecognised: bitcoin }],
    [
      'is cut to 200 characters',
      { 'ratelimit-x': 'x'.repeat(201) },
      { unrecognised: { 'ratelimit-x': 'x'.repeat(200) } },
    ],
    ['is told by how its name begins', { 'x-ratelimit': '1', 'my-ratelimit-x': '1' }, {}],
  );

  test('is in a plain object, which frameworks pass on and strict comparisons accept', () => {
    for (const headers of [{}, { 'x-ratelimit-new': '1' }])
      expect(readQuota(new Headers(headers), 0).unrecognised).toStrictEqual(headers);
  });
});

describe('What a snapshot says of the windows', () => {
  const quota = (headers: Record<string, string>) => readQuota(new Headers(headers), 1_000_000);
  const said = (period: string, limit: number, remaining: number) => ({
    [`x-ratelimit-limit-stacks-${period}`]: `${limit}`,
    [`x-ratelimit-remaining-stacks-${period}`]: `${remaining}`,
  });

  test('is said of each that it names, the shortest first', () => {
    expect(windowsOf(quota({ ...said('month', 9, 3), ...said('second', 5, 4) }))).toEqual([
      { limit: 5, remaining: 4 },
      { limit: 9, remaining: 3 },
    ]);
    expect(windowsOf(quota({}))).toEqual([]);
  });

  test('is that one is full where nothing of it is left', () => {
    expect(isAnyWindowFull(quota({ ...said('second', 5, 4), ...said('month', 9, 0) }))).toBe(true);
    expect(isAnyWindowFull(quota(said('month', 9, 1)))).toBe(false);
    expect(isAnyWindowFull(quota({ 'x-ratelimit-limit-stacks-month': '9' }))).toBe(false);
  });
});

describe('The pair ratelimit-*', () => {
  test.each([
    ['repeats the window that has its limit and as much left', 500, 499, 'minute'],
    ['repeats the longest of those that have', 20, 19, 'month'],
    ['is of its own where as much is left of another limit', 50, 499, undefined],
    ['is of its own where less is left of the same limit', 500, 498, undefined],
  ])('%s', (_, limit, remaining, repeated) => {
    const twenty = { limit: 20, remaining: 19 };
    const stacks = { second: twenty, minute: { limit: 500, remaining: 499 }, month: twenty };
    const quota = { receivedAt: 0, limit, remaining, stacks, malformed: [], unrecognised: {} };
    expect(repeatedWindow(quota)).toBe(repeated);
    expect(repeatedWindow({ ...quota, stacks: {} })).toBeUndefined();
  });
});

describe('The end that ratelimit-reset names', () => {
  const DAY_MS = 86_400_000;
  const end = (more: object) => resetOf({ receivedAt: 0, stacks: {}, malformed: [], unrecognised: {}, ...more });
  const date = Date.UTC(2026, 0, 1);

  test('is none where the header is missing, or names an instant more than 32 days ahead', () => {
    expect(end({ date })).toBeUndefined();
    expect(end({ date, resetAt: date + 32 * DAY_MS + 1 })).toBeUndefined();
    expect(end({ date, resetAt: date + 32 * DAY_MS })).toBe(Date.UTC(2026, 1, 1));
  });

  test('is measured from the date of the answer, or from when it was received', () => {
    expect(end({ date, resetAt: date + 5_000 })).toBe(date + 5_000);
    expect(end({ receivedAt: date, resetAt: date + 5_000 })).toBe(date + 5_000);
    expect(end({ receivedAt: date - 40 * DAY_MS, date, resetAt: date + 5_000 })).toBe(date + 5_000);
    expect(end({ receivedAt: date - 40 * DAY_MS, resetAt: date + 5_000 })).toBeUndefined();
  });
});
