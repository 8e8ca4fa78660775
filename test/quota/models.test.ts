import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AlignedWindow } from '../../src/quota/models/aligned.ts';
import type { WindowModel } from '../../src/quota/models/model.ts';
import { SlidingLog } from '../../src/quota/models/sliding-log.ts';
import { ServerClock } from '../../src/quota/server-clock.ts';
import { type Counter, counterOf, type Shape } from './counters.ts';

/** Every model, and the shape of a service's window that it stands for. */
const MODELS: readonly { readonly shape: Shape; readonly make: Make }[] = [
  { shape: 'aligned', make: (period, clock) => new AlignedWindow(period, clock) },
  { shape: 'sliding-log', make: (period) => new SlidingLog(LENGTH_MS[period]) },
];

type Make = (period: 'second' | 'minute', clock: ServerClock) => WindowModel;

const PERIODS = ['second', 'minute'] as const;
const LENGTH_MS = { second: 1_000, minute: 60_000 };

/** How far the service's clock is ahead of ours. */
const LEAD = Date.UTC(2026, 5, 15, 10, 20, 57, 321);

/** A request that somebody wants to make: how long after the one before, how dear, and how long under way. */
interface Wish {
  readonly gapMs: number;
  readonly units: number;
  readonly upMs: number;
  readonly downMs: number;
}

interface Flight {
  readonly units: number;
  readonly sentAt: number;
  readonly arrivedAt: number;
  readonly receivedAt: number;
}

/** What the model reckoned with at an instant. */
interface Moment {
  readonly now: number;
  readonly held: number;
  readonly spent: number;
}

interface Course {
  readonly model: WindowModel;
  readonly flights: readonly Flight[];
  readonly moments: readonly Moment[];
  readonly end: number;
}

const wishes: fc.Arbitrary<Wish[]> = fc.array(
  fc.record({
    gapMs: fc.oneof(
      fc.integer({ min: 0, max: 500 }),
      fc.integer({ min: 0, max: 500 }),
      fc.integer({ min: 0, max: 30_000 }),
    ),
    units: fc.integer({ min: 1, max: 3 }),
    upMs: fc.integer({ min: 0, max: 2_000 }),
    downMs: fc.integer({ min: 0, max: 2_000 }),
  }),
  { minLength: 1, maxLength: 60 },
);

const caps = fc.integer({ min: 3, max: 25 });

