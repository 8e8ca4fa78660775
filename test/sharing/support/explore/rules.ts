import type { Shape } from '../../../../src/quota/models/model.ts';

/** More units than there are in a small world. */
export const EVERYTHING = 1_000;

/** A world so small that everything that can happen in it can be tried. */
export interface Small {
  readonly processes: number;
  /** Units of each second. */
  readonly limit: number;
  /** Units of the minute. */
  readonly long: number;
  readonly seconds: number;
  /** Asks that a process may make. */
  readonly asks: number;
  /** Messages that may be under way at once, asks and answers. */
  readonly underWay: number;
  /** How many processes may die; each is followed by one of another name. */
  readonly deaths?: number;
  /** The minute ends with this second, and so does the calendar's second; others begin. */
  readonly lastOfMinute?: number;
  /** Units that a process may wish for at once. */
  readonly wants?: readonly number[];
  /**
   * The service estimates usage of the last second from the calendar's seconds. What stands for seconds of the world are tenths then,
   * so many of them apart, and the processes take the window for one of this shape.
   */
  readonly estimated?: { readonly takenFor: Shape; readonly tenthsApart: number };
  /** Whether a lone call may ask for another one that will likely follow within the second after. */
  readonly expects?: boolean;
  /** The window is a token bucket. What stand for seconds of the world are steps, and `limit` units are free of it in the first one. */
  readonly isBucket?: boolean;
  readonly bug?: Bug;
}

/** A mistake that is planted, for the exploration to find. */
export type Bug =
  | 'the store ignores the sequence'
  | 'processes count old answers'
  | 'calls that are expected get whatever is free'
  | 'a call leaves half of the windows free'
  | 'a slot of two seconds shrinks to the first'
  | 'steps hold their own units alone'
  | 'what is used of a step drains too slowly';
