import { describe, expect, it } from 'vitest';
import { Demand } from '../../../../src/quota/window/others/demand.ts';

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

/** What a reading shows, unless a test says otherwise: a calendar minute with room, and nothing under way. */
const shown = { startedAt: 0, isFull: false, isBlurred: false };

/** Minutes that had room for so many seconds, in which so many units a second were taken. */
function minutes(perSecond: number, seconds: number, { count = 6 } = {}): Demand {
  const demand = new Demand(MINUTE_MS);
  for (let minute = 0; minute < count; minute++) {
    demand.observe(0, 100, true, shown);
    for (let second = 1; second <= seconds; second++)
      demand.observe(perSecond, SECOND_MS, false, { ...shown, isFull: second === seconds && seconds < 60 });
  }
  return demand;
}

describe('what other consumers want of a minute', () => {
  it('is nothing while nothing is known', () => {
    expect(new Demand(MINUTE_MS).usual).toBe(0);
    expect(new Demand(MINUTE_MS).present).toBe(0);
  });

  it.each([60, 20, 4])('is what they took a second, times 60, where it had room for %i s', (seconds) => {
    const { usual } = minutes(5, seconds);
    expect(usual).toBeGreaterThan(0.85 * 300);
    expect(usual).toBeLessThanOrEqual(300);
  });

  it('is little where little of it was seen', () => {
    const demand = new Demand(MINUTE_MS);
    demand.observe(1, 10, false, shown);
    expect(demand.usual).toBeCloseTo(1 / (10 / MINUTE_MS + 0.02), 0);
  });

  it('is not less for the time in which a minute was full, nor for what was refused then', () => {
    const demand = minutes(5, 20);
    const { usual } = demand;
    demand.observe(0, 40 * SECOND_MS, false, { ...shown, isFull: true });
    expect(demand.usual).toBeGreaterThan(0.99 * usual);
  });

  it('is more for what was refused of a full minute, and the same for what follows once it has room: when that came is not known', () => {
    const demand = minutes(5, 20);
    const { usual } = demand;
    demand.observe(20, 10 * SECOND_MS, false, { ...shown, isFull: true });
    const more = demand.usual;
    expect(more).toBeGreaterThan(1.02 * usual);
    demand.observe(50, 10 * SECOND_MS, false, shown);
    expect(demand.usual).toBe(more);
  });

  it('is not less where it was seen late that a minute had been full', () => {
    const demand = minutes(5, 60);
    demand.observe(0, 100, true, shown);
    demand.observe(100, 50 * SECOND_MS, false, { ...shown, isFull: true });
    expect(demand.usual).toBeGreaterThan(0.85 * 300);
  });

  it('is not less for a burst of the client that hides what they take, until that is answered', () => {
    const demand = minutes(5, 60);
    const { present } = demand;
    demand.observe(0, 100, true, shown);
    for (let tenth = 1; tenth < 20; tenth++) demand.observe(0, 100, false, { ...shown, isBlurred: true });
    expect(demand.present).toBeGreaterThan(0.9 * present);
    demand.observe(10, 100, false, shown);
    expect(demand.present).toBeGreaterThan(0.95 * present);
  });

  it('is less where a burst of the client cannot hide it any more: after three seconds', () => {
    const demand = minutes(5, 60);
    const { present } = demand;
    demand.observe(0, 100, true, shown);
    for (let tenth = 1; tenth < 40; tenth++) demand.observe(0, 100, false, { ...shown, isBlurred: true });
    expect(demand.present).toBeLessThan(0.9 * present);
  });

  it('is less within seconds of a minute in which none comes, and by itself in the next', () => {
    const demand = minutes(5, 60);
    demand.observe(0, 100, true, shown);
    for (let second = 1; second <= 10; second++) demand.observe(0, SECOND_MS, false, shown);
    expect(demand.present).toBeLessThan(40);
    expect(demand.usual).toBeGreaterThan(200);
    demand.observe(0, 0, true, shown);
    expect(demand.present).toBe(demand.usual);
  });
});
