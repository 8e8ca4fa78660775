import type { Clock } from '../../clock.ts';

/** Resolves when `ms` milliseconds of the clock have passed. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.timer(ms, resolve));
}

/** Starts work and settles as it does, unless the signal aborts first: then it rejects with the signal's reason. */
export function unlessAborted<T>(start: () => Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return start();
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    start()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
}
