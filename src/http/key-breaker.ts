import type { Clock } from '../clock.ts';
import { Breaker } from '../quota/recovery/breaker.ts';

/** The code of a request that is not sent because its key was refused. */
export const KEY_REFUSED = 'KEY_REFUSED';

/** Whether a response may say that the key is refused. */
export function isKeyRefusal(status: number): boolean {
  return status === 401 || status === 403;
}

/** A key that was answered with 401 or 403 so often in a row counts as revoked, and is tried again after so many milliseconds. */
const TIMES = 5;
const AGAIN_MS = 60_000;

/** A circuit breaker for the API key: a key that the service has revoked is not sent with every call that waits. */
export interface KeyBreaker {
  /** Whether the breaker is open, so that the key is not to be sent now. */
  isOpen(key: string): boolean;
  /** Records the status of an answer to a request with that key. */
  record(key: string, status: number): void;
}

/** Makes one. It keeps the key in a closure, where no inspected object shows it. */
export function createKeyBreaker(clock: Pick<Clock, 'now'>): KeyBreaker {
  const breaker = new Breaker({ failures: TIMES, firstMs: AGAIN_MS, longestMs: AGAIN_MS });
  let refused: string | undefined;
  return {
    isOpen: (key) => key === refused && breaker.isOpen(clock.now()),
    record(key, status) {
      if (isKeyRefusal(status)) {
        if (key !== refused) breaker.onSuccess();
        refused = key;
        breaker.onFailure(clock.now());
      } else if (key === refused) breaker.onSuccess();
    },
  };
}
