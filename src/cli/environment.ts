import type { Clock } from '../index.ts';

/** A stream for text, or for bytes as they come. */
export interface Surface {
  /**
   * Resolves when the text is written, so that a slow reader slows the program down.
   *
   * @throws BrokenPipeError if the reader has closed the stream.
   */
  write(text: string | Uint8Array): Promise<void>;
  readonly isTTY: boolean;
  /** Present number of columns of the terminal; undefined without one. */
  readonly columns: number | undefined;
}

/** A signal that asks the program to end. */
export type Interrupt = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** Everything outside the program that a command uses; tests replace it. */
export interface Environment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<string | Uint8Array> & { readonly isTTY?: boolean | undefined };
  readonly stdout: Surface;
  readonly stderr: Surface;
  readonly clock: Clock;
  readonly fetch: typeof globalThis.fetch;
  /**
   * Calls `listener` when the user ends the program.
   *
   * @returns a function that unsubscribes it.
   */
  onInterrupt(listener: (interrupt: Interrupt) => void): () => void;
}

/** The reader of the output, such as `head`, has closed it. */
export class BrokenPipeError extends Error {}
