import { describe, expect, it } from 'vitest';
import { Throughput } from '../../../src/quota/forecast/throughput.ts';

describe('what was served', () => {
  it('is nothing at first, and how long it takes is unknown', () => {
    const { requests, units, roundTripMs } = new Throughput();
    expect([requests, units, roundTripMs]).toEqual([0, 0, undefined]);
  });

  it('adds up, and an answer takes as long as the last ones did, each new one by a tenth', () => {
    const throughput = new Throughput();
    throughput.onServed(3, 100);
    expect(throughput.roundTripMs).toBe(100);
    throughput.onServed(2, 200);
    expect([throughput.requests, throughput.units]).toEqual([2, 5]);
    expect(throughput.roundTripMs).toBeCloseTo(110, 9);
    throughput.onServed(0, 10);
    expect(throughput.roundTripMs).toBeCloseTo(100, 9);
  });
});
