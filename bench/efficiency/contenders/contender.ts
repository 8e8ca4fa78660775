import type { ServiceLimits } from '../../../src/testing/index.ts';
import type { MachineClock } from '../machine.ts';
import type { Errand } from '../scenario.ts';

/** Where a client runs, and what it may know. */
export interface Place {
  readonly origin: string;
  readonly key: string | undefined;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: MachineClock;
  readonly random: () => number;
  /** The true limits, for those who need to be told. Ours is not. */
  readonly limits: ServiceLimits;
  /** The true cost of an errand, for those who can make use of it. Ours cannot. */
  readonly costOf: (errand: Errand) => number;
}

/** A client at work. */
export interface Running {
  /** Makes a call; rejects if it fails for good. */
  call(errand: Errand): Promise<unknown>;
}

/** A way to call the service that a user may choose. */
export interface Contender {
  readonly name: string;
  /** What a user would have to write down to use it. */
  readonly setup: string;
  /** Whether it takes time from the globals, which are then replaced while it runs. */
  readonly usesGlobals: boolean;
  open(place: Place): Running;
}
