/** The calls that are not finished, those included that are not queued yet or have left the queue because their bodies are read. */
export class OpenCalls {
  readonly #onNone: () => void;
  #count = 0;
  #announced = 0;
  #awaiting: (() => void)[] = [];

  /** @param onNone - called whenever no call is left. */
  constructor(onNone: () => void = () => {}) {
    this.#onNone = onNone;
  }

  /** How many there are. */
  get count(): number {
    return this.#count;
  }

  /** How many were announced and not made yet. */
  get announced(): number {
    return this.#announced;
  }

  /** A call was made. */
  begin(): void {
    this.#count++;
  }

  /** A call is finished, well or not. */
  end(): void {
    if (--this.#count > 0) return;
    this.#onNone();
    for (const tell of this.#awaiting.splice(0)) tell();
  }

  /** Counts work on a call until it is over. */
  async follow<T>(work: Promise<T>): Promise<T> {
    this.begin();
    try {
      return await work;
    } finally {
      this.end();
    }
  }

  /** A call is about to be made. Returns a function to be called once it was made, or will not be made. */
  announce(): () => void {
    this.begin();
    this.#announced++;
    return () => {
      this.#announced--;
      this.end();
    };
  }

  /** Resolves when no call is left. */
  none(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => this.#awaiting.push(resolve));
  }
}
