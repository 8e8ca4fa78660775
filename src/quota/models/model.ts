import type { AnsweredRequests } from '../usage/answered.ts';

/** What the service said of a window in one answer. Instants are monotonic milliseconds. */
export interface WindowReading {
  readonly sentAt: number;
  readonly receivedAt: number;
  /** Units that the window holds in all. */
  readonly limit: number;
  /** Units that the service has counted in the window: limit less remaining. */
  readonly used: number;
  /** Units of this request itself. */
  readonly own: number;
  /** Units of ours that are in flight, this request's aside: the reading may or may not include them. */
  readonly held: number;
  /** Units of ours, this request's aside, that came back since it was sent: the reading may or may not include them. */
  readonly settledSince: number;
  /** Whether the answer was a refusal. */
  readonly limited: boolean;
}

/** Readings and our reckoning may differ by this much through rounding, in units. */
export const TOLERANCE = 0.5;

/**
 * One shape that a window may have. Each answers the design's one question, from two sides: an upper bound of what the
 * service may have counted decides when a charge surely fits, and a lower bound decides whether a reading contradicts the
 * model. A new model is a new file that implements this and passes the models' contract test.
 */
export interface WindowModel {
  readonly name: 'sliding-log' | 'sliding-counter' | 'aligned' | 'first-request' | 'leaky';
  /** Whether usage sinks by at most the limit per window, however it came about. */
  readonly sinksSteadily: boolean;
  /** The most that the service may have counted at `now`, in units, what is in flight aside. */
  spent(now: number): number;
  /**
   * The earliest instant at which `units` more surely fit below `cap` while `held` are in flight; `now` if they do.
   * Infinity: not before something comes back.
   */
  earliest(units: number, held: number, cap: number, now: number): number;
  /** Books units that the service counted, if at all, between `from` and `to`. */
  book(units: number, from: number, to: number): void;
  /** Whether a reading counts less than our own requests must have left there, if the window has this shape. */
  isContradicted(reading: WindowReading, answered: AnsweredRequests): boolean;
  /** Units of a reading that neither we nor what is known of others can have left there, if the window has this shape; negative: none. */
  unexplained(reading: WindowReading): number;
  /**
   * Reconciles the model with a reading: no less was counted than it says, and no more than it says plus what was answered since.
   *
   * @returns the units that were added for that: those of other consumers, if the window has this shape.
   */
  reconcile(reading: WindowReading, answered: AnsweredRequests): number;
}
