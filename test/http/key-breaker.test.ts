import { describe, expect, it } from 'vitest';
import { KeyBreaker } from '../../src/http/key-breaker.ts';

const A = 'GET /a';
const B = 'GET /b';

/** A breaker that has seen the first key refused so often by one endpoint. */
function refused(times: number): KeyBreaker {
  const breaker = new KeyBreaker({ now: () => 0 });
  for (let time = 0; time < times; time++) breaker.record(1, A, 401);
  return breaker;
}

describe('the breaker of a key', () => {
  it('opens with the fifth refusal in a row, and closes with the first answer that is none', () => {
    expect([4, 5].map((times) => refused(times).isOpen(1, A))).toEqual([false, true]);
    const breaker = refused(5);
    breaker.record(1, A, 200);
    expect(breaker.isOpen(1, A)).toBe(false);
  });

  it('stays closed for an endpoint that has not refused the key since another accepted it', () => {
    const breaker = refused(5);
    expect(breaker.isOpen(1, B)).toBe(false);
    breaker.record(1, B, 403);
    expect(breaker.isOpen(1, B)).toBe(true);
  });

  it('is open for every endpoint once five have refused the key', () => {
    const breaker = new KeyBreaker({ now: () => 0 });
    const open = [1, 2, 3, 4, 5].map((endpoint) => {
      breaker.record(1, `GET /${endpoint}`, 401);
      return breaker.isOpen(1, 'GET /another');
    });
    expect(open).toEqual([false, false, false, false, true]);
  });

  it('remembers the refusals of eight keys, so that the first of nine is tried again', () => {
    const breaker = refused(5);
    for (let key = 2; key <= 8; key++) breaker.record(key, A, 401);
    expect(breaker.isOpen(1, A)).toBe(true);
    breaker.record(9, A, 401);
    expect(breaker.isOpen(1, A)).toBe(false);
  });
});
