import { expect, it } from 'vitest';
import { KeyBreaker } from '../../src/http/key-breaker.ts';

it('the refusals of eight keys are remembered, and the first of nine is tried again', () => {
  const breaker = new KeyBreaker({ now: () => 0 });
  for (let time = 0; time < 5; time++) breaker.record(1, 401);
  for (let key = 2; key <= 8; key++) breaker.record(key, 401);
  expect(breaker.isOpen(1)).toBe(true);
  breaker.record(9, 401);
  expect(breaker.isOpen(1)).toBe(false);
});
