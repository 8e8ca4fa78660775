import type { Client } from '../client/client.ts';
import { type PoolAccess, poolAccessOf } from '../client/pool-access.ts';
import type { Clock } from '../clock.ts';
import { ConfigError, kindOf } from '../errors.ts';
import { Breaker } from '../quota/recovery/breaker.ts';
import type { EstimateOptions } from '../scheduler/outlook/estimate.ts';
import { argument, isRecord, optionsParser } from '../validation/arguments.ts';

/** A client of a pool that takes only calls of some priorities. */
export interface PoolMember {
  readonly client: Client;
  /** Takes no calls of a lower priority: `1` binds a key to urgent calls. Default: -Infinity. */
  readonly minPriority?: number | undefined;
  /** Takes no calls of a higher priority: `-1` binds a key to bulk work of that priority. Default: Infinity. */
  readonly maxPriority?: number | undefined;
}

/** The answer to a first call is late after this time, in milliseconds. */
const LATE_MS = 1_000;

const isPriority = (value: unknown): boolean => typeof value === 'number' && !Number.isNaN(value);

const memberOptions = optionsParser('options of a pool member', {
  client: argument<Client>(isClient, 'a client that createClient has made'),
  minPriority: argument<number>(isPriority, 'a number'),
  maxPriority: argument<number>(isPriority, 'a number'),
});

/** A client of a pool: whether it takes a call, and when it could send it. */
export class Member {
  readonly client: Client;
  /** What the pool needs of the client; undefined if this package did not make it. */
  readonly access: PoolAccess | undefined;
  /** Opens where its service could not be reached, or its first call was withdrawn. */
  readonly breaker: Breaker = new Breaker({ failures: 1, firstMs: 1_000, longestMs: 60_000 });
  /** Whether the answer to the first call is late, so that calls go by other clients that can send them. */
  isLate = false;
  readonly #minPriority: number;
  readonly #maxPriority: number;
  /** The first call, by which the client learns its limits and which others wait for: resolves when it is over, or its answer becomes late. */
  first: Promise<unknown> | undefined;

  /** @throws ConfigError if it is neither a client nor a {@link PoolMember}. */
  constructor(given: Client | PoolMember) {
    const options = isClient(given) ? { client: given } : given;
    const { client, minPriority = -Infinity, maxPriority = Infinity } = memberOptions(isRecord(options) ? options : {});
    if (!client) throw new ConfigError('clients', `must hold clients that createClient has made, not ${kindOf(given)}`);
    this.client = client;
    this.access = poolAccessOf(client);
    this.#minPriority = minPriority;
    this.#maxPriority = maxPriority;
    if (minPriority > maxPriority)
      throw new ConfigError('maxPriority', `must be at least minPriority (${minPriority}), not ${maxPriority}`);
  }

  takes(priority: number): boolean {
    return priority >= this.#minPriority && priority <= this.#maxPriority;
  }

  /**
   * How long until a call would be answered, by the client's own estimate, in milliseconds; undefined: no answer has come yet; Infinity: it could
   * not be reached, or its first answer is late.
   */
  answersIn(plan: EstimateOptions, now: number): number | undefined {
    const isTried = !this.breaker.isClosed && this.first;
    if (isTried || this.isLate || this.breaker.isOpen(now)) return Infinity;
    return this.client.estimate(plan).ms;
  }

  /** The first call was handed over, before any answer has come. */
  awaitFirst(call: Promise<unknown>, clock: Clock): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = (): void => {
      cancel();
      this.first = undefined;
      this.isLate = false;
      resolve();
    };
    const over = call.then(end, end);
    const cancel = clock.timer(LATE_MS, () => {
      this.first = over;
      this.isLate = true;
      resolve();
    });
    this.first = promise;
  }
}

function isClient(value: unknown): value is Client {
  const client = value as Partial<Client> | null;
  return typeof client === 'object' && typeof client?.getInfo === 'function' && typeof client.estimate === 'function';
}
