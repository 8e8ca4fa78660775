import type { Environment } from './environment.ts';
import type { HelpPage } from './help-page.ts';

/** A command of the command line. */
export interface Command {
  /** What `--help` shows. Its flags are those that the command reads, and that shells complete. */
  readonly page: HelpPage;
  /**
   * Runs the command.
   *
   * @param stop - aborts with Interrupted when the user ends the program.
   * @returns the exit code.
   */
  readonly run: (args: readonly string[], world: Environment, stop: AbortSignal) => Promise<number>;
}

/** A command by its name, loaded on demand: `quota` needs no mock. */
export interface CommandEntry {
  readonly name: string;
  /** A few words for the list of commands. */
  readonly summary: string;
  readonly load: () => Promise<Command>;
}
