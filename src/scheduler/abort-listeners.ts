/** One listener of a signal, and all callbacks that share it. */
interface SharedListener {
  readonly callbacks: Set<() => void>;
  readonly close: () => void;
}

/** Listens for aborts, with one listener for each signal however many calls share it. */
export class AbortListeners {
  readonly #shared = new Map<AbortSignal, SharedListener>();

  /**
   * Calls `callback` when the signal aborts.
   *
   * @returns a function that removes the callback.
   */
  listen(signal: AbortSignal, callback: () => void): () => void {
    const shared = this.#shared.get(signal) ?? this.#open(signal);
    shared.callbacks.add(callback);
    return () => {
      shared.callbacks.delete(callback);
      if (shared.callbacks.size === 0) shared.close();
    };
  }

  #open(signal: AbortSignal): SharedListener {
    const callbacks = new Set<() => void>();
    const onAbort = (): void => {
      for (const callback of callbacks) callback();
    };
    const close = (): void => {
      this.#shared.delete(signal);
      signal.removeEventListener('abort', onAbort);
    };
    const shared = { callbacks, close };
    this.#shared.set(signal, shared);
    signal.addEventListener('abort', onAbort, { once: true });
    return shared;
  }
}
