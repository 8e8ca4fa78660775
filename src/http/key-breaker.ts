import type { Clock } from '../clock.ts';
import { isKeyRefusal } from '../errors.ts';
import { keepLast } from '../keep-last.ts';
import { Breaker } from '../quota/recovery/breaker.ts';
import { MOST_KEYS } from './key-ring.ts';

/** Number of 401s and 403s in a row after which a key counts as revoked. */
const REFUSALS = 5;

/** Time after which such a key is tried again, in milliseconds. */
const AGAIN_MS = 60_000;

/** What is known of a key that was refused. */
interface RefusedKey {
  readonly breaker: Breaker;
  /** The endpoints that have refused it since one accepted it, at most `REFUSALS`. */
  readonly endpoints: Set<string>;
}

/**
 * A circuit breaker for each API key, by its number: a key that the service has revoked is not sent with every call that waits. While fewer than
 * `REFUSALS` endpoints have refused it, it is still sent to all others: those that did may be forbidden to this key alone.
 */
export class KeyBreaker {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #refused = new Map<number, RefusedKey>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Whether the breaker is open, so that the key is not to be sent to that endpoint now. */
  isOpen(key: number, endpoint: string): boolean {
    const known = this.#refused.get(key);
    if (!known?.breaker.isOpen(this.#clock.now())) return false;
    return known.endpoints.size >= REFUSALS || known.endpoints.has(endpoint);
  }

  /** Records the status of an answer to a request with that key. */
  record(key: number, endpoint: string, status: number): void {
    if (!isKeyRefusal(status)) this.#refused.delete(key);
    else {
      const { breaker, endpoints } = this.#refused.get(key) ?? this.#add(key);
      if (endpoints.size < REFUSALS) endpoints.add(endpoint);
      breaker.onFailure(this.#clock.now());
    }
  }

  #add(key: number): RefusedKey {
    const breaker = new Breaker({ failures: REFUSALS, firstMs: AGAIN_MS, longestMs: AGAIN_MS });
    const known = { breaker, endpoints: new Set<string>() };
    this.#refused.set(key, known);
    keepLast(this.#refused, MOST_KEYS);
    return known;
  }
}
