/** One listener, and all that it calls. */
interface Ear {
  readonly reactions: Set<() => void>;
  readonly close: () => void;
}

/** Hears of aborts, with one listener to a signal however many calls share it. */
export class Aborts {
  readonly #ears = new Map<AbortSignal, Ear>();

  /**
   * Calls `react` when the signal aborts.
   *
   * @returns a function that ends it.
   */
  hear(signal: AbortSignal, react: () => void): () => void {
    const ear = this.#ears.get(signal) ?? this.#open(signal);
    ear.reactions.add(react);
    return () => {
      ear.reactions.delete(react);
      if (ear.reactions.size === 0) ear.close();
    };
  }

  #open(signal: AbortSignal): Ear {
    const reactions = new Set<() => void>();
    const tell = (): void => {
      for (const react of reactions) react();
    };
    const close = (): void => {
      this.#ears.delete(signal);
      signal.removeEventListener('abort', tell);
    };
    const ear = { reactions, close };
    this.#ears.set(signal, ear);
    signal.addEventListener('abort', tell, { once: true });
    return ear;
  }
}
