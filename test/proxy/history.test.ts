import { describe, expect, it } from 'vitest';
import type { MonthState } from '../../src/client/month-state.ts';
import type { ClientEvent } from '../../src/events.ts';
import { History } from '../../src/proxy/history.ts';

const NOON = Date.UTC(2026, 0, 15, 12);
const sent = (at: number, units: number): ClientEvent =>
  ({ type: 'sent', call: 1, endpoint: 'GET /a', at: new Date(at), units }) as unknown as ClientEvent;
const limited = (at: number): ClientEvent =>
  ({ type: 'limited', call: 1, endpoint: 'GET /a', at: new Date(at), status: 429 }) as unknown as ClientEvent;
const month = (remaining: number, resetsAt = Date.UTC(2026, 1, 1)): MonthState => ({
  limit: 1_000,
  used: 1_000 - remaining,
  remaining,
  resetsAt: new Date(resetsAt),
  perDay: 10,
  affordablePerDay: 20,
});

describe('the history', () => {
  it('counts requests, units and refusals by the second and by the minute', () => {
    const history = new History();
    history.record(sent(NOON, 1));
    history.record(sent(NOON + 999, 4));
    history.record(limited(NOON + 1_000));
    history.record(sent(NOON + 60_000, 2));
    const { units, requests, refused } = history.seconds.until(NOON + 60_500);
    expect([units.slice(-61, -59), requests.slice(-61, -59), refused.slice(-61, -59)]).toEqual([
      [5, 0],
      [2, 0],
      [0, 1],
    ]);
    expect([units.at(-1), requests.at(-1)]).toEqual([2, 1]);
    const minutes = history.minutes.until(NOON + 60_500);
    expect([minutes.units.slice(-2), minutes.refused.slice(-2)]).toEqual([
      [5, 2],
      [1, 0],
    ]);
  });

  it('forgets what is longer ago than it shows', () => {
    const history = new History();
    history.record(sent(NOON, 1));
    const later = history.seconds.until(NOON + 119_999);
    expect([later.units.length, later.units[0]]).toEqual([120, 1]);
    expect(Math.max(...history.seconds.until(NOON + 120_000).units)).toBe(0);
    history.record(sent(NOON + 120_000, 3));
    expect(history.seconds.until(NOON + 120_000).units.filter(Boolean)).toEqual([3]);
  });

  it('counts on where the wall clock is set back', () => {
    const history = new History();
    for (let at = NOON - 3_600_000; at <= NOON; at += 1_000) history.record(sent(at, 1));
    const before = NOON - 600_000;
    history.record(sent(before, 9));
    expect(history.seconds.until(before).units.filter(Boolean)).toEqual([9]);
    expect(history.minutes.until(before).units.at(-1)).toBe(60 + 9);
  });

  it('remembers how the month went, at most one point in six hours, and begins anew with a month', () => {
    const history = new History();
    const hour = 3_600_000;
    expect(history.monthTrail(undefined, NOON)).toEqual([]);
    expect(history.monthTrail(month(900), NOON)).toEqual([
      [NOON, 900],
      [NOON, 900],
    ]);
    expect(history.monthTrail(month(890), NOON + hour)).toEqual([
      [NOON, 900],
      [NOON + hour, 890],
    ]);
    history.monthTrail(month(880), NOON + 6 * hour);
    expect(history.monthTrail(month(870), NOON + 7 * hour)).toEqual([
      [NOON, 900],
      [NOON + 6 * hour, 880],
      [NOON + 7 * hour, 870],
    ]);
    history.keepMonth(() => month(860), NOON + 8 * hour);
    history.keepMonth(() => undefined, NOON + 12 * hour);
    history.keepMonth(() => month(850), NOON + 13 * hour);
    expect(history.monthTrail(month(840), NOON + 14 * hour).slice(-2)).toEqual([
      [NOON + 13 * hour, 850],
      [NOON + 14 * hour, 840],
    ]);
    const next = Date.UTC(2026, 1, 1, 1);
    expect(history.monthTrail(month(999, Date.UTC(2026, 2, 1)), next)).toEqual([
      [next, 999],
      [next, 999],
    ]);
  });
});
