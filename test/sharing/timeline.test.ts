import { describe, expect, it } from 'vitest';
import { ServerClock } from '../../src/quota/time/server-clock.ts';
import { Timeline } from '../../src/sharing/timeline.ts';
import { BEGIN } from './support/small.ts';

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

  it('is the middle of what the service’s clock may show where that is vague: else no second would cover an arrival', () => {
    const timeline = new Timeline(known(BEGIN, BEGIN + 4_000));
    expect(timeline.at(0).least).toBeCloseTo(BEGIN + 2_000);
    expect(timeline.at(0).most).toBeCloseTo(BEGIN + 2_000);
  });

  it('reaches later for an arrival, by the longest round trip of late: a request arrives somewhere on its way', () => {
    const timeline = new Timeline(known(BEGIN, BEGIN + 30));
    timeline.hearRoundTrip(100);
    timeline.hearRoundTrip(10);
    expect(timeline.arrival(0)).toEqual({ least: BEGIN, most: BEGIN + 30 + 98 });
  });

  it('forgets a slow round trip within some hundred answers', () => {
    const timeline = new Timeline(new ServerClock());
    timeline.hearRoundTrip(1_000);
    for (let count = 0; count < 300; count++) timeline.hearRoundTrip(10);
    expect(timeline.roundTripMs).toBeLessThan(11);
  });

  it('does not reach later by a round trip that is much longer than the others, unless half of them are', () => {
    const timeline = new Timeline(new ServerClock());
    timeline.hearRoundTrip(3_000);
    expect(timeline.roundTripMs).toBe(3_000);
    timeline.hearRoundTrip(15);
    expect(timeline.roundTripMs).toBe(200);
    for (let count = 0; count < 20; count++) timeline.hearRoundTrip(count % 4 === 0 ? 3_000 : 100);
    expect(timeline.roundTripMs).toBe(300);
    for (let count = 0; count < 8; count++) timeline.hearRoundTrip(900);
    expect(timeline.roundTripMs).toBeGreaterThan(2_400);
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
});
