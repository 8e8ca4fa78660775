import { describe, expect, it } from 'vitest';
import type { WindowNews } from '../../../src/quota/share-limit.ts';
import { StrangersReserve } from '../../../src/sharing/ledger/strangers-reserve.ts';
import { reading } from '../support/small.ts';

const MINUTE = { period: 'minute', limit: 300 } as const;
const SECOND = { period: 'second', limit: 20 } as const;

/** A refusal at this instant by a minute of 300 units, which is full. */
function refusal(now: number, rest: Partial<WindowNews> = {}): WindowNews {
  return reading({ limit: 300, used: 300, isRefused: true, receivedAt: now, ...rest });
}

it('a refusal adds three hundredths of the limit, at least two units, which fade', () => {
  const reserve = new StrangersReserve();
  expect(reserve.units(MINUTE, 0)).toBe(0);
  reserve.read(refusal(0), 0);
  reserve.read(refusal(0, { period: 'second', limit: 20, used: 20 }), 0);
  expect([reserve.units(MINUTE, 0), reserve.units(SECOND, 0)]).toEqual([9, 2]);
  // In ten windows, and no sooner than in two minutes.
  expect([reserve.units(MINUTE, 600_000), reserve.units(MINUTE, 1_200_000)]).toEqual([3, 1]);
  expect([reserve.units(SECOND, 80_000), reserve.units(SECOND, 90_000)]).toEqual([1, 0]);
});

it('only refusals by the window that is full count, and those that come together as one', () => {
  const reserve = new StrangersReserve();
  reserve.read(refusal(0, { used: 299 }), 0);
  reserve.read(refusal(0, { isRefused: false }), 0);
  expect(reserve.units(MINUTE, 0)).toBe(0);
  reserve.read(refusal(0), 0);
  reserve.read(refusal(14_999), 0);
  expect(reserve.units(MINUTE, 15_000)).toBe(8);
  reserve.read(refusal(15_000), 0);
  expect(reserve.units(MINUTE, 15_000)).toBe(17);
});

it('an hour, a day and a month have none', () => {
  const reserve = new StrangersReserve();
  reserve.read(refusal(0, { period: 'hour' }), 0);
  expect(reserve.units({ ...MINUTE, period: 'hour' }, 0)).toBe(0);
});

it('little more than half of a window is left to strangers at most', () => {
  const reserve = new StrangersReserve();
  for (let nth = 0; nth < 100; nth++) reserve.read(refusal(nth * 15_000), 0);
  expect(reserve.units(MINUTE, 99 * 15_000)).toBe(165);
  reserve.read(refusal(0, { period: 'second', limit: 3, used: 3 }), 0);
  expect(reserve.units({ ...SECOND, limit: 3 }, 0)).toBe(1);
});

describe('of a second', () => {
  /** A reserve of seven units, after four refusals within three seconds. */
  function ofRefusals(): StrangersReserve {
    const reserve = new StrangersReserve();
    for (let at = 0; at < 4_000; at += 1_000) {
      reserve.read(reading({ ...SECOND, used: 20, isRefused: true, sentAt: at, receivedAt: at }), at);
    }
    return reserve;
  }

  /** A reading each second that counts so many units, in which one has been sent since the second began, and others before. */
  function readings(reserve: StrangersReserve, used: number, from: number, until: number): void {
    for (let at = from; at < until; at += 1_000) {
      reserve.onSent(5, at - 600);
      reserve.onSent(1, at);
      reserve.read(reading({ ...SECOND, used, sentAt: at, receivedAt: at + 50 }), at - 500);
      reserve.onSent(3, at + 60);
    }
  }

  it('nothing is left once readings count none but requests of this process, and it is left again as soon as they do', () => {
    const reserve = ofRefusals();
    expect(reserve.units(SECOND, 3_100)).toBe(7);
    readings(reserve, 1, 4_000, 9_000);
    expect(reserve.units(SECOND, 9_000)).toBe(0);
    readings(reserve, 7, 9_000, 12_000);
    expect(reserve.units(SECOND, 12_000)).toBe(7);
  });

  it('readings of a second that is hardly over count as one', () => {
    const reserve = ofRefusals();
    for (let at = 3_010; at < 3_100; at += 10)
      reserve.read(reading({ ...SECOND, used: 0, sentAt: at, receivedAt: at }), at);
    expect(reserve.units(SECOND, 3_100)).toBe(7);
  });

  it('four times as much as readings count is left at most, where refusals ask for more', () => {
    const reserve = ofRefusals();
    readings(reserve, 2, 4_000, 14_000);
    expect(reserve.units(SECOND, 14_000)).toBe(4);
  });
});

it('readings of a minute say nothing of a second, and what was sent after a request is not in its reading', () => {
  const reserve = new StrangersReserve();
  reserve.read(reading({ ...SECOND, used: 20, isRefused: true, sentAt: 0, receivedAt: 0 }), 0);
  for (let at = 2_000; at < 10_000; at += 1_000) {
    reserve.onSent(1, at);
    reserve.onSent(1, at + 10);
    reserve.read(reading({ ...SECOND, used: 1, sentAt: at, receivedAt: at + 40 }), at);
    reserve.read(reading({ ...MINUTE, used: 200, sentAt: at, receivedAt: at + 40 }), at);
  }
  expect(reserve.units(SECOND, 10_000)).toBe(0);
  reserve.onSent(1, 11_000);
  reserve.onSent(1, 11_010);
  reserve.read(reading({ ...SECOND, used: 2, sentAt: 11_000, receivedAt: 11_040 }), 11_000);
  expect(reserve.units(SECOND, 11_050)).toBe(1);
});
