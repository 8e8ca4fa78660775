import { describe, expect, it } from 'vitest';
import { SHAPES } from '../../../../src/quota/models/all.ts';
import { slidingLog } from '../../../../src/quota/models/sliding-log.ts';
import { ServerClock } from '../../../../src/quota/time/server-clock.ts';
import { AnsweredRequests } from '../../../../src/quota/usage/answered.ts';
import { NamedEnd } from '../../../../src/quota/window/shape/named-end.ts';
import { knownClock, readingsOf } from '../../support/builders.ts';

const MINUTE_MS = 60_000;

/** Readings of a minute of 100 units, one of which drains in 0.6 s; an answer takes 100 ms. */
const reading = readingsOf(100, 100);

type Read = readonly [sentAt: number, used: number];

/** The shapes that an end allows which the last of these answers names. */
function allowed(end: number, readings: readonly Read[], clock = knownClock(), isShared = true): readonly string[] {
  const named = new NamedEnd('minute', clock, new AnsweredRequests());
  for (const [sentAt, used] of readings) named.onReading(reading(sentAt, used));
  return SHAPES.filter(named.allows(end, { isShared, mayFill: false })).map(({ name }) => name);
}

const OF_CALENDARS = ['sliding-counter', 'aligned'];
const ALL = SHAPES.map(({ name }) => name);

describe('the end of a window that the service names', () => {
  it('is that of the calendar, or of an estimate from its windows, if the window would end at another time if it had another shape', () => {
    expect(allowed(MINUTE_MS, [[20_000, 1]])).toEqual(OF_CALENDARS);
    expect(
      allowed(MINUTE_MS, [
        [20_000, 1],
        [21_000, 90],
      ]),
    ).toEqual(OF_CALENDARS);
  });

  it('is not that of the calendar, nor of an estimate from its windows, if it is more than two seconds from its end', () => {
    const without = ALL.filter((name) => !OF_CALENDARS.includes(name));
    expect(allowed(MINUTE_MS + 2_100, [[20_000, 1]])).toEqual(without);
    expect(allowed(MINUTE_MS + 1_900, [[20_000, 1]])).not.toEqual(without);
    expect(allowed(MINUTE_MS - 2_100, [[20_000, 1]])).toEqual(without);
  });

  it('tells one client alone of the calendar only that it ends the window, and not that it does not', () => {
    expect(allowed(MINUTE_MS, [[20_000, 1]], knownClock(), false)).toEqual(OF_CALENDARS);
    const withoutEstimate = ALL.filter((name) => name !== 'sliding-counter');
    expect(allowed(MINUTE_MS + 2_100, [[20_000, 1]], knownClock(), false)).toEqual(withoutEstimate);
  });

  it('may be that of the calendar though the service’s clock is known to a minute only', () => {
    const vague = new ServerClock();
    vague.observeEnd('minute', MINUTE_MS, 20_000, 20_100);
    expect(allowed(MINUTE_MS, [[20_000, 1]], vague)).toContain('aligned');
  });

  it('may be that of a log, or of a window that the first request opens, a minute after the first request that is counted', () => {
    const ofFirst = ['sliding-log', ...OF_CALENDARS, 'first-request'];
    expect(allowed(MINUTE_MS, [[1_900, 1]])).toEqual(ofFirst);
    expect(allowed(MINUTE_MS, [[2_100, 1]])).toEqual(OF_CALENDARS);
    // When that was is not known, or it was so long ago that it counts no more.
    expect(allowed(MINUTE_MS, [[20_000, 2]])).toEqual(ofFirst);
    expect(
      allowed(2 * MINUTE_MS, [
        [20_000, 1],
        [79_000, 2],
      ]),
    ).toEqual(ofFirst);
  });

  it('follows no request that cost nothing: it began no window', () => {
    const named = new NamedEnd('minute', knownClock(), new AnsweredRequests());
    named.onReading({ ...reading(2_100, 0), own: 0 });
    named.onReading(reading(20_000, 2));
    const names = SHAPES.filter(named.allows(MINUTE_MS, { isShared: true, mayFill: false })).map(({ name }) => name);
    expect(names).toEqual(allowed(MINUTE_MS, [[20_000, 2]]));
  });

  it('may be that of a bucket when all that is used has drained', () => {
    const ofBucket = [...OF_CALENDARS, 'leaky'];
    expect(allowed(MINUTE_MS, [[57_500, 1]])).toContain('leaky');
    expect(allowed(MINUTE_MS, [[57_000, 1]])).not.toContain('leaky');
    const allowedBy = (used: number) =>
      allowed(MINUTE_MS, [
        [20_000, 1],
        [30_000, used],
      ]);
    expect([46, 47, 50, 53, 54].map((used) => allowedBy(used).length)).toEqual([2, 3, 3, 3, 2]);
    expect(allowedBy(50)).toEqual(ofBucket);
  });

  it('is not that of a log, if that surely counts a request of ours which came more than a minute and two seconds before it', () => {
    const isOfLog = (sentAt: number, mayFill = false) => {
      const answered = new AnsweredRequests();
      answered.add(sentAt, sentAt + 100, 1, 1);
      const named = new NamedEnd('minute', knownClock(), answered);
      named.onReading(reading(59_000, 50));
      return named.allows(2 * MINUTE_MS, { isShared: true, mayFill })(slidingLog);
    };
    expect(isOfLog(30_000)).toBe(false);
    expect(isOfLog(57_800)).toBe(false);
    expect(isOfLog(57_900)).toBe(true);
    // By the time of the answer it counts no more, or may not.
    expect(isOfLog(-1_000)).toBe(true);
    // Others spent 50, and a window that only fills may have begun with one of theirs.
    expect(isOfLog(30_000, true)).toBe(true);
  });

  it('tells nothing without the service’s clock, before the first reading, and with a refusal', () => {
    expect(allowed(MINUTE_MS, [[20_000, 1]], new ServerClock())).toEqual(ALL);
    expect(allowed(MINUTE_MS, [])).toEqual(ALL);
    const named = new NamedEnd('minute', knownClock(), new AnsweredRequests());
    named.onReading(reading(20_000, 100, { limited: true }));
    expect(SHAPES.every(named.allows(MINUTE_MS, { isShared: true, mayFill: false }))).toBe(true);
  });
});
