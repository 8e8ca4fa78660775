import type { QuotaShare } from '../../../src/share.ts';
import type { LoggedRequest, ServiceLimits, ServicePeriod } from '../../../src/testing/index.ts';
import { LENGTH_MS } from '../../../src/testing/limits/calendar.ts';
import type { MachineClock } from '../machine.ts';
import type { Errand, Scenario } from '../scenario.ts';

/** Where a client runs, and what it may know. */
export interface Place {
  readonly origin: string;
  readonly key: string | undefined;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: MachineClock;
  readonly random: () => number;
  /** The true limits, for contenders that have to be configured. Ours is not. */
  readonly limits: ServiceLimits;
  /** The true cost of an errand, for contenders that can use it. Ours cannot. */
  readonly costOf: (errand: Errand) => number;
  /** How many clients there are, the shape of the windows, and the service's time, in milliseconds since the Unix epoch: only for contenders that show a bound. */
  readonly clients: number;
  readonly windows: Scenario['windows'];
  readonly serviceTime: () => number;
  /** All requests that have arrived at the service, oldest first: only for contenders that show a bound. */
  readonly arrived: () => readonly LoggedRequest[];
  /** Units used before the start. */
  readonly spent: Scenario['spent'];
  /** What the clients share, where they share the quota. */
  readonly share: QuotaShare | undefined;
  /** Whether anything costs other than 1. */
  readonly isCostly: boolean;
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

/** `setTimeout`, and so whatever is built on it, knows nothing beyond. */
const LONGEST_MS = 2 ** 31 - 1;

/** Limits as pacers of fixed intervals can be told them, the shortest first. A month is beyond them. */
export function expressible(limits: ServiceLimits): { readonly limit: number; readonly lengthMs: number }[] {
  return Object.entries(limits)
    .map(([period, limit]) => ({ limit, lengthMs: LENGTH_MS[period as ServicePeriod] }))
    .filter(({ lengthMs }) => lengthMs <= LONGEST_MS)
    .sort((a, b) => a.lengthMs - b.lengthMs);
}
