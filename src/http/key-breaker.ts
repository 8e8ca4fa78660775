import type { Clock } from '../clock.ts';

/** The code of a request that is not sent because its key was refused. */
export const KEY_REFUSED = 'KEY_REFUSED';

/** A key that was answered with 401 so often in a row counts as revoked, and is tried again after so many milliseconds. */
const TIMES = 5;
const AGAIN_MS = 60_000;

/** Keeps a key that the service does not know any more from being sent with all that waits. */
export interface Lockout {
  /** Whether the key is not to be sent now. */
  holds(key: string): boolean;
  /** The service answered a request with that key. */
  hear(key: string, status: number): void;
}

/** Makes one. It keeps the key in a closure, where no inspected object shows it. */
export function createLockout(clock: Pick<Clock, 'now'>): Lockout {
  let refused: string | undefined;
  let times = 0;
  let until = Number.NEGATIVE_INFINITY;
  return {
    holds: (key) => key === refused && times >= TIMES && clock.now() < until,
    hear(key, status) {
      if (status === 401) {
        times = key === refused ? times + 1 : 1;
        refused = key;
        until = clock.now() + AGAIN_MS;
      } else if (key === refused) times = 0;
    },
  };
}
