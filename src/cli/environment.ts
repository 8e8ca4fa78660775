import type { Clock } from '../clock.ts';

/** Where text is written. */
export interface Surface {
  /**
   * Resolves when the text has been handed on, so that a slow reader slows the work down.
   *
   * @throws GoneError when nobody reads any more.
   */
  write(text: string): Promise<void>;
  readonly isTTY: boolean;
  /** How many columns the terminal has at this moment; undefined where there is none. */
  readonly columns: number | undefined;
}

/** A signal that asks the program to end. */
export type Interrupt = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** All that a command knows of the world around it, so that a test can be the world. */
export interface Environment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<string | Uint8Array> & { readonly isTTY?: boolean | undefined };
  readonly stdout: Surface;
  readonly stderr: Surface;
  readonly clock: Clock;
  readonly fetch: typeof globalThis.fetch;
  /**
   * Calls `hear` when the user wants the program to end.
   *
   * @returns a function that ends it.
   */
  onInterrupt(hear: (interrupt: Interrupt) => void): () => void;
}

/** The reader of the output, such as `head`, has closed it. */
export class BrokenPipeError extends Error {}
