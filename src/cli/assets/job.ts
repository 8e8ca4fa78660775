import { type Bulk, isClosed, isConnectionError, isResponseShape, isServiceError } from '../../index.ts';
import { isKeyRefusal } from '../error-message.ts';
import { GaveUpError } from '../exit.ts';

/** The job ends after this many failures in a row. */
export const MOST_IN_A_ROW = 10;

/** An account that could not be fetched. */
export interface FailedAccount {
  readonly address: string;
  readonly error: unknown;
}

/** Outcome of a job. */
export interface JobOutcome {
  readonly failures: readonly FailedAccount[];
  /** The error that ended the job early, if any. A closed client is none: the user ended the job. */
  readonly halt: { readonly error: unknown } | undefined;
}

/** Whether an error concerns one account only. A refused key, an exhausted quota or a closed client concerns all. */
export function isOfOneAccount(error: unknown): boolean {
  if (isServiceError(error)) return !isKeyRefusal(error.status);
  return isConnectionError(error) || isResponseShape(error);
}

/**
 * Runs a bulk to its end, and writes each value as it comes. Never rejects.
 *
 * @param write - resolves when a value is written; a failure ends the job.
 * @param onOutcome - called after each account.
 */
export async function runJob<Value>(
  bulk: Bulk<string, Value>,
  write: (address: string, value: Value) => Promise<void>,
  onOutcome: () => void,
): Promise<JobOutcome> {
  const failures: FailedAccount[] = [];
  let halt: JobOutcome['halt'];
  try {
    for await (const outcome of bulk) {
      if (outcome.status === 'fulfilled') await write(outcome.item, outcome.value);
      else failures.push({ address: outcome.item, error: outcome.reason });
      onOutcome();
    }
  } catch (error) {
    // A failure that has its own line ended the job only by being one too many.
    const isOneTooMany = failures.some((failure) => failure.error === error);
    const told = isOneTooMany ? new GaveUpError(`Gave up after ${MOST_IN_A_ROW} failures in a row.`) : error;
    if (!isClosed(error)) halt = { error: told };
  }
  return { failures, halt };
}