describe.each(MODELS.flatMap((model) => PERIODS.map((period) => ({ ...model, period }))))(
  'the model $shape of a $period',
  ({ shape, make, period }) => {
    /** A clock that has heard some answers of short round trips before anything is sent, and a model that goes by it. */
    function begin(answers = 1): { clock: ServerClock; model: WindowModel } {
      const clock = new ServerClock();
      for (let sentAt = -23 * answers; sentAt < 0; sentAt += 23) hear(clock, sentAt, sentAt + 20);
      return { clock, model: make(period, clock) };
    }

    function hear(clock: ServerClock, sentAt: number, receivedAt: number): void {
      clock.hear(Math.floor((receivedAt + LEAD) / 1_000) * 1_000, sentAt, receivedAt);
    }

    /** Makes each request as soon as the model allows it, of a service that counts as the model believes. */
    function fly(given: readonly Wish[], cap: number): Course {
      const { clock, model } = begin();
      const flights: Flight[] = [];
      const moments: Moment[] = [];
      let under: Flight[] = [];
      let now = 0;
      const held = (): number => under.reduce((units, flight) => units + flight.units, 0);
      const passTo = (instant: number): void => {
        now = instant;
        for (const flight of under.filter(({ receivedAt }) => receivedAt <= now)) {
          hear(clock, flight.sentAt, flight.receivedAt);
          model.book(flight.units, flight.sentAt, flight.receivedAt);
        }
        under = under.filter(({ receivedAt }) => receivedAt > now);
        moments.push({ now, held: held(), spent: model.spent(now) });
      };
      for (const { gapMs, units, upMs, downMs } of given) {
        passTo(now + gapMs);
        let at = model.earliest(units, held(), cap, now);
        while (at > now) {
          passTo(Math.min(at, ...under.map(({ receivedAt }) => receivedAt)));
          at = model.earliest(units, held(), cap, now);
        }
        const flight = { units, sentAt: now, arrivedAt: now + upMs, receivedAt: now + upMs + downMs };
        flights.push(flight);
        under.push(flight);
      }
      while (under.length > 0) passTo(Math.min(...under.map(({ receivedAt }) => receivedAt)));
      return { model, flights, moments, end: now };
    }

    /** What the service has counted once these have arrived. */
    function count(flights: readonly Flight[]): Counter {
      const counter = counterOf(shape, period);
      for (const { units, arrivedAt } of flights) counter.add(units, arrivedAt + LEAD);
      return counter;
    }

    it('lets through only what no window of its shape overflows by', () => {
      fc.assert(
        fc.property(wishes, caps, (given, cap) => {
          expect(count(fly(given, cap).flights).peak()).toBeLessThanOrEqual(cap);
        }),
      );
    });

    it('never reckons with less than the service has counted, what is under way aside', () => {
      fc.assert(
        fc.property(wishes, caps, (given, cap) => {
          const { flights, moments } = fly(given, cap);
          for (const { now, held, spent } of moments) {
            const counted = count(flights.filter(({ arrivedAt }) => arrivedAt < now)).used(now + LEAD);
            expect(spent).toBeGreaterThanOrEqual(0);
            expect(spent + held).toBeGreaterThanOrEqual(counted);
          }
        }),
      );
    });

    it('is asked for more, or with more under way, and never allows it sooner', () => {
      fc.assert(
        fc.property(
          wishes,
          caps,
          fc.integer({ min: 1, max: 5 }),
          fc.integer({ min: 0, max: 5 }),
          (given, cap, units, held) => {
            const { model, end } = fly(given, cap);
            const at = model.earliest(units, held, cap, end);
            expect(at).toBeGreaterThanOrEqual(end);
            expect(model.earliest(units + 1, held, cap, end)).toBeGreaterThanOrEqual(at);
            expect(model.earliest(units, held + 1, cap, end)).toBeGreaterThanOrEqual(at);
            expect(model.earliest(units, held, cap + 1, end)).toBeLessThanOrEqual(at);
          },
        ),
      );
    });

    it('allows at the instant that it named, and not before, if nothing else happens', () => {
      fc.assert(
        fc.property(
          wishes,
          caps,
          fc.integer({ min: 1, max: 3 }),
          fc.double({ min: 0, max: 0.999, noNaN: true }),
          (given, cap, units, part) => {
            const { model, end } = fly(given, cap);
            const at = model.earliest(units, 0, cap, end);
            fc.pre(at > end);
            expect(model.earliest(units, 0, cap, at)).toBe(at);
            expect(model.earliest(units, 0, cap, end + part * (at - end))).toBeCloseTo(at, 3);
          },
        ),
      );
    });

    it('has nothing spent and allows at once when a window has passed', () => {
      fc.assert(
        fc.property(wishes, caps, (given, cap) => {
          const { model, end } = fly(given, cap);
          const later = end + LENGTH_MS[period] + 1_200;
          expect(model.spent(later)).toBe(0);
          expect(model.earliest(cap, 0, cap, later)).toBe(later);
        }),
      );
    });

    it('does not mind in which order the charges of one instant are booked', () => {
      const charges = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 2, maxLength: 6 });
      fc.assert(
        fc.property(
          charges,
          fc.nat({ max: 60_000 }),
          fc.nat({ max: 3_000 }),
          fc.nat({ max: 70_000 }),
          (units, from, ms, later) => {
            const [one, other] = [units, units.toReversed()].map((order) => {
              const { model } = begin();
              for (const each of order) model.book(each, from, from + ms);
              const now = from + ms + later;
              return [model.spent(now), ...[1, 3, 9].map((wanted) => model.earliest(wanted, 0, 20, now))];
            });
            expect(other).toEqual(one);
          },
        ),
      );
    });

    it('takes the word of the service for what others have spent, once', () => {
      fc.assert(
        fc.property(fc.nat({ max: 20 }), fc.nat({ max: 20 }), (used, held) => {
          const { model } = begin(60);
          const reading = { sentAt: 10_000, receivedAt: 10_100, used, held, settledSince: 0, limited: false };
          model.heed(reading);
          expect(model.spent(10_100)).toBe(Math.max(0, used - held));
          model.heed(reading);
          expect(model.spent(10_100)).toBe(Math.max(0, used - held));
        }),
      );
    });

    it('is never contradicted by a service that counts as it believes', () => {
      fc.assert(
        fc.property(wishes, caps, (given, cap) => {
          const { model, flights } = fly(given, cap);
          for (const { sentAt, arrivedAt, receivedAt } of flights) {
            const used = count(flights.filter((other) => other.arrivedAt <= arrivedAt)).used(arrivedAt + LEAD);
            const since = model.countsSince({ sentAt, receivedAt, used, held: 0, settledSince: 0, limited: false });
            if (since === undefined) continue;
            const sure = flights.filter((other) => other.sentAt >= since && other.receivedAt <= sentAt);
            expect(sure.reduce((units, flight) => units + flight.units, 0)).toBeLessThanOrEqual(used);
          }
        }),
      );
    });
  },
);
