import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClientWide } from '../../../src/quota/client-wide.ts';
import { Pacer } from '../../../src/quota/pacer.ts';
import type { BulkReservePolicy } from '../../../src/quota/window/bulk-reserve.ts';
import { type Answered, factsOf } from '../support/builders.ts';

const LIMITS = { minute: 100, month: 100_000 };
const DAY_MS = 86_400_000;
const JANUARY = Date.UTC(2026, 0);
const FEBRUARY = Date.UTC(2026, 1);
/** Half past a minute, so that there is no doubt which minute it is. */
const MIDDLE = JANUARY + 15 * DAY_MS + 30_000;
const NOTHING: BulkReservePolicy = { forPriorityAbove: 0, share: {}, spreadMonthUntil: undefined };

/** A pacer, and a service with calendar windows that answers at once and whose clock is known to the millisecond. */
class World {
  readonly pacer: Pacer;
  now = 0;
  readonly #wall: number;
  readonly #used = new Map<string, number>();

  constructor(policy: Partial<BulkReservePolicy>, wall: number = MIDDLE) {
    this.#wall = wall;
    const bulkReserve = { ...NOTHING, ...policy };
    this.pacer = new Pacer({ clientWide: new ClientWide(1_000), leaseMs: 90_000, bulkReserve });
  }

  get time(): number {
    return this.#wall + this.now;
  }

  used(period: 'minute' | 'month'): number {
    return this.#used.get(this.#key(period)) ?? 0;
  }

  /** Units are spent; those of others earlier this month. */
  spend(units: number, periods: readonly ('minute' | 'month')[] = ['month']): void {
    for (const period of periods) this.#used.set(this.#key(period), this.used(period) + units);
  }

  /** Asks, and where it is granted lets the service answer. */
  call(priority = 0, cost = 1, maxWaitMs: number = Infinity): Answered {
    const admission = factsOf(this.pacer.admit({ endpoint: 'GET /a', cost, priority, maxWaitMs }, this.now));
    if (admission.kind !== 'granted') return admission;
    this.spend(cost, ['minute', 'month']);
    const window = (period: 'minute' | 'month') => {
      return { limit: LIMITS[period], remaining: Math.max(0, LIMITS[period] - this.used(period)) };
    };
    const stacks = { cost, minute: window('minute'), month: window('month') };
    const quota = { receivedAt: this.time, date: Math.floor(this.time / 1_000) * 1_000, stacks };
    const outcome = { ...quota, malformed: [], unrecognised: {} };
    this.pacer.settle(admission.lease, { kind: 'answered', quota: outcome, limited: false }, this.now);
    return admission;
  }

  /** Calls until that is not granted any more. */
  exhaust(priority = 0): Answered {
    for (;;) {
      const admission = this.call(priority);
      if (admission.kind !== 'granted') return admission;
    }
  }

  #key(period: 'minute' | 'month'): string {
    if (period === 'month') return new Date(this.time).toISOString().slice(0, 7);
    return String(Math.floor(this.time / 60_000));
  }
}

