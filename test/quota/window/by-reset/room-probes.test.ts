import { describe, expect, it } from 'vitest';
import { ServerClock } from '../../../../src/quota/time/server-clock.ts';
import { RoomProbes } from '../../../../src/quota/window/by-reset/room-probes.ts';
import { knownClock } from '../../support/builders.ts';

/** When probes go, from 200 ms until the first one past a minute, each as soon as it may. */
function probedAt(clock: ServerClock, left: number): number[] {
  const probes = new RoomProbes(20, clock);
  const sentAt: number[] = [];
  for (let now = 200; now < 70_000; now = probes.nextAt) {
    sentAt.push(now);
    probes.onSent(left, now);
  }
  return sentAt;
}

describe('probes of a window of which no reset is named', () => {
  it.each([
    ['a tenth of 40 requests', 40, 4],
    ['eight of 100', 100, 8],
    ['one of 2', 2, 1],
    ['none of 0', 0, 0],
  ])('are %s', (_, limit, reserved) => {
    expect(new RoomProbes(limit, knownClock()).reserved).toBe(reserved);
  });

  it('go at once, then ever rarer, and with each full minute', () => {
    expect(new RoomProbes(20, knownClock()).nextAt).toBe(-Infinity);
    const sentAt = probedAt(knownClock(), 0);
    expect(sentAt.slice(0, 8)).toEqual([200, 600, 1_400, 3_000, 6_200, 12_600, 25_400, 51_000]);
    expect(sentAt).toHaveLength(9);
    expect(sentAt[8]).toBeCloseTo(60_026, 0);
  });

  it('are as frequent as at first after a full minute, where requests are left for them', () => {
    const sentAt = probedAt(knownClock(), 1).slice(8);
    expect(sentAt.slice(0, 4).map((now) => Math.round((now - (sentAt[0] ?? 0)) / 100))).toEqual([0, 4, 12, 28]);
  });

  it('are so, too, after an answer that shows that there is more', () => {
    const probes = new RoomProbes(20, knownClock());
    for (const now of [200, 600]) probes.onSent(0, now);
    probes.onRoom();
    probes.onSent(0, 5_000);
    expect(probes.nextAt).toBe(5_400);
  });

  it('have no regard to minutes where the clock of the service is unknown', () => {
    expect(probedAt(new ServerClock(), 1)).toEqual([200, 600, 1_400, 3_000, 6_200, 12_600, 25_400, 51_000]);
  });
});
