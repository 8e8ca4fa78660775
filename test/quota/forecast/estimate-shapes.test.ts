import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { firstRequest } from '../../../src/quota/models/first-request.ts';
import { leaky } from '../../../src/quota/models/leaky.ts';
import type { Shape } from '../../../src/quota/models/model.ts';
import { slidingCounter } from '../../../src/quota/models/sliding-counter.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import { runs } from '../../support/deep.ts';
import { Desk, ENDLESS, VAGUE_MS } from '../support/desk.ts';

describe('an estimate of a window of one shape', () => {
  const shapes = { aligned, 'first-request': firstRequest, 'sliding-log': slidingLog, leaky };
  const used = fc.array(fc.tuple(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 1, max: 12 })), {
    maxLength: 5,
  });
  const costs = fc.integer({ min: 1, max: 2 });

  it.for(Object.keys(shapes) as (keyof typeof shapes)[])(
    'is when the pacer sends the last of any number of requests, whatever was used when: %s',
    (name) => {
      fc.assert(
        fc.property(
          used,
          fc.integer({ min: 1, max: 70 }),
          costs,
          fc.integer({ min: 20, max: 40 }),
          (before, count, cost, limit) => {
            const desk = new Desk(limit, { shape: shapes[name] });
            for (const [gapMs, units] of before) {
              desk.pass(gapMs);
              for (let unit = 0; unit < units; unit++) desk.serve();
            }
            const said = desk.estimate(count, cost);
            // What is used is reckoned with in sixteen pieces, here of up to three units.
            const near = name === 'aligned' || name === 'first-request' ? 0 : 3;
            const sentAt = desk.make(count + near, cost);
            expect(said).toBeGreaterThanOrEqual((sentAt[count - 1 - near] ?? 0) - VAGUE_MS);
            expect(said).toBeLessThanOrEqual((sentAt[count - 1 + near] as number) + VAGUE_MS);
          },
        ),
        { numRuns: runs(25, 400) },
      );
    },
  );
});

describe('an estimate', () => {
  /** Of a window that still has two shapes, one of them the calendar's. */
  const both = { shapes: [slidingLog, aligned] };

  it('goes by the calendar as long as a window may end there', () => {
    const desk = new Desk(30, both);
    for (let served = 0; served < 30; served++) desk.serve();
    expect(Math.abs(desk.estimate(30) - 40_000)).toBeLessThan(VAGUE_MS);
    // The next minute has begun, and nothing was sent in it.
    desk.pass(41_000);
    expect(desk.estimate(30)).toBe(0);
  });

  it('is a window away at most where the time of the service is unknown', () => {
    const desk = new Desk(30, { ...both, hasDate: false });
    for (let served = 0; served < 30; served++) desk.serve();
    expect([desk.estimate(30), desk.estimate(31), desk.estimate(61)]).toEqual([60_000, 120_000, 180_000]);
  });

  it('has what was used at one time free at one time', () => {
    const desk = new Desk(30, { shape: slidingLog });
    for (let served = 0; served < 30; served++) desk.serve();
    desk.pass(20_000);
    expect(Math.abs(desk.estimate(30) - 40_000)).toBeLessThan(VAGUE_MS);
  });

  it.for([
    [slidingLog, 60_000],
    [leaky, 22_000],
  ] as const)('has what is under way free after all that was used: $0.name', ([shape, ms]) => {
    const desk = new Desk(30, { shape });
    for (let served = 0; served < 10; served++) desk.serve();
    for (let sent = 0; sent < 10; sent++)
      desk.pacer.admit({ endpoint: 'GET /a', cost: 1, maxWaitMs: ENDLESS }, desk.now);
    expect(desk.estimate(10)).toBe(0);
    expect(Math.abs(desk.estimate(21) - ms)).toBeLessThan(VAGUE_MS);
  });
});

describe('an estimate of a window that is used up', () => {
  /** All that the window holds was used, a part of it every ten seconds. */
  const full = (parts: number, ...shapes: [Shape, ...Shape[]]): Desk => {
    const desk = new Desk(160, { shape: shapes[0], shapes });
    for (let part = 0; part < parts; part++) {
      expect(desk.serve({ cost: 160 / parts })).toBe(true);
      desk.pass(part === parts - 1 ? 0 : 10_000);
    }
    return desk;
  };

  it('is when each unit has drained, where it drains', () => {
    const desk = full(1, leaky);
    const [first = 0, fortieth = 0] = [1, 40].map((count) => desk.estimate(count, 1));
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(1_500);
    expect(fortieth).toBeGreaterThan(14_000);
    expect(fortieth).toBeLessThan(16_000);
  });

  it('is when the later of its shapes lets a request go, where it has two', () => {
    expect(full(1, slidingLog, slidingCounter).estimate(1, 1)).toBeGreaterThanOrEqual(60_000);
    // Forty are sent when the first part is forgotten. The log forgets them a minute later, and the counter sooner.
    const next = full(4, slidingLog, slidingCounter).estimate(161, 1);
    expect(next).toBeGreaterThanOrEqual(90_000);
    expect(next).toBeLessThan(95_000);
  });
});

describe('the soonest that any shape of a window allows', () => {
  const best = (desk: Desk, count: number): number =>
    (desk.pacer.estimate([{ endpoint: 'GET /a', count, cost: 1 }], desk.now, true)?.sentAt ?? Number.NaN) - desk.now;

  it('has what is used drain evenly, if it may, and free at the end of the calendar’s window, if that is sooner', () => {
    const desk = new Desk(160, { shapes: [slidingLog, aligned, leaky] });
    expect(desk.serve({ cost: 160 })).toBe(true);
    // 160 units drain in a minute, of which 40 s are left.
    for (const [count, ms] of [
      [5, 1_875],
      [80, 30_000],
      [120, 40_000],
      [160, 40_000],
    ] as const)
      expect(Math.abs(best(desk, count) - ms)).toBeLessThan(VAGUE_MS);
  });

  it('has used no more than the shape that counts least', () => {
    const desk = new Desk(160, { shapes: [slidingLog, aligned, leaky] });
    desk.serve({ cost: 80 });
    desk.pass(31_000);
    expect(best(desk, 160)).toBe(0);
  });

  it('is the least of what the shapes allow after what is sent, and usually the most', () => {
    expect(Math.abs(best(new Desk(160, { shapes: [aligned, slidingLog] }), 161) - 40_000)).toBeLessThan(VAGUE_MS);
    // The log has all of it again after a minute, the counter when two windows of the calendar have ended.
    const desk = new Desk(160, { shapes: [slidingLog, slidingCounter] });
    expect(Math.abs(desk.estimate(320, 1) - 100_000)).toBeLessThan(VAGUE_MS);
    expect(Math.abs(best(desk, 320) - 60_000)).toBeLessThan(VAGUE_MS);
  });

  it('has what is sent drain from when it is sent, if it may, though the end of the calendar’s window frees all of it sooner', () => {
    expect(best(new Desk(160, { shapes: [aligned, leaky] }), 161)).toBeLessThan(1_000);
    expect(Math.abs(best(new Desk(160, { shapes: [aligned, leaky] }), 320) - 40_000)).toBeLessThan(VAGUE_MS);
  });
});