describe('what is kept of a window', () => {
  it('is left by bulk work, and found by calls of a higher priority', () => {
    const world = new World({ share: { minute: 0.2 } });
    expect(world.exhaust(0)).toMatchObject({
      kind: 'wait',
      reason: {
        kind: 'reserve',
        window: 'minute',
        limit: 100,
        headroom: 20,
        why: '20 % of the minute of 100 units are reserved for calls of a priority above 0',
      },
    });
    expect(world.used('minute')).toBe(80);
    expect(world.exhaust(1)).toMatchObject({ kind: 'wait', reason: { kind: 'window', window: 'minute' } });
    // Two are reserved for the probes after a rest and past the window's end.
    expect(world.used('minute')).toBe(98);
  });

  it('is kept from every call up to the priority that is named', () => {
    const world = new World({ share: { minute: 0.5 }, forPriorityAbove: 7 });
    world.exhaust(7);
    expect(world.used('minute')).toBe(50);
    expect(world.call(6)).toMatchObject({ reason: { kind: 'reserve' } });
    expect(world.call(8)).toMatchObject({ kind: 'granted' });
  });

  it('is there again for bulk work in the next window', () => {
    const world = new World({ share: { minute: 0.2 } });
    const wait = world.exhaust(0);
    if (wait.kind !== 'wait') throw new Error('it was not held back');
    world.now = wait.until;
    expect(world.call(0)).toMatchObject({ kind: 'granted' });
  });

  it('of the month is refused to bulk work until the next month', () => {
    const world = new World({ share: { month: 0.1 } });
    world.call();
    world.spend(90_000);
    world.now += 60_000;
    // What the service says with the next answer.
    world.call(1);
    const refusal = world.call(0, 1, 300_000);
    expect(refusal).toMatchObject({ kind: 'wait', reason: { kind: 'reserve', window: 'month', headroom: 9_998 } });
    const instant = refusal.kind === 'wait' ? MIDDLE + refusal.until : 0;
    expect(instant).toBeGreaterThanOrEqual(FEBRUARY);
    expect(instant).toBeLessThan(FEBRUARY + 600_000);
    expect(world.call(1)).toMatchObject({ kind: 'granted' });
  });

  it('holds back no call that costs nothing, and one that costs more than all the rest goes alone', () => {
    const world = new World({ share: { minute: 0.5 } });
    world.exhaust(0);
    expect(world.call(0, 0)).toMatchObject({ kind: 'granted' });
    expect(world.call(0, 70)).toMatchObject({ kind: 'wait' });
    world.now += 121_000;
    expect(world.call(0, 70)).toMatchObject({ kind: 'granted' });
  });

  it('is never touched by bulk work, whatever else happens', () => {
    const step = fc.record({
      ms: fc.constantFrom(0, 0, 0, 50, 1_000, 20_000, 61_000),
      priority: fc.constantFrom(0, 0, 0, 1),
      cost: fc.constantFrom(1, 1, 2, 5, 30),
    });
    const keep = fc.constantFrom(0.05, 0.2, 0.5, 0.75);
    fc.assert(
      fc.property(keep, fc.array(step, { maxLength: 200 }), (part, steps) => {
        const world = new World({ share: { minute: part } });
        for (const { ms, priority, cost } of steps) {
          world.now += ms;
          const { kind } = world.call(priority, cost);
          if (kind === 'granted' && priority === 0) {
            expect(world.used('minute')).toBeLessThanOrEqual(Math.max(cost, 100 * (1 - part)));
          }
        }
      }),
    );
  });

  it('keeps no call waiting for ever', () => {
    fc.assert(
      fc.property(fc.constantFrom(0.2, 0.9, 0.99), fc.constantFrom(1, 7, 60, 100, 500), (part, cost) => {
        const world = new World({ share: { minute: part, month: part } });
        world.exhaust(0);
        for (let asked = 0; asked < 20; asked++) {
          const admission = world.call(0, cost);
          if (admission.kind === 'granted') return;
          expect(admission.until).toBeGreaterThan(world.now);
          // What never fits is told at once.
          if (admission.until === Infinity) {
            expect(cost).toBeGreaterThan(LIMITS.minute);
            return;
          }
          world.now = admission.until;
        }
        throw new Error('it was held back again and again');
      }),
    );
  });
});

