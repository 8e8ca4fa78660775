import { describe, expect, it } from 'vitest';
import { ClientWide } from '../../../src/quota/client-wide.ts';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import { Pacer } from '../../../src/quota/pacer.ts';
import { wholeShareLimit } from '../../../src/quota/share-limit.ts';
import type { Period } from '../../../src/quota/time/periods.ts';
import { Desk, ENDLESS, ORIGIN, VAGUE_MS } from '../support/desk.ts';

describe('an estimate', () => {
  it('is none before the first answer, and of no work the end of the pause', () => {
    const pacer = new Pacer({ clientWide: new ClientWide(1), leaseMs: 9_000 });
    expect(pacer.estimate([{ count: 1 }], 0)).toBeUndefined();
    const desk = new Desk(30);
    expect(desk.pacer.estimate([], desk.now)).toMatchObject({
      at: desk.now,
      sentAt: desk.now,
      each: [],
      window: undefined,
    });
  });

  it('is of each plan, the later ones after those before them, and answers take what they took lately', () => {
    const desk = new Desk(30);
    desk.serve({ tookMs: 500 });
    const plans = [29, 2, 0].map((count) => ({ endpoint: 'GET /a', count, cost: 1 }));
    const { at = 0, sentAt, each = [] } = desk.pacer.estimate(plans, desk.now) ?? {};
    const minuteEnd = ORIGIN + 40_000;
    expect(each[0]).toBe(desk.now);
    expect(Math.abs((each[1] ?? 0) - minuteEnd)).toBeLessThan(VAGUE_MS);
    expect([each[2], sentAt]).toEqual([each[1], each[1]]);
    // A tenth of the average is the last answer.
    expect(at - (sentAt ?? 0)).toBeCloseTo(50, 6);
  });

  it('waits for answers where so many may be under way, but not for those that take no time', () => {
    const desk = new Desk(0, { clientWide: new ClientWide(3) });
    const windowOf = (count: number) => desk.pacer.estimate([{ count, cost: 1 }], desk.now)?.window;
    expect([windowOf(3), windowOf(100), desk.estimate(100)]).toEqual([undefined, undefined, 0]);
    desk.serve({ tookMs: 1_000 });
    expect([windowOf(3), windowOf(4)]).toEqual([undefined, 'concurrency']);
    expect([desk.estimate(3), desk.estimate(6), desk.estimate(7), desk.estimate(3, 5)]).toEqual([0, 100, 200, 0]);
  });

  it('counts the requests under way: their slots are free within a round trip', () => {
    const desk = new Desk(0, { clientWide: new ClientWide(2) });
    desk.serve({ tookMs: 1_000 });
    for (const sent of [1, 2]) {
      desk.pacer.admit({ endpoint: 'GET /a', cost: 1, maxWaitMs: ENDLESS }, desk.now);
      expect(desk.estimate(1) > 0, `${sent} of 2 under way`).toBe(sent === 2);
    }
    expect(desk.estimate(2)).toBeLessThanOrEqual(1_000);
  });

  it('begins when a pause has ended, and names what has to be waited for beyond it', () => {
    const desk = new Desk(30);
    desk.pacer.learn({ pausedUntil: desk.now + 5_000 }, desk.now);
    const said = (count: number) => desk.pacer.estimate([{ endpoint: 'GET /a', count, cost: 1 }], desk.now);
    expect(said(30)).toMatchObject({ sentAt: desk.now + 5_000, window: 'cooldown' });
    expect(said(31)).toMatchObject({ window: 'minute' });
    desk.pass(5_000);
    expect(said(30)).toMatchObject({ sentAt: desk.now, window: undefined });
  });

  it('begins at once after a pause that is over', () => {
    const desk = new Desk(30);
    desk.pacer.learn({ pausedUntil: desk.now - 5_000 }, desk.now);
    expect(desk.estimate(30)).toBe(0);
  });

  it.for([aligned, slidingLog])('reckons with the part of a window that a share is likely to get ($name)', (shape) => {
    const likely = (_period: Period, limit: number): number => limit / 2;
    const shareLimit = { ...wholeShareLimit, likely };
    const desks = [new Desk(30, { shape }), new Desk(60, { shape, shareLimit })];
    for (const [nth, desk] of desks.entries()) {
      for (let served = 0; served < 20 * (nth + 1); served++) desk.serve();
    }
    // 10 of 30 are left to the one, and half of 20 of 60 to the other.
    const [alone = [], sharing = []] = desks.map((desk) => [10, 11, 40, 41].map((count) => desk.estimate(count)));
    expect(alone[0]).toBe(0);
    expect(alone[1]).toBeGreaterThan(30_000);
    for (const [nth, at] of sharing.entries()) expect(Math.abs(at - (alone[nth] ?? 0))).toBeLessThan(VAGUE_MS);
  });

  it('holds as many units for a request as such a one may cost, and takes what they cost on average', () => {
    const desk = new Desk(100);
    for (const cost of [1, 1, 1, 1, 21]) desk.serve({ endpoint: 'GET /b', cost });
    // 75 units are left; at 5 each, 11 go before fewer than 21 are left.
    expect([desk.estimate(11, undefined, 'GET /b'), desk.estimate(12, undefined, 'GET /b') > 30_000]).toEqual([
      0,
      true,
    ]);
    // Whoever states the cost needs no more than that.
    expect([desk.estimate(15, 5, 'GET /b'), desk.estimate(16, 5, 'GET /b') > 30_000]).toEqual([0, true]);
  });
});

describe('an estimate of requests that are to be sent by an instant', () => {
  it('says how many are not', () => {
    const desk = new Desk(10);
    const late = (byMs: number): number | undefined =>
      desk.pacer.estimate([{ endpoint: 'GET /a', count: 15, cost: 1, by: desk.now + byMs }], desk.now)?.late[0];
    expect([late(30_000), late(50_000)]).toEqual([5, 0]);
  });
});
