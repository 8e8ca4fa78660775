import { isClosed, isConnectionError, isResponseShape, isServiceError } from '../../index.ts';
import { GaveUpError } from '../exit.ts';

/** After this many failures in a row the job is given up. */
const IN_A_ROW = 10;

/** How a job went. */
export interface JobOutcome {
  readonly done: number;
  readonly failures: readonly { readonly address: string; readonly error: unknown }[];
  /** What ended the job before its time, if anything did. */
  readonly halt: { readonly error: unknown } | undefined;
}

/** A job for each of many accounts. */
export interface Job {
  readonly addresses: readonly string[];
  /** How many are in work at a time: more than may be in flight, so that the line is never empty. */
  readonly workers: number;
  /** Does one, to the last byte of its line. */
  readonly work: (address: string) => Promise<void>;
  /** Told how it stands, after each account. */
  readonly tell: (done: number, failed: number) => void;
  /** Told once that no more is begun. What is in work may come to its end. */
  readonly halted: (error: unknown) => void;
}

/** Does all, so many at a time. What fails for one account alone does not end the job. Never fails. */
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

/** A refused key, an exhausted quota or a full disk would be the end of every account alike. */
function isOfOneAccount(error: unknown): boolean {
  if (isServiceError(error)) return error.status !== 401 && error.status !== 403;
  return isConnectionError(error) || isResponseShape(error);
}
