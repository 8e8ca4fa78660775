import type { Period } from './quota/windows.ts';

/** A window of which a share is asked. */
export interface SharedWindow {
  readonly period: Period;
  /** Units that the window holds in all (section 8), as the service last said. */
  readonly limit: number;
}

/**
 * How much of each window this process may spend. Processes that share one API key share one quota, so each gets a part;
 * how to pace within the part stays with the pacer of each process.
 */
export interface QuotaShare {
  /**
   * The units of the window that this process may spend in all, at most its limit. Asked at every admission, so it must
   * answer at once from what it knows.
   *
   * @param now - monotonic milliseconds, by the client's clock.
   */
  part(window: SharedWindow, now: number): number;
  /**
   * Calls `wake` whenever a part has grown, so that whoever waits asks again.
   *
   * @returns a function that ends it.
   */
  subscribe(wake: () => void): () => void;
  /** Gives back what was not spent. Called when the client is closed. */
  close(): Promise<void>;
}

/** The share of a process that has its key to itself: all of every window. */
export const wholeShare: QuotaShare = {
  part: (window) => window.limit,
  subscribe: () => () => {},
  close: () => Promise.resolve(),
};
