/** When a window ends, in monotonic milliseconds: an interval, because clocks differ. */
export interface WindowEnd {
  /** `known`: the service named it, or all candidate shapes follow the calendar; `guessed`: some do; `unknown`: none does. */
  readonly certainty: 'known' | 'guessed' | 'unknown';
  readonly from?: number;
  readonly to?: number;
}
