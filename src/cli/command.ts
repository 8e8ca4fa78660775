import type { Environment } from './environment.ts';

/** What can be done from the command line. */
export interface Command {
  /** The page that teaches it. */
  readonly help: string;
  /**
   * Does it.
   *
   * @param stop - aborts with Interrupted when the user wants it to end.
   * @returns what the program ends with.
   */
  readonly run: (args: readonly string[], world: Environment, stop: AbortSignal) => Promise<number>;
}
