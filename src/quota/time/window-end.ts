/** The end of a window that is no whole second may be named as one, cut or rounded by this much, in milliseconds. */
export const ROUNDING_MS = 1_000;

/** When a window ends, in monotonic milliseconds: an interval, because clocks differ. */
export interface WindowEnd {
  /** `known`: the service named it, or all candidate shapes follow the calendar; `guessed`: some do; `unknown`: none does. */
  readonly certainty: 'known' | 'guessed' | 'unknown';
  readonly from?: number;
  readonly to?: number;
}
