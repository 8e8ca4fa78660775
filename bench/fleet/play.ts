import { type MockServiceOptions, seeded } from '../../src/testing/index.ts';
import { type Fleet, fleetOf } from '../../test/sharing/support/fleet.ts';
import { ACCOUNT, pricedAt } from '../../test/sharing/support/traffic.ts';
import { leastWaits } from './reckoning.ts';
import type { Arrival, ClosedTraffic, World } from './world.ts';

/** See {@link World.settlingMs}. */
const SETTLING_MS = 12_000;

/** A run of a world. */
export interface Played {
  /** How long the measured calls took that were made after the settling time, in milliseconds. */
  readonly latencies: readonly number[];
  /** All calls, and those that failed. */
  readonly calls: number;
  readonly failed: number;
  /** Requests of the processes that the service refused. */
  readonly refused: number;
  /** Calls of the store. */
  readonly trips: number;
  /** How long measured calls at given instants would wait if all were known, in milliseconds: see {@link leastWaits}. */
  readonly leastWaits: readonly number[];
}

/** Plays a world once: by processes that share the quota, or by one client that makes all their calls. */
export async function play(world: World, seed: number, isShared: boolean): Promise<Played> {
  const { answers, beside, start, traffic } = world;
  const terms = { seed, isShared, isNear: world.isNear === true, ...(start !== undefined && { start }) };
  const fleet = fleetOf(isShared ? world.processes : 1, serviceOf(world), {}, terms);
  const fates = seeded(seed + 2_000);
  if (answers) fleet.answers = () => answers(fates);
  const caller = new Caller(fleet, world);
  const strangersAt = world.strangers?.(seeded(seed + 3_000)) ?? [];
  const strangers = strangersAt.map((atMs) => caller.foreign(atMs));
  const arrivals = traffic.kind === 'open' ? traffic.arrivals(seeded(seed)) : [];
  const least = leastWaits(arrivals, strangersAt, world, fleet.clock.wall());
  const calls =
    traffic.kind === 'closed' ? [caller.keepWaiting(traffic)] : arrivals.map((arrival) => caller.callAt(arrival));
  const others = beside ? [caller.keepWaitingBeside(beside)] : [];
  await fleet.clock.run(Promise.all([...strangers, ...calls, ...others]));
  return { ...caller, refused: fleet.limited - caller.strangersRefused, trips: fleet.trips, leastWaits: least };
}

function serviceOf({ service, limits, shape, latencyMs, costly }: World): MockServiceOptions {
  return { ...service, keyed: limits, windows: shape, latencyMs: [...latencyMs], cost: pricedAt(costly?.units ?? 1) };
}

/** Makes the calls of a world, and records what becomes of them. */
class Caller {
  readonly latencies: number[] = [];
  calls = 0;
  failed = 0;
  strangersRefused = 0;
  #ofTraffic = 0;
  readonly #fleet: Fleet;
  readonly #world: World;
  readonly #startedAt: number;

  constructor(fleet: Fleet, world: World) {
    this.#fleet = fleet;
    this.#world = world;
    this.#startedAt = fleet.clock.now();
  }

  /** Makes a call at an instant. */
  async callAt({ atMs, by, priority }: Arrival): Promise<void> {
    await this.#fleet.clock.sleep(atMs);
    await this.#call(by, priority);
  }

  /** Makes a call whenever one has ended. */
  keepWaiting(traffic: ClosedTraffic): Promise<void> {
    return this.#keep(traffic, 0, (by) => this.#call(by));
  }

  /** The same in every process but the first, unmeasured. */
  keepWaitingBeside(traffic: ClosedTraffic): Promise<void> {
    return this.#keep(traffic, 1, (by) => this.#make(by, 0, false));
  }

  /** Sends a request of a consumer that is no process of the share. */
  async foreign(atMs: number): Promise<void> {
    await this.#fleet.clock.sleep(atMs);
    if (await this.#fleet.foreign()) this.strangersRefused++;
  }

  async #keep({ waiting, forMs }: ClosedTraffic, first: number, call: (by: number) => Promise<unknown>): Promise<void> {
    const processes = this.#world.processes - first;
    const work = async (by: number): Promise<void> => {
      while (this.#now < forMs) await call(by);
    };
    await Promise.all(Array.from({ length: processes * waiting }, (_, nth) => work(first + (nth % processes))));
  }

  async #call(by: number, priority = 0): Promise<void> {
    const { costly, measured = priority, settlingMs = SETTLING_MS } = this.#world;
    const madeAt = this.#now;
    const nth = ++this.#ofTraffic;
    const isServed = await this.#make(by, priority, costly !== undefined && nth % costly.every === 0);
    if (isServed && madeAt >= settlingMs && priority === measured) this.latencies.push(this.#now - madeAt);
  }

  /** Makes a call, and resolves with whether it was served. */
  async #make(by: number, priority: number, isCostly: boolean): Promise<boolean> {
    const { maxWaitMs = Infinity } = this.#world;
    const { clients } = this.#fleet;
    const client = clients[by % clients.length];
    this.calls++;
    try {
      const options = { maxWaitMs, priority };
      await (isCostly ? client?.getAddressAssets(ACCOUNT, options) : client?.getInfo(options));
      return true;
    } catch {
      this.failed++;
      return false;
    }
  }

  get #now(): number {
    return this.#fleet.clock.now() - this.#startedAt;
  }
}
