import { expect, it } from 'vitest';
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
  reserve.read(refusal(0));
  reserve.read(refusal(0, { period: 'second', limit: 20, used: 20 }));
  expect([reserve.units(MINUTE, 0), reserve.units(SECOND, 0)]).toEqual([9, 2]);
  // In ten windows, and no sooner than in two minutes.
  expect([reserve.units(MINUTE, 600_000), reserve.units(MINUTE, 1_200_000)]).toEqual([3, 1]);
  expect([reserve.units(SECOND, 80_000), reserve.units(SECOND, 90_000)]).toEqual([1, 0]);
});

it('only refusals by the window that is full count, and those that come together as one', () => {
  const reserve = new StrangersReserve();
  reserve.read(refusal(0, { used: 299 }));
  reserve.read(refusal(0, { isRefused: false }));
  expect(reserve.units(MINUTE, 0)).toBe(0);
  reserve.read(refusal(0));
  reserve.read(refusal(14_999));
  expect(reserve.units(MINUTE, 15_000)).toBe(8);
  reserve.read(refusal(15_000));
  expect(reserve.units(MINUTE, 15_000)).toBe(17);
});

it('an hour, a day and a month have none', () => {
  const reserve = new StrangersReserve();
  reserve.read(refusal(0, { period: 'hour' }));
  expect(reserve.units({ ...MINUTE, period: 'hour' }, 0)).toBe(0);
});

it('little more than half of a window is left to strangers at most', () => {
  const reserve = new StrangersReserve();
  for (let nth = 0; nth < 100; nth++) reserve.read(refusal(nth * 15_000));
  expect(reserve.units(MINUTE, 99 * 15_000)).toBe(165);
  reserve.read(refusal(0, { period: 'second', limit: 3, used: 3 }));
  expect(reserve.units({ ...SECOND, limit: 3 }, 0)).toBe(1);
});
