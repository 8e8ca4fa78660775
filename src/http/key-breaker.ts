import type { Clock } from '../clock.ts';

/** The code of a request that is not sent because its key was refused. */
export const KEY_REFUSED = 'KEY_REFUSED';

/** A key that was answered with 401 so often in a row counts as revoked, and is tried again after so many milliseconds. */
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
  let refused: string | undefined;
  let times = 0;
  let until = Number.NEGATIVE_INFINITY;
  return {
    isOpen: (key) => key === refused && times >= TIMES && clock.now() < until,
    record(key, status) {
      if (status === 401) {
        times = key === refused ? times + 1 : 1;
        refused = key;
        until = clock.now() + AGAIN_MS;
      } else if (key === refused) times = 0;
    },
  };
}
