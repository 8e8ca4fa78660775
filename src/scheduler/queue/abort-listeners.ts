type AbortCallback = (reason: unknown) => unknown;

/** One listener of a signal, and all callbacks that share it. */
interface SharedListener {
  readonly callbacks: Set<AbortCallback>;
  readonly close: () => void;
}

/** Listens for aborts, with one listener for each signal however many calls share it. */
export class AbortListeners {
  readonly #shared = new Map<AbortSignal, SharedListener>();

  /**
   * Calls `callback` with the reason when the signal aborts.
   *
   * @returns a function that removes the callback.
   */
  listen(signal: AbortSignal, callback: AbortCallback): () => void {
    const shared = this.#shared.get(signal) ?? this.#open(signal);
    shared.callbacks.add(callback);
    return () => {
      shared.callbacks.delete(callback);
      if (shared.callbacks.size === 0) shared.close();
    };
  }

  /** Whether anything listens to the signal. */
  has(signal: AbortSignal): boolean {
    return this.#shared.has(signal);
  }

  /** Calls the callbacks of the signal as if it had aborted. @returns whether one of them returned true. */
  notify(signal: AbortSignal, reason: unknown): boolean {
    let isAny = false;
    for (const callback of this.#shared.get(signal)?.callbacks ?? []) isAny = callback(reason) === true || isAny;
    return isAny;
  }

  #open(signal: AbortSignal): SharedListener {
    const callbacks = new Set<AbortCallback>();
    const onAbort = (): void => {
      for (const callback of callbacks) callback(signal.reason);
    };
    const close = (): void => {
      this.#shared.delete(signal);
      signal.removeEventListener('abort', onAbort);
    };
    const shared = { callbacks, close };
    this.#shared.set(signal, shared);
    signal.addEventListener('abort', onAbort);
    return shared;
  }
}
