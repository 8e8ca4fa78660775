/** What may end a request early. */
export interface Cancellation {
  /** Aborts when the request is to end early. */
  readonly signal: AbortSignal;
  /** Rejects with the reason of the signal as soon as it aborts, even if what was started ignores the signal. */
  during<T>(start: () => Promise<T>): Promise<T>;
}

/** See {@link Cancellation.during}; for a signal of the caller's, if there is one. */
export function untilAborted<T>(start: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
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
