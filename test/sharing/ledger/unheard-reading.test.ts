import { expect, it } from 'vitest';
import { UnheardReading } from '../../../src/sharing/ledger/unheard-reading.ts';
import { reading } from '../support/small.ts';

/** When a reading of a minute of 10 units is to be told that was received at 5 s, where the store counts so many and this process holds some. */
function tellsAt(used: number, counted: number, held = 0, slides = false): number {
  const unheard = new UnheardReading();
  unheard.count('minute', counted);
  unheard.read(reading({ period: 'minute', limit: 10, used, receivedAt: 5_000 }), held, slides);
  return unheard.tellsAt;
}

it('a reading is told after a moment if it counts less than the store, but for what this process holds', () => {
  expect(tellsAt(3, 7)).toBe(7_000);
  expect(tellsAt(3, 7, 3)).toBe(7_000);
  expect([tellsAt(7, 7), tellsAt(8, 7), tellsAt(3, 7, 4)]).toEqual(new Array(3).fill(Infinity));
});

it('a reading is not told for itself where half of the window is free', () => {
  expect([tellsAt(1, 5), tellsAt(1, 6)]).toEqual([Infinity, 7_000]);
});

it('a reading by which the store counts what is used is told where the window slides and is nearly full', () => {
  expect([tellsAt(10, 9, 0, true), tellsAt(10, 10), tellsAt(10, 10, 0, true)]).toEqual([Infinity, Infinity, 7_000]);
});

it('a reading is told once, and the store counts what it said last', () => {
  const unheard = new UnheardReading();
  const read = (): void => unheard.read(reading({ period: 'minute', limit: 10, used: 3 }), 0, false);
  for (const counted of [7, 2]) unheard.count('minute', counted);
  read();
  expect(unheard.tellsAt).toBeLessThan(Infinity);
  unheard.tell();
  expect(unheard.tellsAt).toBe(Infinity);
  unheard.count('minute', 3);
  read();
  expect(unheard.tellsAt).toBe(Infinity);
});
