import { isClosed, isConnectionError, isResponseShape, isServiceError } from '../../index.ts';
import { GaveUpError } from '../exit.ts';

/** The job ends after this many failures in a row. */
const IN_A_ROW = 10;

/** Outcome of a job. */
export interface JobOutcome {
  readonly done: number;
  readonly failures: readonly { readonly address: string; readonly error: unknown }[];
  /** The error that ended the job early, if any. */
  readonly halt: { readonly error: unknown } | undefined;
}

/** A job for each of many accounts. */
export interface Job {
  readonly addresses: readonly string[];
  /** Accounts in progress at a time: more than may be in flight, so that the queue is never empty. */
  readonly workers: number;
  /** Fetches one account and writes its line. */
  readonly work: (address: string) => Promise<void>;
  /** Called after each account. */
  readonly tell: (done: number, failed: number) => void;
  /** Called once when no further account is started. Those in progress may finish. */
  readonly halted: (error: unknown) => void;
}

/** Runs the job for all accounts. The failure of a single account does not end it. Never rejects. */
export async function runJob({ addresses, workers, work, tell, halted }: Job): Promise<JobOutcome> {
  const failures: { address: string; error: unknown }[] = [];
  const queue = addresses.values();
  let halt: JobOutcome['halt'];
  let inARow = 0;
  let done = 0;
  const stop = (error: unknown): void => {
    if (halt) return;
    halt = { error };
    halted(error);
  };
  const worker = async (): Promise<void> => {
    for (const address of queue) {
      try {
        await work(address);
        done++;
        inARow = 0;
      } catch (error) {
        if (!isOfOneAccount(error)) return stop(error);
        failures.push({ address, error });
        if (++inARow === IN_A_ROW) stop(new GaveUpError(`Gave up after ${IN_A_ROW} failures in a row.`));
      }
      tell(done, failures.length);
      if (halt) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, addresses.length) }, worker));
  return { done, failures, halt: halt && (isClosed(halt.error) ? undefined : halt) };
}

/** Whether an error concerns one account only. A refused key, an exhausted quota or a full disk concerns all. */
function isOfOneAccount(error: unknown): boolean {
  if (isServiceError(error)) return error.status !== 401 && error.status !== 403;
  return isConnectionError(error) || isResponseShape(error);
}
