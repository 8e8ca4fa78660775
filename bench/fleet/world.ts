import type { MockServiceOptions, WindowKind } from '../../src/testing/index.ts';

/** A call that is to be made. */
export interface Arrival {
  /** When, in milliseconds since the beginning of the run. */
  readonly atMs: number;
  /** By which process. */
  readonly by: number;
  /** Its priority. Default: 0. */
  readonly priority?: number;
}

/** Calls at given instants, whatever becomes of the ones before. Their latencies are compared. */
export interface OpenTraffic {
  readonly kind: 'open';
  arrivals(random: () => number): readonly Arrival[];
}

/** So many calls of each process at all times: one that ends is followed by another. How many are served is compared. */
export interface ClosedTraffic {
  readonly kind: 'closed';
  readonly waiting: number;
  readonly forMs: number;
}

/** A service, processes that share one key, and the calls that they make. */
export interface World {
  readonly name: string;
  readonly processes: number;
  readonly limits: NonNullable<MockServiceOptions['keyed']>;
  /** The shape of all windows. */
  readonly shape: WindowKind;
  /** Further options of the service. */
  readonly service?: MockServiceOptions;
  /** How long responses of the service take, at least and at most, in milliseconds. */
  readonly latencyMs: readonly [number, number];
  readonly traffic: OpenTraffic | ClosedTraffic;
  /** Calls of every process but the first beside that traffic: they cost one unit, and are not measured. */
  readonly beside?: ClosedTraffic;
  /** What some calls of the traffic cost, in units, and which: each so many. Default: all cost one unit. */
  readonly costly?: { readonly units: number; readonly every: number };
  /** Whether the store is on the same machine, as that of `localShare`. */
  readonly isNear?: boolean;
  /** What becomes of an answer of the store: lost, or late by so many milliseconds. */
  readonly answers?: (random: () => number) => 'lost' | number;
  /** When other consumers of the key send a request each, in milliseconds since the beginning: no process knows of them. */
  readonly strangers?: (random: () => number) => readonly number[];
  /** How long a call waits for quota, in milliseconds. Default: for ever. */
  readonly maxWaitMs?: number;
  /** Only calls of this priority are measured. Default: all. */
  readonly measured?: number;
  /** What the clock shows at the beginning, in milliseconds since the Unix epoch. Default: seven seconds into a minute. */
  readonly start?: number;
  /** From when on calls are measured, in milliseconds since the beginning. Default: 12 s, in which a share learns what there is to know. */
  readonly settlingMs?: number;
}
