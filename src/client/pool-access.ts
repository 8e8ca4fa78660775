import type { BulkDependencies } from '../bulk/progress.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';

/** What a pool needs of a client beside its calls. */
export interface PoolAccess {
  /** Returns the service and the key, by which two clients with one quota are known; undefined if the key is a function, or there is none. */
  credential(): string | undefined;
  /** How long its calls may wait to be sent, in milliseconds, if they do not say so. */
  readonly maxQueueMs: number;
  /** What a bulk needs of it. */
  readonly bulk: BulkDependencies;
  /** The calls that wait in it. */
  readonly queue: Pick<Scheduler, 'isWaiting' | 'withdraw' | 'sentAt'>;
}

const poolAccess = new WeakMap<object, PoolAccess>();

/** Lets a pool use a client that this package has made. */
export function givePoolAccess(client: object, access: PoolAccess): void {
  poolAccess.set(client, access);
}

/** What a pool needs of a client; undefined if this package did not make the client. */
export function poolAccessOf(client: object): PoolAccess | undefined {
  return poolAccess.get(client);
}
