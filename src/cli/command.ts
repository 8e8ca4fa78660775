import type { Environment } from './environment.ts';

/** A command of the command line. */
export interface Command {
  /** Its help text. */
  readonly help: string;
  /**
   * Runs the command.
   *
   * @param stop - aborts with Interrupted when the user ends the program.
   * @returns the exit code.
   */
  readonly run: (args: readonly string[], world: Environment, stop: AbortSignal) => Promise<number>;
}
