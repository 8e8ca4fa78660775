import type { Clock } from '../clock.ts';
import { isKeyRefusal } from '../errors.ts';
import { keepLast } from '../keep-last.ts';
import { Breaker } from '../quota/recovery/breaker.ts';
import { MOST_KEYS } from './key-ring.ts';

/** Number of 401s and 403s in a row after which a key counts as revoked. */
const REFUSALS = 5;

/** Time after which such a key is tried again, in milliseconds. */
const AGAIN_MS = 60_000;

/** A circuit breaker for each API key, by its number: a key that the service has revoked is not sent with every call that waits. */
export class KeyBreaker {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #breakers = new Map<number, Breaker>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Whether the breaker is open, so that the key is not to be sent now. */
  isOpen(key: number): boolean {
    return this.#breakers.get(key)?.isOpen(this.#clock.now()) ?? false;
  }

  /** Records the status of an answer to a request with that key. */
  record(key: number, status: number): void {
    const known = this.#breakers.get(key);
    if (!isKeyRefusal(status)) known?.onSuccess();
    else if (known) known.onFailure(this.#clock.now());
    else this.#add(key).onFailure(this.#clock.now());
  }

  #add(key: number): Breaker {
    const breaker = new Breaker({ failures: REFUSALS, firstMs: AGAIN_MS, longestMs: AGAIN_MS });
    this.#breakers.set(key, breaker);
    keepLast(this.#breakers, MOST_KEYS);
    return breaker;
  }
}
