import type { Interrupt } from './environment.ts';

/** What the program ends with, so that a script can tell what happened. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  underThreshold: 3,
  exhausted: 4,
  // 128 and the number of the signal, as a shell has it.
  SIGHUP: 129,
  SIGINT: 130,
  SIGPIPE: 141,
  SIGTERM: 143,
} as const;

/** The command line, or what it names, cannot be used. Nothing was sent. */
export class UsageError extends Error {}

/** The job was given up after too many failures. */
export class GaveUpError extends Error {}

/** The user wants the program to end. */
export class Interrupted extends Error {
  readonly interrupt: Interrupt;

  constructor(interrupt: Interrupt) {
    super(`Ended by ${interrupt}.`);
    this.interrupt = interrupt;
  }
}

/** Resolves as the work does, unless the user wants the program to end before. */
export function unlessStopped<T>(work: Promise<T>, stop: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(stop.reason);
    stop.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => stop.removeEventListener('abort', end));
    if (stop.aborted) end();
  });
}
