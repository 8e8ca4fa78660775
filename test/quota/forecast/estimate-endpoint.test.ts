import { describe, expect, it } from 'vitest';
import { Desk, ENDLESS, VAGUE_MS } from '../support/desk.ts';

describe('an estimate of the window of an endpoint', () => {
  /** Whose limit of ten has four requests left, after an answer that names this reset. */
  function four(resetInMs?: number, options: { hasDate?: boolean } = {}): Desk {
    const desk = new Desk(0, options);
    const resetAt = resetInMs === undefined ? {} : { resetAt: desk.wall + resetInMs };
    desk.serve({ endpoint: 'GET /few' }, { limit: 10, remaining: 4, ...resetAt });
    return desk;
  }
  const few = (desk: Desk, count: number): number => desk.estimate(count, 1, 'GET /few');

  it.for([true, false])(
    'is a second after its reset, which may be rounded, and so long after it again (with a date: %s)',
    (hasDate) => {
      const desk = four(7_000, { hasDate });
      const said = [4, 5, 14, 15, 25].map((count) => few(desk, count));
      for (const [nth, at] of [0, 8_000, 8_000, 68_000, 128_000].entries())
        expect(Math.abs((said[nth] ?? 0) - at)).toBeLessThan(VAGUE_MS);
    },
  );

  it('is when the window holds the next request no longer', () => {
    const desk = four(7_000);
    while (desk.serve({ endpoint: 'GET /few' })) desk.pass(10);
    const admission = desk.pacer.admit({ endpoint: 'GET /few', maxWaitMs: ENDLESS }, desk.now);
    expect(few(desk, 1)).toBeCloseTo(admission.kind === 'wait' ? admission.hold.until - desk.now : Number.NaN, 6);
  });

  it('is the next full minute where no reset is named', () => {
    const desk = four();
    expect(few(desk, 4)).toBe(0);
    expect(Math.abs(few(desk, 5) - 40_000)).toBeLessThan(VAGUE_MS);
  });

  it('has the whole limit again once its reset has passed', () => {
    const desk = four(7_000);
    desk.pass(8_000 + VAGUE_MS);
    expect([few(desk, 10), few(desk, 11) > 50_000]).toEqual([0, true]);
  });

  it('leaves other endpoints alone, and counts for work of any', () => {
    const desk = four(7_000);
    expect(desk.estimate(50, 1, 'GET /a')).toBe(0);
    const any = desk.pacer.estimate([{ count: 5, cost: 1 }], desk.now);
    expect(any?.window).toBe('endpoint');
  });

  it('counts requests, whatever they cost, beside a window that the service names, and else units', () => {
    const desk = new Desk(500);
    desk.serve({ endpoint: 'GET /few' }, { limit: 10, remaining: 4, resetAt: desk.wall + 7_000 });
    expect(desk.estimate(4, 2, 'GET /few')).toBe(0);
    expect([four(7_000).estimate(2, 2, 'GET /few'), four(7_000).estimate(3, 2, 'GET /few') > 7_000]).toEqual([0, true]);
  });
});
