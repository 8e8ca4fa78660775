import { describe, expect, it } from 'vitest';
import { SHAPES } from '../../../src/quota/models/all.ts';
import { type ShareLimit, wholeShareLimit } from '../../../src/quota/share-limit.ts';
import type { Period } from '../../../src/quota/time/periods.ts';
import { AnsweredRequests } from '../../../src/quota/usage/answered.ts';
import { Concurrency } from '../../../src/quota/usage/concurrency.ts';
import { InFlight } from '../../../src/quota/usage/in-flight.ts';
import { NamedWindow } from '../../../src/quota/window/named-window.ts';
import { PriorityReserve } from '../../../src/quota/window/reserve/priority-reserve.ts';
import { charge, knownClock, readingsOf, untilOf } from '../../quota/support/builders.ts';

/** A window of ten units of which nine are used, of a process that shares its quota. */
function shared(period: Period, share: Partial<ShareLimit> = {}, limit = 10) {
  const flights = new InFlight(new Concurrency(20), 9_000_000);
  const window = new NamedWindow(period, {
    ...{ clock: knownClock(), flights, priorityReserve: new PriorityReserve() },
    answered: new AnsweredRequests(),
    costs: { cheapest: 1, isProbing: () => false },
    shareLimit: { ...wholeShareLimit, isShared: true, ...share },
  });
  const read = (sentAt: number, used: number, more = {}): void =>
    window.read(readingsOf(limit, 100)(sentAt, used, more));
  read(1_000, limit - 1, { own: 0 });
  return { window, flights, read };
}

describe('a refusal of what the processes of a share were granted', () => {
  const epochAfter = (period: Period, share: Partial<ShareLimit> = {}, limit = 10): number => {
    const { window, read } = shared(period, share, limit);
    window.candidates.adopt({ alive: SHAPES, epoch: 0 });
    read(5_000, limit - 1, { own: 2, limited: true });
    return window.candidates.shapes.epoch;
  };

  it('tells the others of an estimate where a second was refused that no process has overdrawn', () => {
    expect(epochAfter('second')).toBe(1);
    expect(epochAfter('minute')).toBe(0);
    expect(epochAfter('second', { isOverdrawn: () => true })).toBe(0);
    expect(epochAfter('second', { isShared: false })).toBe(0);
  });

  it('tells them of one of a minute, too, that has so few units that no reading rules it out', () => {
    expect([3, 4].map((limit) => epochAfter('minute', {}, limit))).toEqual([1, 0]);
  });
});

it('a window of seconds waits for no answer though one is under way, whatever others may have taken', () => {
  const { window, flights } = shared('second', { isShared: false });
  flights.take(charge(), 3_000);
  expect(untilOf(window, charge(), 5_010)).toBe(5_010);
});
