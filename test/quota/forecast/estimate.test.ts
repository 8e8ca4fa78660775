import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Lease } from '../../../src/quota/admission.ts';
import { ClientWide } from '../../../src/quota/client-wide.ts';
import type { QuotaSnapshot } from '../../../src/quota/headers/snapshot.ts';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { firstRequest } from '../../../src/quota/models/first-request.ts';
import { leaky } from '../../../src/quota/models/leaky.ts';
import type { Shape } from '../../../src/quota/models/model.ts';
import { slidingCounter } from '../../../src/quota/models/sliding-counter.ts';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import { Pacer, type PacerOptions } from '../../../src/quota/pacer.ts';
import { wholeShareLimit } from '../../../src/quota/share-limit.ts';
import type { Period } from '../../../src/quota/time/periods.ts';
import { runs } from '../../support/deep.ts';
import { type Oracle, oracleOf } from '../support/oracles.ts';

const ORIGIN = 1_000_000;
/** Twenty seconds into a minute. */
const WALL = Date.UTC(2026, 5, 15, 10, 20, 20);
const MINUTE_MS = 60_000;
/** By how much the service's clock is not known some minutes after the dates of two answers, in milliseconds. */
const VAGUE_MS = 200;
const ENDLESS = Infinity;

interface Answer {
  readonly endpoint?: string;
  readonly cost?: number;
  /** How long the request was under way, in milliseconds. */
  readonly tookMs?: number;
}

/** A pacer, and a service that counts units of a minute in one shape and answers at once. */
class Desk {
  readonly pacer: Pacer;
  now = ORIGIN;
  readonly #minute: Oracle | undefined;
  readonly #limit: number;
  readonly #hasDate: boolean;

  constructor(
    limit: number,
    { shape = aligned, hasDate = true, ...options }: { shape?: Shape; hasDate?: boolean } & Partial<PacerOptions> = {},
  ) {
    this.pacer = new Pacer({ clientWide: new ClientWide(500), leaseMs: 9_000, shapes: [shape], ...options });
    this.#minute = limit > 0 ? oracleOf(shape.name as 'aligned', 'minute', limit) : undefined;
    this.#limit = limit;
    this.#hasDate = hasDate;
    // Two answers on either side of a second show the service's clock; the endpoint is none of the others.
    this.pass(-1);
    this.serve({ cost: 0, endpoint: 'GET /clock' });
    this.pass(1);
    this.serve({ cost: 0, endpoint: 'GET /clock' });
  }

  pass(ms: number): void {
    this.now += ms;
  }

  get wall(): number {
    return WALL + this.now - ORIGIN;
  }

  /** Whether a request may go now; if so, it is served. */
  serve({ endpoint = 'GET /a', cost = 1, tookMs = 0 }: Answer = {}, more: Partial<QuotaSnapshot> = {}): boolean {
    const admission = this.pacer.admit({ endpoint, cost, maxWaitMs: ENDLESS }, this.now);
    if (admission.kind !== 'granted') return false;
    this.#answer(admission.lease, { cost, tookMs }, more);
    return true;
  }

  #answer(lease: Lease, { cost = 1, tookMs = 0 }: Answer, more: Partial<QuotaSnapshot> = {}): void {
    this.#minute?.add(cost, this.wall);
    this.pass(tookMs);
    const remaining = this.#limit - (this.#minute?.used(this.wall) ?? 0);
    const date = Math.floor(this.wall / 1_000) * 1_000;
    const quota: QuotaSnapshot = {
      ...{ receivedAt: this.wall, malformed: [], unrecognised: {} },
      ...(this.#hasDate && { date }),
      stacks: { cost, ...(this.#minute && { minute: { limit: this.#limit, remaining } }) },
      ...more,
    };
    this.pacer.settle(lease, { kind: 'answered', quota, limited: false }, this.now);
  }

  /** When the last of so many requests is sent, from now, in milliseconds. */
  estimate(count: number, cost?: number, endpoint = 'GET /a'): number {
    const { sentAt } = this.pacer.estimate([{ endpoint, count, cost }], this.now) ?? {};
    return (sentAt ?? Number.NaN) - this.now;
  }

  /** Makes so many requests, one after the other as soon as the pacer grants them; when each is sent, from now. */
  make(count: number, cost: number): number[] {
    const from = this.now;
    const sentAt: number[] = [];
    while (sentAt.length < count) {
      const admission = this.pacer.admit({ endpoint: 'GET /a', cost, maxWaitMs: ENDLESS }, this.now);
      if (admission.kind === 'granted') {
        sentAt.push(this.now - from);
        this.#answer(admission.lease, { cost });
      } else this.now = Math.max(this.now + 0.01, Math.min(admission.hold.until, this.now + MINUTE_MS));
    }
    return sentAt;
  }
}

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

describe('an estimate of requests that are to be sent by an instant', () => {
  it('says how many are not', () => {
    const desk = new Desk(10);
    const late = (byMs: number): number | undefined =>
      desk.pacer.estimate([{ endpoint: 'GET /a', count: 15, cost: 1, by: desk.now + byMs }], desk.now)?.late[0];
    expect([late(30_000), late(50_000)]).toEqual([5, 0]);
  });
});
