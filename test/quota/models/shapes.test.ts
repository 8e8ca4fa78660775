import { describe, expect, it } from 'vitest';
import type { FirstRequestModel } from '../../../src/quota/models/first-request.ts';
import { SlidingLogModel } from '../../../src/quota/models/sliding-log.ts';
import { AnsweredRequests } from '../../../src/quota/usage/answered.ts';
import { ReadFirstRequestModel, readingsOf } from '../support/builders.ts';

const MINUTE_MS = 60_000;

const reading = readingsOf(500, 2);

describe('sliding log', () => {
  it('a sliding log is not refuted by a burst that left at the very end of the window, however little clocks drift', () => {
    const log = new SlidingLogModel(MINUTE_MS);
    const past = new AnsweredRequests();
    for (let call = 0; call < 300; call++) {
      log.book(1, call / 10, call / 10 + 2);
      past.add(call / 10, call / 10 + 2, 1, 1);
    }
    const asTheyLeave = 60_015;
    expect(log.isContradicted(reading(asTheyLeave - 2, 150), past)).toBe(false);
    expect(log.isContradicted(reading(30_000, 150), past)).toBe(true);
  });
});

/** Sends a request of one unit to a window, and says whether its answer contradicts the shape. */
function sendingTo(window: FirstRequestModel): (at: number, used: number, held?: number) => boolean {
  const past = new AnsweredRequests();
  return (at, used, held = 0) => {
    const now = reading(at, used, { held });
    const isContradicted = window.isContradicted(now, past);
    window.book(1, at, at + 2);
    window.reconcile(now, past);
    past.add(at, at + 2, 1, 1);
    return isContradicted;
  };
}

describe('first-request window', () => {
  it('a window that the first request opens has an end where another consumer filled it before this client sent anything there', () => {
    const window = new ReadFirstRequestModel(MINUTE_MS);
    const past = new AnsweredRequests();
    window.book(1, 0, 2);
    window.reconcile(reading(0, 1), past);
    const next = 70_000;
    window.reconcile(reading(next, 500, { own: 0 }), past);
    const at = window.earliest(1, 0, 500, next + 10);
    expect(at).toBeGreaterThan(next + 10);
    expect(at).toBeLessThan(next + MINUTE_MS + 100);
  });

  it('began with a request that the service counts alone, whatever other processes sent before it', () => {
    const send = sendingTo(new ReadFirstRequestModel(MINUTE_MS));
    send(0, 400);
    // Other processes may have begun the window of 61 s earlier: only the count of 1 says that they did not.
    for (const [index, at] of [75_000, 80_000, 90_000, 100_000].entries()) expect(send(at, index + 1)).toBe(false);
    // A window that began at 75 s cannot have ended at 121 s, as one of the calendar has.
    expect(send(121_000, 1)).toBe(true);
  });

  it('holds no more than its service has counted, though another consumer may have begun it long ago', () => {
    const window = new ReadFirstRequestModel(MINUTE_MS);
    const past = new AnsweredRequests();
    const send = (at: number, units: number, used: number): void => {
      window.book(units, at, at + 2);
      window.reconcile(reading(at, used, { own: units }), past);
      past.add(at, at + 2, units, units);
    };
    // That window began at any time in the last minute, so the 300 may belong to the one after it.
    send(0, 1, 20);
    send(2_000, 300, 320);
    send(61_000, 1, 2);
    expect(window.spent(61_100)).toBe(2);
    expect(window.earliest(400, 0, 500, 61_100)).toBe(61_100);
  });

  it('cannot have ended where less is counted than a moment before, whichever consumer used it', () => {
    const send = sendingTo(new ReadFirstRequestModel(MINUTE_MS));
    send(0, 400);
    // Another request of ours is under way: only the count of 1 says that this one opened the window.
    expect(send(75_000, 1, 1)).toBe(false);
    // Other processes spend 298 units.
    expect(send(119_000, 300)).toBe(false);
    // This one was sent before the last answer came: it was counted first, and its answer was overtaken.
    expect(send(118_999, 290)).toBe(false);
    expect(send(120_100, 2)).toBe(true);
    expect(send(135_100, 2)).toBe(false);
  });

  it('cannot count less than it counted before and what this client sent since', () => {
    const send = sendingTo(new ReadFirstRequestModel(MINUTE_MS));
    send(0, 400);
    expect(send(75_000, 1)).toBe(false);
    // Other processes spend 298 units.
    expect(send(80_000, 300)).toBe(false);
    const growing = (perCall: number, from: number, calls: number): boolean[] =>
      Array.from({ length: 20 }, (_, call) => send(from + 100 * call, 300 + calls + perCall * (call + 1)));
    expect(growing(1, 81_000, 0)).not.toContain(true);
    // An estimate that slides loses half as much meanwhile. No reading counts less than one before it.
    expect(growing(0.5, 85_000, 20)).toContain(true);
  });
});
