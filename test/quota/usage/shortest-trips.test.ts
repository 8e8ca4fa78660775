import { describe, expect, it } from 'vitest';
import { ShortestTrips } from '../../../src/quota/usage/shortest-trips.ts';

/** After answers that took so long. */
function seen(...tripsMs: readonly number[]): ShortestTrips {
  const trips = new ShortestTrips();
  for (const tripMs of tripsMs) trips.onAnswer(tripMs);
  return trips;
}

/** The same, ten times. */
function always(tripMs: number): readonly number[] {
  return Array.from({ length: 10 }, () => tripMs);
}

describe('how much sooner than its answer a request is counted', () => {
  it('is half of a round trip that is always the same', () => {
    expect(seen(...always(80)).sureMs).toBe(40);
  });

  it('is nothing that fewer than ten answers tell', () => {
    expect(seen(80, 80, 80, 80, 80, 80, 80, 80, 80).sureMs).toBe(0);
  });

  it('is less the further the shortest round trips lie apart', () => {
    expect(seen(60, 62, 64, 66, 68, 70, 72, 74, 76, 78).sureMs).toBe(21);
  });

  it('is nothing where a round trip may take no time', () => {
    expect(seen(30, 10, 60, 90, 20, 50, 100, 70, 40, 80).sureMs).toBe(0);
  });

  it('is not less because other answers took longer', () => {
    expect(seen(900, ...always(80), 500, 81).sureMs).toBe(40);
  });

  it('is no more than the quickest answer allows, from that one on', () => {
    expect(seen(...always(80), 60).sureMs).toBe(20);
  });

  it('is taken for half of it after each refusal', () => {
    const trips = seen(...always(80));
    trips.onRefused();
    expect(trips.sureMs).toBe(20);
    trips.onRefused();
    expect(trips.sureMs).toBe(10);
  });
});
