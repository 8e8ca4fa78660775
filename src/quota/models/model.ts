/** What the service said of a window in one answer. Instants are monotonic milliseconds. */
export interface Reading {
  readonly sentAt: number;
  readonly receivedAt: number;
  /** Units that the service has counted in the window: limit less remaining. */
  readonly used: number;
  /** Units of ours that are in flight, this answer's aside: the reading may or may not include them. */
  readonly held: number;
  /** Units of ours, this answer's aside, that came back since this request was sent: the reading may or may not include them. */
  readonly settledSince: number;
  /** Whether the answer was a refusal. */
  readonly limited: boolean;
}

/**
 * One shape that a window may have. Each answers the design's one question, from two sides: an upper bound of what the
 * service may have counted decides when a charge surely fits, and a lower bound decides whether a reading contradicts the
 * model. A new model is a new file that implements this and passes the models' contract test.
 */
export interface WindowModel {
  readonly name: 'aligned' | 'sliding-log';
  /** The most that the service may have counted at `now`, in units, what is in flight aside. */
  spent(now: number): number;
  /**
   * The earliest instant at which `units` more surely fit below `cap` while `held` are in flight; `now` if they do.
   * Infinity: not before something comes back.
   */
  earliest(units: number, held: number, cap: number, now: number): number;
  /** Books units that the service counted, if at all, between `from` and `to`. */
  book(units: number, from: number, to: number): void;
  /** Takes the service's word: no less was counted than it says, and no more than it says and what came back since. */
  heed(reading: Reading): void;
  /** The instant since which everything counted must still show in this reading; undefined if the model cannot tell. */
  countsSince(reading: Reading): number | undefined;
}
