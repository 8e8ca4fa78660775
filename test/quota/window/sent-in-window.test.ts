import { expect, it } from 'vitest';
import { SentInWindow } from '../../../src/quota/window/sent-in-window.ts';
import { knownClock } from '../support/builders.ts';

it('what was sent in a calendar window counts from its beginning, and the most of the last two is remembered', () => {
  const sent = new SentInWindow('second', knownClock());
  expect(sent.most).toBe(0);
  sent.onSent(3, 100);
  sent.onSent(4, 200);
  sent.onSent(2, 1_100);
  expect([sent.units, sent.most]).toEqual([2, 7]);
  sent.onSent(1, 2_100);
  expect([sent.units, sent.most]).toEqual([1, 2]);
});