describe('the month until a date', () => {
  const until = JANUARY + 20 * DAY_MS;
  /** A tenth of the way there, and a few seconds more. */
  const TENTH = JANUARY + 2 * DAY_MS + 5_000;

  it('is spent by bulk work no faster than evenly, with what others spend', () => {
    const world = new World({ spreadMonthUntil: until }, TENTH);
    world.call();
    world.spend(9_990);
    world.call(1);
    const wait = world.exhaust(0);
    expect(world.used('month')).toBe(10_000);
    expect(wait).toMatchObject({
      kind: 'wait',
      reason: {
        kind: 'reserve',
        window: 'month',
        limit: 100_000,
        why: 'bulk work spends the month of 100000 units evenly until 2026-01-21T00:00:00.000Z',
      },
    });
    // 100,000 in twenty days is one in 17.28 s, of which five have gone.
    expect(wait.kind === 'wait' && wait.until).toBeGreaterThan(12_000);
    expect(wait.kind === 'wait' && wait.until).toBeLessThan(14_000);
    expect(world.call(1)).toMatchObject({ kind: 'granted' });
  });

  it('is refused at once to calls whose maxWaitMs is shorter, with the instant', () => {
    const world = new World({ spreadMonthUntil: until }, TENTH);
    world.call();
    world.spend(60_000);
    world.call(1);
    const refusal = world.call(0, 1, 300_000);
    // Six tenths and two units are gone, so it is bulk work's turn again after twelve days and two units more.
    const due = JANUARY + 12 * DAY_MS + 3 * 17_280;
    expect(refusal).toMatchObject({ kind: 'wait', reason: { kind: 'reserve', window: 'month' } });
    const instant = refusal.kind === 'wait' ? TENTH + refusal.until : 0;
    expect(instant).toBeGreaterThanOrEqual(due);
    // Two clocks may part by a minute and a half in ten days.
    expect(instant).toBeLessThan(due + 100_000);
  });

  it('is free after the date', () => {
    const world = new World({ spreadMonthUntil: until }, until + 1_000);
    world.call();
    world.spend(90_000);
    world.now += 60_000;
    expect(world.call(0)).toMatchObject({ kind: 'granted' });
    expect(world.call(0)).toMatchObject({ kind: 'granted' });
  });

  it('is spread over every month, where the date is beyond its end', () => {
    const world = new World({ spreadMonthUntil: JANUARY + 400 * DAY_MS }, JANUARY + 15.5 * DAY_MS + 5_000);
    world.call();
    world.spend(49_990);
    world.call(1);
    expect(world.exhaust(0)).toMatchObject({ reason: { why: expect.stringContaining('2026-02-01T00:00:00.000Z') } });
    expect(world.used('month')).toBe(50_000);
  });

  it('leaves what is kept of the month, too', () => {
    const world = new World({ spreadMonthUntil: until, share: { month: 0.5 } }, TENTH);
    world.call();
    world.spend(4_990);
    world.call(1);
    world.exhaust(0);
    expect(world.used('month')).toBe(5_000);
  });

  it('is never eaten by bulk work before the date, whatever else happens', () => {
    const step = fc.record({
      ms: fc.constantFrom(0, 1_000, 61_000, 3_600_000, DAY_MS),
      priority: fc.constantFrom(0, 0, 0, 1),
      cost: fc.constantFrom(1, 5, 30),
      theirs: fc.constantFrom(0, 0, 0, 10, 3_000),
    });
    const day = fc.integer({ min: 1, max: 60 });
    fc.assert(
      fc.property(
        day,
        fc.integer({ min: 0, max: 40 }),
        fc.array(step, { maxLength: 120 }),
        (untilDay, startDay, steps) => {
          const spreadMonthUntil = JANUARY + untilDay * DAY_MS;
          const world = new World({ spreadMonthUntil }, JANUARY + startDay * DAY_MS);
          // The first call finds out what the month holds.
          world.call(1);
          for (const { ms, priority, cost, theirs } of steps) {
            world.now += ms;
            // What others spend is known from the latest answer alone.
            world.call(1, 0);
            const { kind } = world.call(priority, cost);
            if (kind === 'granted' && priority === 0)
              expect(world.used('month')).toBeLessThanOrEqual(evenly(world, spreadMonthUntil));
            world.spend(theirs);
          }
        },
      ),
    );
  });

  it('is not spread where the service shows no clock', () => {
    const world = new World({ spreadMonthUntil: until });
    const first = world.pacer.admit({ endpoint: 'GET /a', maxWaitMs: 0 }, 0);
    if (first.kind !== 'granted') throw new Error('the first is always granted');
    const stacks = { cost: 1, month: { limit: 100, remaining: 20 } };
    const quota = { receivedAt: 0, stacks, malformed: [], unrecognised: {} };
    world.pacer.settle(first.lease, { kind: 'answered', quota, limited: false }, 10);
    expect(world.pacer.admit({ endpoint: 'GET /a', maxWaitMs: 0 }, 20)).toMatchObject({ kind: 'granted' });
  });
});

/** What may be gone of the month, if it is spent evenly until a date. */
function evenly(world: World, monthUntil: number): number {
  const start = world.time < FEBRUARY ? JANUARY : FEBRUARY;
  const end = Math.min(monthUntil, world.time < FEBRUARY ? FEBRUARY : Date.UTC(2026, 2));
  return world.time >= end ? LIMITS.month : (LIMITS.month * (world.time - start)) / (end - start) + 1e-6;
}
