import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WindowModel, WindowReading } from '../../../src/quota/models/model.ts';
import { ServerClock } from '../../../src/quota/time/server-clock.ts';
import { AnsweredRequests } from '../../../src/quota/usage/answered.ts';
import { readingsOf } from '../support/builders.ts';
import { type Oracle, oracleOf } from '../support/oracles.ts';
import { LENGTH_MS, PERIODS, SHAPES, type Wish, wishes } from '../support/shapes.ts';

/** How far the service's clock is ahead of ours. */
const LEAD = Date.UTC(2026, 5, 15, 10, 20, 57, 321);

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
  /** Whether each answer contradicted the model. */
  readonly contradictions: readonly boolean[];
}

/** The request that finds the window. Its answer tells the limit. */
const FIRST: Flight = { units: 1, sentAt: -20, arrivedAt: -10, receivedAt: 0 };

describe.each(SHAPES.flatMap((model) => PERIODS.map((period) => ({ ...model, period }))))(
  'the model $shape of a $period',
  ({ shape, make, caps, lengths, names, rounding, period }) => {
    /** A clock that has heard some answers of short round trips before anything is sent, and a model that goes by it. */
    function begin(answers = 1): { clock: ServerClock; model: WindowModel } {
      const clock = new ServerClock();
      for (let sentAt = -23 * answers; sentAt < 0; sentAt += 23) hear(clock, sentAt, sentAt + 20);
      return { clock, model: make(period, clock) };
    }

    function hear(clock: ServerClock, sentAt: number, receivedAt: number): void {
      clock.observe(Math.floor((receivedAt + LEAD) / 1_000) * 1_000, sentAt, receivedAt);
    }

    /** Makes each request as soon as the model allows it, of a service that counts as the model believes. */
    function fly(given: readonly Wish[], cap: number): Course {
      const { clock, model } = begin();
      const past = new AnsweredRequests();
      const flights: Flight[] = [FIRST];
      const contradictions: boolean[] = [];
      model.book(FIRST.units, FIRST.sentAt, FIRST.receivedAt);
      model.reconcile(readingOf({ ...FIRST, limit: cap, used: 1 }), past);
      past.add(FIRST.sentAt, FIRST.receivedAt, 1, 1);
      const moments: Moment[] = [];
      let under: Flight[] = [];
      let now = 0;
      const held = (): number => under.reduce((units, flight) => units + flight.units, 0);
      const passTo = (instant: number): void => {
        now = instant;
        for (const flight of under.filter(({ receivedAt }) => receivedAt <= now)) {
          hear(clock, flight.sentAt, flight.receivedAt);
          model.book(flight.units, flight.sentAt, flight.receivedAt);
          const { arrivedAt } = flight;
          const counted = count(
            flights.filter((other) => other.arrivedAt <= arrivedAt),
            cap,
          );
          const used = Math.floor(counted.used(arrivedAt + LEAD));
          contradictions.push(model.isContradicted(readingOf({ ...flight, limit: cap, used }), past));
          past.add(flight.sentAt, flight.receivedAt, flight.units, flight.units);
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
      return { model, flights, moments, end: now, contradictions };
    }

    /** What the service has counted once these have arrived. */
    function count(flights: readonly Flight[], cap: number): Oracle {
      const counter = oracleOf(shape, period, cap);
      for (const { units, arrivedAt } of flights) counter.add(units, arrivedAt + LEAD);
      return counter;
    }

    it('lets through only what no window of its shape overflows by', () => {
      fc.assert(
        fc.property(wishes, caps, (given, cap) => {
          expect(count(fly(given, cap).flights, cap).peak()).toBeLessThanOrEqual(cap);
        }),
      );
    });

    it('never reckons with less than the service has counted, what is under way aside', () => {
      fc.assert(
        fc.property(wishes, caps, (given, cap) => {
          const { flights, moments } = fly(given, cap);
          for (const { now, held, spent } of moments) {
            const counted = count(
              flights.filter(({ arrivedAt }) => arrivedAt < now),
              cap,
            ).used(now + LEAD);
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
          fc.boolean(),
          (given, cap, units, part, isFull) => {
            const { model, end } = fly(given, cap);
            if (isFull) model.book(cap, end, end);
            const at = model.earliest(units, 0, cap, end);
            fc.pre(at > end);
            const between = model.earliest(units, 0, cap, end + part * (at - end));
            expect(between).toBeGreaterThan(at - 1e-3);
            let allowed = at;
            for (let asked = 0; asked < 9; asked++) allowed = model.earliest(units, 0, cap, allowed);
            expect(model.earliest(units, 0, cap, allowed)).toBeCloseTo(allowed, 6);
            if (names === 'the instant') for (const instant of [between, allowed]) expect(instant).toBeCloseTo(at, 3);
            else expect(allowed).toBeLessThan(end + (lengths + 1) * LENGTH_MS[period] + 1_200);
          },
        ),
      );
    });

    it('has nothing spent and allows at once when a window has passed', () => {
      fc.assert(
        fc.property(wishes, caps, (given, cap) => {
          const { model, end } = fly(given, cap);
          const later = end + lengths * LENGTH_MS[period] + 1_200;
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
              return [model.spent(now), ...[1, 3, 9].map((wanted) => model.earliest(wanted, 0, 20, now))].map(near);
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
          const past = new AnsweredRequests();
          model.reconcile(readingOf({ units: 0, sentAt: 9_900, receivedAt: 9_990, limit: 20, used: 0 }), past);
          const reading = { ...readingOf({ units: 0, sentAt: 10_000, receivedAt: 10_000, limit: 20, used }), held };
          const theirs = Math.max(0, used - held - rounding);
          expect(model.reconcile(reading, past)).toBe(theirs);
          expect(model.spent(10_000)).toBe(theirs);
          expect(model.reconcile(reading, past)).toBe(0);
          expect(model.spent(10_000)).toBe(theirs);
        }),
      );
    });

    it('is never contradicted by a service that counts as it believes', () => {
      fc.assert(
        fc.property(wishes, caps, (given, cap) => {
          expect(fly(given, cap).contradictions).not.toContain(true);
        }),
      );
    });
  },
);

/** What an answer said to a request of ours while nothing else came back. */
function readingOf(told: Omit<Flight, 'arrivedAt'> & { readonly limit: number; readonly used: number }): WindowReading {
  const { units, sentAt, receivedAt, limit, used } = told;
  return readingsOf(limit, receivedAt - sentAt)(sentAt, used, { own: units });
}

/** To a millionth, below which numbers hang on the order of adding up. */
function near(amount: number): number {
  return Math.round(amount * 1e6) / 1e6;
}
