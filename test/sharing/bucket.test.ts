import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leaky } from '../../src/quota/models/leaky.ts';
import { slidingLog } from '../../src/quota/models/sliding-log.ts';
import { ServerClock } from '../../src/quota/time/server-clock.ts';
import { USUAL } from '../../src/share.ts';
import { Ledger } from '../../src/sharing/ledger/ledger.ts';
import { memoryStore } from '../../src/sharing/store/memory-store.ts';
import { asking } from '../../src/testing/share/asking.ts';
import { oracleOf } from '../quota/support/oracles.ts';
import { runs } from '../support/deep.ts';
import { BEGIN } from './support/small.ts';

/** A process: what it asks, and what it may send. */
interface Process {
  readonly name: string;
  readonly ledger: Ledger;
  sequence: number;
}

type Short = 'second' | 'minute';

/** Processes that share a window of some units, with a store whose answers may be lost. */
class World {
  now = 0;
  readonly #limit: number;
  readonly #roundTripMs: number;
  readonly #store = memoryStore(() => BEGIN + this.now);
  readonly #service;
  readonly #processes = new Map<number, Process>();
  #alive = [leaky, slidingLog];
  #born = 0;
  sent = 0;

  readonly #period: Short;

  constructor(limit: number, roundTripMs: number, period: Short = 'minute') {
    this.#limit = limit;
    this.#period = period;
    this.#roundTripMs = roundTripMs;
    this.#service = oracleOf('leaky', period, limit);
  }

  /** The most that the bucket has held. */
  get peak(): number {
    return this.#service.peak();
  }

  /** From now on all processes know that it is a bucket. */
  know(): void {
    this.#alive = [leaky];
    for (const { ledger } of this.#processes.values()) this.#tell(ledger);
  }

  /** A process is killed, and another one takes its place. */
  kill(place: number): void {
    this.#processes.delete(place);
  }

  async ask(place: number, want: number, isLost: boolean): Promise<void> {
    const process = this.#at(place);
    const demand = { need: 1, want, rank: USUAL, isUrgent: false, concurrency: 32, maxWaitMs: Infinity };
    const composed = process.ledger.compose(demand, this.now, 1);
    if (composed.slots.length === 0) return;
    const { asked: _, ...told } = composed;
    const answer = await this.#store.take(asking({ ...told, member: process.name, sequence: ++process.sequence }));
    if (answer !== 'stale' && !isLost) process.ledger.receive(composed, answer, 1, this.now, this.now);
  }

  /** Sends what may be sent: it arrives at once, or as late as it can. */
  send(place: number, most: number, isLate: boolean): void {
    const { ledger } = this.#at(place);
    for (let count = 0; count < most && ledger.left(this.now) >= 1; count++) {
      ledger.book.settle(ledger.spend(1, this.now), 0);
      this.#service.add(1, BEGIN + this.now + (isLate ? this.#roundTripMs : 0));
      this.sent++;
    }
  }

  #at(place: number): Process {
    let process = this.#processes.get(place);
    if (!process) {
      const clock = new ServerClock();
      clock.narrow(BEGIN, BEGIN, 0);
      process = { name: `p${this.#born++}`, ledger: new Ledger(clock, () => 0), sequence: 0 };
      this.#tell(process.ledger);
      this.#processes.set(place, process);
    }
    return process;
  }

  /** No response has stated any usage, so that claims alone bound what is granted. */
  #tell({ windows, timeline }: Ledger): void {
    timeline.addRoundTrip(this.#roundTripMs);
    windows.open(this.#period, this.#limit, { alive: this.#alive, epoch: 0 });
  }
}

const place = fc.integer({ min: 0, max: 2 });
const moves = (passes: readonly number[]) =>
  fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ pass: fc.constantFrom(...passes) }) },
      {
        weight: 6,
        arbitrary: fc.record({
          ask: place,
          want: fc.constantFrom(0, 1, 5, 60),
          isLost: fc.integer({ max: 5, min: 0 }),
        }),
      },
      { weight: 6, arbitrary: fc.record({ send: place, most: fc.constantFrom(1, 4, 60), isLate: fc.boolean() }) },
      { weight: 1, arbitrary: fc.record({ kill: place }) },
    ),
    { minLength: 30, maxLength: 150, size: 'max' },
  );

describe('processes that share a token bucket', () => {
  it.each([
    ['minute', [10, 150, 190], [50, 300, 700, 1_900, 2_100, 9_000, 31_000, 70_000], 0.85],
    ['second', [10, 90, 290, 450, 590, 880], [10, 30, 70, 110, 250, 400, 1_100, 3_000], 0.75],
  ] as const)(
    'never send more than it holds in a %s, whatever they ask, lose, give back and send late, and as soon as they know it',
    async (period, roundTrips, passes, part) => {
      let most = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 60 }),
          fc.constantFrom(...roundTrips),
          moves(passes),
          fc.integer({ min: 0, max: 40 }),
          async (limit, roundTripMs, played, knownFrom) => {
            const world = new World(limit, roundTripMs, period);
            for (const [index, next] of played.entries()) {
              if (index === knownFrom) world.know();
              if ('pass' in next) world.now += next.pass;
              else if ('ask' in next) await world.ask(next.ask, next.want, next.isLost === 0);
              else if ('send' in next) world.send(next.send, next.most, next.isLate);
              else world.kill(next.kill);
            }
            expect(world.peak).toBeLessThanOrEqual(limit);
            most = Math.max(most, limit < 5 ? 0 : world.peak / limit);
          },
        ),
        { numRuns: runs(40, 1_500) },
      );
      expect(most).toBeGreaterThan(part);
    },
  );

  it('never send more where all of one step comes at its end, and that of the next at its beginning', async () => {
    const world = new World(60, 10);
    world.know();
    for (world.now = 1_900; world.now < 2_200; world.now += 50) {
      await world.ask(0, 60, false);
      world.send(0, 60, false);
    }
    expect(world.peak).toBeGreaterThan(56);
    expect(world.peak).toBeLessThanOrEqual(60);
  });

  it('never send more where a request of a slot of four tenths arrives at its end, and the next one at its beginning', async () => {
    const world = new World(60, 290, 'second');
    world.know();
    world.now = 1_010;
    await world.ask(0, 60, false);
    world.send(0, 60, true);
    for (world.now = 1_300; world.now < 2_500; world.now += 20) {
      await world.ask(0, 60, false);
      world.send(0, 60, false);
    }
    expect(world.sent).toBeGreaterThan(100);
    expect(world.peak).toBeLessThanOrEqual(60);
  });

  it('use in three minutes what it held and what it was refilled with, but for a tenth of what it holds', async () => {
    const world = new World(300, 10);
    world.know();
    for (; world.now < 180_000; world.now += 100) {
      const process = (world.now / 100) % 3;
      await world.ask(process, 60, world.now % 1_700 === 0);
      for (let each = 0; each < 3; each++) world.send(each, 60, true);
    }
    expect(world.peak).toBeLessThanOrEqual(300);
    expect(world.sent).toBeGreaterThanOrEqual(300 * 4 - 300 / 10);
  });
});
