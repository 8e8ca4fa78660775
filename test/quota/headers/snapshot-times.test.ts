import { describe, expect, test } from 'vitest';
import { isDateLeft, readQuota } from '../../../src/quota/headers/snapshot.ts';
import { DATE, expectQuota, RECEIVED_AT, rows, type Says, SERVER_NOW } from '../support/responses.ts';

describe('ratelimit-reset', () => {
  rows(
    [
      'below 1e9 is seconds left by the service’s clock',
      { date: DATE, 'ratelimit-reset': '42' },
      { date: SERVER_NOW, resetAt: SERVER_NOW + 42_000 },
    ],
    [
      'is seconds left by our clock where the service’s is unknown',
      { 'ratelimit-reset': '42' },
      { resetAt: RECEIVED_AT + 42_000 },
    ],
    ['is seconds left up to its edge', { 'ratelimit-reset': '999999999' }, { resetAt: RECEIVED_AT + 999_999_999_000 }],
    ['from 1e9 is a Unix timestamp', { 'ratelimit-reset': '1000000000' }, { resetAt: 1_000_000_000_000 }],
    [
      'is a Unix timestamp up to its edge',
      { 'ratelimit-reset': '999999999999.9995' },
      { resetAt: 1_000_000_000_000_000 },
    ],
    ['from 1e12 is in milliseconds', { 'ratelimit-reset': '1000000000000' }, { resetAt: 1_000_000_000_000 }],
    ['is nothing where it is no number', { 'ratelimit-reset': 'soon' }, { malformed: ['ratelimit-reset'] }],
    ['is rounded up', { 'ratelimit-reset': '1000000000000.5' }, { resetAt: 1_000_000_000_001 }],
    ['may have passed', { 'ratelimit-reset': '1793872000' }, { resetAt: SERVER_NOW - 800_000 }],
    ['may lie in the year 2200', { 'ratelimit-reset': '7258118400' }, { resetAt: Date.UTC(2200, 0) }],
  );
});

describe('retry-after', () => {
  const wait = (date: string): Record<string, string> => ({ date: DATE, 'retry-after': date });
  const waits = (retryAfterMs: number): Says => ({ date: SERVER_NOW, retryAfterMs });
  rows(
    ['may be no time at all', { 'retry-after': '0' }, { retryAfterMs: 0 }],
    ['may be a date, counted from the response’s own', wait('Thu, 05 Nov 2026 10:01:00 GMT'), waits(60_000)],
    ['may be a date in the form of RFC 850', wait('Thursday, 05-Nov-26 10:01:00 GMT'), waits(60_000)],
    ['may be a date in the form of asctime', wait('Thu Nov  5 10:01:00 2026'), waits(60_000)],
    ['may be a date in asctime with a day of two digits', wait('Sun Nov 15 10:00:00 2026'), waits(864_000_000)],
    [
      'is counted from receipt where the response has no date',
      { 'retry-after': 'Thu, 05 Nov 2026 10:01:00 GMT' },
      { retryAfterMs: 52_750 },
    ],
    ['means no wait when its date has passed', wait('Thu, 05 Nov 2026 09:59:59 GMT'), waits(0)],
    [
      'takes a year of two digits as at most 50 years ahead',
      wait('Thursday, 05-Nov-76 10:00:00 GMT'),
      waits(Date.UTC(2076, 10, 5, 10) - SERVER_NOW),
    ],
    ['takes one further ahead as past', wait('Sunday, 06-Dec-76 10:00:00 GMT'), waits(0)],
    [
      'never ends later than the last instant a Date can hold',
      { 'retry-after': '9'.repeat(15) },
      { retryAfterMs: 8.64e15 - RECEIVED_AT },
    ],
    [
      'is no date in another time zone',
      { 'retry-after': 'Thu, 05 Nov 2026 10:01:00 CET' },
      { malformed: ['retry-after'] },
    ],
    ['is no date in the form of ISO 8601', { 'retry-after': '2026-11-05T10:01:00Z' }, { malformed: ['retry-after'] }],
  );

  test('takes a year of two digits as of the next century when that is nearer', () => {
    const now = Date.UTC(2099, 11, 31, 23, 59, 59);
    const headers = new Headers({ 'retry-after': 'Friday, 01-Jan-00 00:00:00 GMT' });
    expect(readQuota(headers, now).retryAfterMs).toBe(1_000);
  });
});

describe('date', () => {
  const unreadable = [
    DATE.toLowerCase(),
    'Thu, 5 Nov 2026 10:00:00 GMT',
    'Thu, 05 Nov 2026 10:00:00 +0000',
    'Thu, 05 Nox 2026 10:00:00 GMT',
    'Thu, 31 Nov 2026 10:00:00 GMT',
    'Thu, 00 Nov 2026 10:00:00 GMT',
    'Sun, 29 Feb 2026 10:00:00 GMT',
    'Thu, 05 Nov 2026 24:00:00 GMT',
    'Thu, 05 Nov 2026 10:60:00 GMT',
    'Thu, 05 Nov 2026 10:00:61 GMT',
    'Wed, 31 Dec 1969 23:59:59 GMT',
    'Thu Nov  5 10:00:00 1969',
    'Thu, 05 Nov 2026 10:60:59 GMT',
    'Thu, 05 Nov 2026 10:00:99 GMT',
    'Sat, 29-Feb-28 10:00:00 GMT',
    'Tuesday, 29-Feb-27 10:00:00 GMT',
    'A Thu Nov  5 10:00:00 2026',
    'Thu Nov  5 10:00:00 2026 GMT',
    'Thursday, 05-Nov-26 10:00:00 GMT+1',
    '1793872800',
    '-',
    'now',
  ];
  test.each(unreadable)('is not written "%s"', (date) => {
    expectQuota({ date }, { malformed: ['date'] });
  });

  rows(
    ['may be in the form of RFC 850', { date: 'Thursday, 05-Nov-26 10:00:00 GMT' }, { date: SERVER_NOW }],
    ['may be in the form of asctime', { date: 'Thu Nov  5 10:00:00 2026' }, { date: SERVER_NOW }],
    ['may be a leap day', { date: 'Tue, 29 Feb 2028 10:00:00 GMT' }, { date: Date.UTC(2028, 1, 29, 10) }],
    [
      'may be a leap second, read as the one before',
      { date: 'Sat, 31 Dec 2016 23:59:60 GMT' },
      { date: Date.UTC(2016, 11, 31, 23, 59, 59) },
    ],
    [
      'that cannot be read leaves the reset to our clock',
      { date: 'now', 'ratelimit-reset': '1' },
      { resetAt: RECEIVED_AT + 1_000, malformed: ['date'] },
    ],
  );
});

describe('the time from an answer to the reset that it states', () => {
  test.each([
    [-1, true],
    [0, false],
    [42_000, false],
    [42_000.5, false],
    [42_001, true],
    [42_999, true],
  ])('is that to a date where it is below 0 or no whole seconds: %d ms', (leftMs, isDate) => {
    expect(isDateLeft(leftMs)).toBe(isDate);
  });
});
