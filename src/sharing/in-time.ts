import type { Clock } from '../clock.ts';

/** A timer that fires this much later than it should shows that the event loop stood still. */
const STALLED = 1.2;

/**
 * Waits for work no longer than `ms`; then rejects with the code `TIMEOUT`. Where the event loop stood still the answer
 * may be there already, so it gets a little more time.
 */
export function inTime<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const startedAt = clock.now();
    const giveUp = (): void => reject(Object.assign(new Error('The store took too long'), { code: 'TIMEOUT' }));
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
