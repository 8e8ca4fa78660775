import type { Clock } from '../../clock.ts';

/** A timer that fires this many times later than its delay shows that the event loop was blocked. */
const STALLED = 1.2;

/**
 * Awaits `work` for at most `ms`, then rejects with the code `TIMEOUT`. If the event loop was blocked, the answer may already have
 * arrived, so `work` gets `ms / 5` more.
 */
export function inTime<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const startedAt = clock.now();
    const giveUp = (): void =>
      reject(Object.assign(new Error('The store did not answer in time'), { code: 'TIMEOUT' }));
    let cancel = clock.timer(ms, () => {
      if (clock.now() - startedAt > ms * STALLED) cancel = clock.timer(ms / 5, giveUp);
      else giveUp();
    });
    work.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}
