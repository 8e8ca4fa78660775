import type { Interrupt } from './environment.ts';

/** Exit codes, for scripts. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  underThreshold: 3,
  exhausted: 4,
  // 128 plus the number of the signal, as in shells.
  SIGHUP: 129,
  SIGINT: 130,
  SIGPIPE: 141,
  SIGTERM: 143,
} as const;

/** The command line is invalid, or a file that it names is unusable. Nothing was sent. */
export class UsageError extends Error {}

/** The job ended before all was done, as after too many failures in a row. The message is a sentence. */
export class GaveUpError extends Error {}

/** The user ended the program. */
export class Interrupted extends Error {
  readonly interrupt: Interrupt;

  constructor(interrupt: Interrupt) {
    super(`Ended by ${interrupt}.`);
    this.interrupt = interrupt;
  }
}

/** Resolves when the user ends the program, where that is no failure. */
export function untilStopped(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) resolve();
    else stop.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Settles as the work does, unless `stop` aborts first. */
export function unlessStopped<T>(work: Promise<T>, stop: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(stop.reason);
    stop.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => stop.removeEventListener('abort', end));
    if (stop.aborted) end();
  });
}
