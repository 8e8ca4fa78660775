import type { Client } from '../client/client.ts';
import type { Clock } from '../clock.ts';
import { ConfigError, isClosed, isConnectionError, isKeyRefusal, isQuotaExhausted, isServiceError } from '../errors.ts';
import { untilAborted } from '../http/cancellation.ts';
import { UNSENT } from '../http/failure.ts';
import type { OpenCalls } from '../scheduler/open-calls.ts';
import type { EstimateOptions } from '../scheduler/outlook/estimate.ts';
import type { Member } from './member.ts';
import { type HandedCall, Rebalancer, WITHDRAWN } from './rebalancer.ts';

/** What a pool has to know of a call to choose its client. */
export interface PooledCall<T> extends EstimateOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long it may wait to be sent, in milliseconds, if it says so. */
  readonly maxQueueMs?: number | undefined;
  /** Makes the call, with this signal and this `maxQueueMs` in place of its own, if there are any. Rejects with a response that refuses the key. */
  readonly make: (client: Client, signal?: AbortSignal, maxQueueMs?: number) => Promise<T>;
  /** Whether it can be made only once, because its body can be read only once. */
  readonly isOneShot?: boolean;
  /** The method, if no endpoint names it: another client may make a GET although its request may have arrived. */
  readonly method?: string;
}

/** Hands calls to the clients of a pool: each to the one that can send it first, and to another where that refuses it or hands it back. */
export class HandOver {
  readonly #members: readonly Member[];
  readonly #clock: Clock;
  readonly #rebalancer: Rebalancer;
  readonly #open: OpenCalls;

  /** @param open - gets the calls that wait until a client can be chosen. */
  constructor(members: readonly Member[], clock: Clock, open: OpenCalls) {
    this.#members = members;
    this.#clock = clock;
    this.#rebalancer = new Rebalancer(clock);
    this.#open = open;
  }

  /** Hands a call to one client after the other, until one serves it. */
  async send<T>(call: PooledCall<T>): Promise<T> {
    const { endpoint, cost, priority = 0, signal, isOneShot, method = '' } = call;
    const plan = { endpoint, cost, priority, count: 1 };
    let left = this.#members.filter((member) => member.takes(priority));
    if (left.length === 0)
      throw new ConfigError('priority', `must be one that a client of the pool takes, not ${priority}`);
    const tried = { times: 0 };
    let since: number | undefined;
    let refusal: unknown;
    while (left.length > 0) {
      const now = this.#clock.now();
      since ??= now;
      const { member, ms } = choose(left, plan, now);
      const isFresh = ms === undefined;
      const { maxQueueMs = member.access?.maxQueueMs ?? Infinity } = call;
      const leftMs = Math.max(0, maxQueueMs - (now - since));
      if (member.first && (isFresh || member.isLate) && leftMs > 0) {
        await this.#firstAnswer(left, signal, leftMs);
        continue;
      }
      const rest = left.filter((one) => one !== member);
      try {
        // Handed over in the turn of the choice, so that the estimates of the next choice count this call.
        const isBounded = now > since && leftMs < Infinity;
        const handed = this.#handTo({ plan, member, others: rest, tried }, call, isBounded ? leftMs : undefined);
        if (isFresh && !member.first) member.awaitFirst(handed, this.#clock);
        const answer = await handed;
        member.breaker.onSuccess();
        return answer;
      } catch (error) {
        const isWithdrawn = error === WITHDRAWN;
        const mayRepeat = isFresh && /^get\b/i.test(endpoint ?? method);
        const isUnreached = isConnectionError(error) && (mayRepeat || UNSENT.has(String(error.code)));
        if (isWithdrawn ? isFresh : isUnreached) member.breaker.onFailure(this.#clock.now());
        if (isWithdrawn) continue;
        if (isOneShot || (!isUnreached && !isUnserved(error))) throw error;
        refusal = soonerOf(refusal, error);
        left = rest;
      }
    }
    throw refusal;
  }

  /** Resolves when the first call of one of these clients is over, its answer becomes late, or `ms` milliseconds have passed. */
  #firstAnswer(members: readonly Member[], signal: AbortSignal | undefined, ms: number): Promise<unknown> {
    const chosen = this.#open.announce();
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = ms < Infinity ? this.#clock.timer(ms, resolve) : undefined;
    return untilAborted(() => Promise.race([promise, ...members.flatMap(({ first }) => first ?? [])]), signal).finally(
      () => {
        cancel?.();
        chosen();
      },
    );
  }

  /** Hands a call to a client that may hand it back while it waits, if others may make it. */
  async #handTo<T>(
    known: Omit<HandedCall, 'signal'>,
    { signal, make, isOneShot }: PooledCall<T>,
    maxQueueMs: number | undefined,
  ): Promise<T> {
    const { member, others } = known;
    // A signal of another realm or package, which `AbortSignal.any` does not take, goes to the client: such a call stays there.
    const isForeign = signal !== undefined && !(signal instanceof AbortSignal);
    if (isOneShot || others.length === 0 || isForeign) return make(member.client, undefined, maxQueueMs);
    const own = AbortSignal.any(signal ? [signal] : []);
    const handed = { ...known, signal: own };
    this.#rebalancer.add(handed);
    try {
      return await make(member.client, own, maxQueueMs);
    } finally {
      this.#rebalancer.remove(handed);
    }
  }
}

/** A client, and when it could answer a call. */
interface Offer {
  readonly member: Member;
  readonly ms: number | undefined;
}

/**
 * The client that can send a call first. Of clients that know nothing yet each gets one call before all others, and what comes meanwhile
 * waits for the answer: a thousand calls at once are divided by what each client can send. A late answer is awaited only while no other
 * client can send a call. Clients that could not be reached come last.
 */
function choose(members: readonly Member[], plan: EstimateOptions, now: number): Offer {
  const offers = members.map((member) => ({ member, ms: member.answersIn(plan, now) }));
  const fresh = offers.filter(({ ms }) => ms === undefined);
  const sooner = (best: Offer, one: Offer): Offer => (Number(one.ms) < Number(best.ms) ? one : best);
  return fresh.find(({ member }) => !member.first) ?? fresh[0] ?? offers.reduce(sooner);
}

/**
 * Whether a client has refused a call that the service did not serve, so that another may make it. A guess: a 403 refuses the key, as it
 * does for the `KeyBreaker`. Where it refuses the call, the others are asked in vain.
 */
function isUnserved(error: unknown): boolean {
  if (isServiceError(error) || error instanceof Response) return isKeyRefusal(error.status);
  return isQuotaExhausted(error) || isClosed(error);
}

/** Of two refusals the one that says when to come back, and the sooner of two that do. */
function soonerOf(one: unknown, other: unknown): unknown {
  if (!isQuotaExhausted(one)) return other;
  return isQuotaExhausted(other) && other.retryAt < one.retryAt ? other : one;
}
