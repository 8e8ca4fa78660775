import { describe, expect, it } from 'vitest';
import { ServerClock } from '../../../src/quota/time/server-clock.ts';
import { Timeline } from '../../../src/sharing/slots/timeline.ts';
import { BEGIN } from '../support/small.ts';

/** A service clock that is known to be ahead of ours by this much. */
function known(least: number, most: number): ServerClock {
  const clock = new ServerClock();
  clock.narrow(least, most, 0);
  return clock;
}

describe('the time by which seconds are named', () => {
  it('is the service’s, as far as answers show it', () => {
    const timeline = new Timeline(known(BEGIN, BEGIN + 30));
    expect(timeline.at(0)).toEqual({ least: BEGIN, most: BEGIN + 30 });
  });

  it('is the service’s whatever the store’s clock shows, and however that jumps', () => {
    const alone = new Timeline(known(BEGIN, BEGIN + 30));
    const timeline = new Timeline(known(BEGIN, BEGIN + 30));
    for (const jump of [0, -3_600_000, 3_600_000]) {
      timeline.hearStore(BEGIN + jump, 0, 1);
      expect(timeline.at(1)).toEqual(alone.at(1));
      expect(timeline.surely(BEGIN + 1_000, 1)).toBe(alone.surely(BEGIN + 1_000, 1));
    }
  });

  it('is the store’s while the service’s is unknown: processes must agree, and no more', () => {
    const timeline = new Timeline(new ServerClock());
    expect(timeline.isKnown).toBe(false);
    timeline.hearStore(BEGIN + 100, 90, 110);
    const { least, most } = timeline.at(200);
    expect(most - least).toBe(0);
    expect(least).toBeCloseTo(BEGIN + 200.5);
    expect(timeline.surely(BEGIN + 1_000, 200)).toBeCloseTo(999.5);
  });

  it('is the store’s also where no date tells the service’s, but the end of a second: not every process may have heard one', () => {
    const service = new ServerClock();
    for (const at of [100, 900]) service.observeEnd('second', BEGIN + 1_000, at, at);
    const timeline = new Timeline(service);
    expect(timeline.isKnown).toBe(false);
    timeline.hearStore(BEGIN + 40_000, 900, 900);
    expect(timeline.at(900).least).toBeCloseTo(BEGIN + 40_000, -1);
    expect(timeline.isSharp(900)).toBe(false);
  });

  it('is the middle of what the service’s clock may show where that is vague: else no second would cover an arrival', () => {
    const timeline = new Timeline(known(BEGIN, BEGIN + 4_000));
    expect(timeline.at(0).least).toBeCloseTo(BEGIN + 2_000);
    expect(timeline.at(0).most).toBeCloseTo(BEGIN + 2_000);
  });

  it('reaches later for an arrival, by the usual round trip: a request arrives somewhere on its way', () => {
    const timeline = new Timeline(known(BEGIN, BEGIN + 30));
    timeline.addRoundTrip(100);
    expect(timeline.arrival(0)).toEqual({ least: BEGIN, most: BEGIN + 30 + 100 });
  });

  it('reaches no later by a few round trips that are longer than the others', () => {
    const timeline = new Timeline(new ServerClock());
    timeline.addRoundTrip(3_000);
    expect(timeline.roundTripMs).toBe(3_000);
    timeline.addRoundTrip(15);
    expect(timeline.roundTripMs).toBe(15);
    for (let count = 0; count < 20; count++) timeline.addRoundTrip(count % 4 === 0 ? 3_000 : 100);
    expect(timeline.roundTripMs).toBe(100);
  });

  it('reaches later by a longer round trip once three of the last nine are as long, and no more once seven are not', () => {
    const timeline = new Timeline(new ServerClock());
    const reaches = (ms: number): number => {
      timeline.addRoundTrip(ms);
      return timeline.roundTripMs;
    };
    for (let count = 0; count < 9; count++) reaches(100);
    expect([900, 900, 900].map(reaches)).toEqual([100, 100, 900]);
    for (let count = 0; count < 9; count++) reaches(900);
    expect([100, 100, 100, 100, 100, 100, 100].map(reaches)).toEqual([900, 900, 900, 900, 900, 900, 100]);
  });

  it('is sure to have come only when the slowest clock that may be shows it', () => {
    const timeline = new Timeline(known(BEGIN, BEGIN + 30));
    expect(timeline.surely(BEGIN + 1_000, 0)).toBeCloseTo(1_000, 0);
  });

  it('knows the store’s clock by its fastest trip of late, and by any after a minute', () => {
    const timeline = new Timeline(new ServerClock());
    const width = (): number => (timeline.storeOffset?.most ?? 0) - (timeline.storeOffset?.least ?? 0);
    timeline.hearStore(BEGIN, 0, 2);
    timeline.hearStore(BEGIN, 0, 40);
    expect(width()).toBe(3);
    // Clocks drift, and the store may have moved to another machine.
    timeline.hearStore(BEGIN + 70_000, 70_000, 70_040);
    expect(width()).toBe(41);
  });

  it('is known where the service’s clock or the store’s is', () => {
    expect(new Timeline(known(BEGIN, BEGIN)).isKnown).toBe(true);
    const timeline = new Timeline(new ServerClock());
    expect(timeline.at(5)).toEqual({ least: 5, most: 5 });
    timeline.hearStore(BEGIN, 0, 2);
    expect(timeline.isKnown).toBe(true);
  });

  it('is sharp where the service’s clock and a round trip leave no more than 600 ms open', () => {
    const isSharp = (clock: ServerClock, roundTripMs: number): boolean => {
      const timeline = new Timeline(clock);
      timeline.addRoundTrip(roundTripMs);
      return timeline.isSharp(0);
    };
    expect([200, 201].map((ms) => isSharp(known(BEGIN, BEGIN + 400), ms))).toEqual([true, false]);
    expect(isSharp(known(BEGIN, BEGIN + 590), 20)).toBe(false);
    expect(isSharp(new ServerClock(), 20)).toBe(false);
  });

  it('is taken from the middle of the service’s clock only where that is vaguer than 2.5 s', () => {
    expect(new Timeline(known(BEGIN, BEGIN + 2_500)).at(0)).toEqual({ least: BEGIN, most: BEGIN + 2_500 });
    expect(new Timeline(known(BEGIN, BEGIN + 4_000)).at(1_000).least).toBeCloseTo(BEGIN + 3_000);
  });

  it('takes the store’s clock from a trip as fast as the fastest, and from a slower one after more than a minute', () => {
    const least = (...trips: readonly (readonly [ahead: number, sentAt: number, now: number])[]): number => {
      const timeline = new Timeline(new ServerClock());
      for (const [ahead, sentAt, now] of trips) timeline.hearStore(BEGIN + ahead + sentAt, sentAt, now);
      return (timeline.storeOffset?.least ?? 0) - BEGIN;
    };
    const first = least([0, 0, 2]);
    expect(least([0, 0, 2], [7, 100, 102])).toBe(first + 7);
    expect(least([0, 0, 40], [7, 100, 102])).toBe(first + 7);
    expect(least([0, 0, 2], [7, 59_962, 60_002])).toBe(first);
    expect(least([0, 0, 2], [7, 59_963, 60_003])).not.toBe(first);
    expect(least([0, 50_000, 50_002], [7, 50_100, 50_140])).toBe(first);
  });
});
