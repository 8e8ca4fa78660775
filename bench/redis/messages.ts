import type { Limits } from './calendar.ts';
import type { Source } from './traffic.ts';
import type { Shape } from './windows.ts';

/** What a request for a page of an account's events costs; every other request costs one unit. */
export const COSTLY_UNITS = 5;

/** What the service process is started with. */
export interface ServiceJob {
  readonly limits: Limits;
  readonly shape: Shape;
  /** The shortest and the longest time until an answer. */
  readonly delayMs: readonly [least: number, most: number];
}

/** A counted request: the service's time of its arrival, and 1 if it was served or 0 if it was refused. */
export type ServiceEntry = readonly [at: number, served: 0 | 1];

export type ServiceMessage =
  | { readonly kind: 'listening'; readonly origin: string }
  | { readonly kind: 'clock set' }
  | { readonly kind: 'log'; readonly entries: readonly ServiceEntry[] };

/** What a worker process is started with. */
export interface WorkerJob {
  readonly subject: string;
  readonly origin: string;
  readonly redis: string;
  readonly limits: Limits;
  /** The sources of calls of each client of this process. */
  readonly clients: readonly (readonly Source[])[];
  /** The same seed makes the same arrivals. */
  readonly seed: number;
  /** Answers of Redis that the worker does not get, or gets late. */
  readonly spoilt?: SpoiltAnswers;
  /** Milliseconds after the start at which this process uses another API key. */
  readonly rotatesMs?: number;
}

/** Every n-th answer of Redis comes `lateMs` later, or never if that is absent. */
export interface SpoiltAnswers {
  readonly every: number;
  readonly lateMs?: number;
}

/** When a worker makes its calls, in milliseconds of the epoch. */
export interface Hours {
  readonly startAt: number;
  readonly endAt: number;
}

/** What became of a call: it failed, it succeeded, or it had not ended when the worker stopped. */
export type Outcome = 'failed' | 'ok' | 'unfinished';

/** A call: its source, its burst, when it began (since the start), how long it took, and what became of it. */
export type CallRecord = readonly [source: number, burst: number, atMs: number, tookMs: number, outcome: Outcome];

export type WorkerMessage =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'report';
      readonly calls: readonly CallRecord[];
      readonly failures: readonly string[];
      /** The times of answers to requests that no client made. */
      readonly bareMs: readonly number[];
    };
