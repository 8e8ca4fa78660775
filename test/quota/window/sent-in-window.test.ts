import { expect, it } from 'vitest';
import { SentInWindow } from '../../../src/quota/window/sent-in-window.ts';
import { knownClock } from '../support/builders.ts';

it('what was sent in a calendar window counts from its beginning, and the most of the last two is remembered', () => {
  const sent = new SentInWindow('second', knownClock());
  expect(sent.most).toBe(0);
  sent.onSent(3, 100);
  sent.onSent(4, 200);
  sent.onSent(2, 1_100);
  expect([sent.units(1_900), sent.most]).toEqual([2, 7]);
  expect(sent.units(2_100)).toBe(0);
  sent.onSent(1, 2_100);
  expect([sent.units(2_100), sent.most]).toEqual([1, 2]);
});

it('a second is busy while half of its limit was sent in it or in the one before', () => {
  const sent = new SentInWindow('second', knownClock());
  expect(sent.isBusy(8, 100)).toBe(false);
  sent.onSent(3, 100);
  expect(sent.isBusy(8, 200)).toBe(false);
  sent.onSent(1, 200);
  expect([sent.isBusy(8, 200), sent.isBusy(9, 200)]).toEqual([true, false]);
  expect([sent.isBusy(8, 1_500), sent.isBusy(8, 2_500)]).toEqual([true, false]);
});

it('a request that cost less than was held for it counts for what it cost, in the window that it was sent in', () => {
  const sent = new SentInWindow('second', knownClock());
  sent.onSent(6, 200);
  sent.onCheaper(4, 200);
  expect([sent.units(200), sent.most]).toEqual([2, 2]);
  sent.onSent(1, 1_100);
  expect(sent.most).toBe(2);
  sent.onCheaper(1, 200);
  expect([sent.units(1_100), sent.most]).toEqual([1, 1]);
});

it('of a window before, the rest counts', () => {
  const sent = new SentInWindow('second', knownClock());
  sent.onSent(6, 200);
  sent.onSent(1, 1_100);
  sent.onCheaper(2, 200);
  expect(sent.most).toBe(4);
});
