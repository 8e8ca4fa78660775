import type { Redis } from 'ioredis';
import type { Limits } from './calendar.ts';

/** Where a subject makes its calls. */
export interface Place {
  readonly origin: string;
  readonly redis: Redis;
  /** The true limits, for subjects that must be told. */
  readonly limits: Limits;
  /** The API key in force. */
  readonly key: () => string;
}

/** One client of a subject. */
export interface Caller {
  /** Makes a call that costs one unit, or {@link COSTLY_UNITS}; rejects if it failed. */
  call(priority: number, units: number): Promise<unknown>;
}

/** A library that is compared. */
export interface Subject {
  readonly name: string;
  /** Whether one client in one process makes the calls of all sources. */
  readonly isAlone?: boolean;
  open(place: Place): Caller;
}
