import type { Period } from '../time/periods.ts';
import type { ServerClock } from '../time/server-clock.ts';
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
  /** Units in flight, without this request's: the reading may or may not include them. */
  readonly held: number;
  /** Units answered since this request was sent, without its own: the reading may or may not include them. */
  readonly settledSince: number;
  /** Whether the answer was a refusal. */
  readonly limited: boolean;
  /** Whether it answers a request that was sent although a refusal was expected, so that the refusal is no evidence. */
  readonly isExempt?: boolean | undefined;
}

/** Readings and our own estimate may differ by this much through rounding, in units. */
export const TOLERANCE = 0.5;

/** Services that estimate usage, or show a level in whole units, round it up or down by up to so many units. */
export const ROUNDING = 1;

/** What was surely counted of what is used of a window: the evidence that a reading is compared with. */
export interface SureUsage extends Pick<AnsweredRequests, 'atMost' | 'surely' | 'surelyRoseTo'> {
  /**
   * Whether certainly more than `units` were counted after `from` and before `until`.
   *
   * @param onlyFills - whether the window was empty at some instant after `from`, and has only filled since.
   */
  surelyExceeds(units: number, from: number, until: number, onlyFills?: boolean): boolean;
}

/** Units that are used at an instant, for a shape to say when they are free again. Instants and lengths are in milliseconds. */
export interface Use {
  readonly at: number;
  readonly periodMs: number;
  /** When the window of the calendar ends. */
  readonly endsAt: number;
  /** When those are free again that were used before. */
  readonly lastAt: number;
  /** How long so many units take to become free at the limit per window, in milliseconds. */
  readonly drainMs: number;
}

/**
 * What is known of a shape without any request: all that the rest of the client asks of one, so that a new shape is a new file. A
 * fact that is omitted does not hold.
 */
export interface Shape {
  readonly name: string;
  /** Its bit in what processes tell each other: part of that format, so it is never changed and never used again. */
  readonly bit: number;
  /** Whether all units are available again at each boundary of the calendar. */
  readonly isCalendar?: boolean;
  /** Whether each unit counts for a whole window from when it was used, so that no boundary frees them together. */
  readonly isSliding?: boolean;
  /** Whether usage only grows until the window ends. */
  readonly onlyFills?: boolean;
  /** Whether a pause shows it, because usage sinks by a little in any short time. */
  readonly drains?: boolean;
  /** Whether usage sinks by at most the limit per window, however it came about. */
  readonly sinksSteadily?: boolean;
  /** Whether the service estimates usage, so that what fits the most cautious shape need not fit this one. */
  readonly isEstimated?: boolean;
  /** Whether a reset that the service announces overrules our own estimate of it, once: only for shapes that do not follow the calendar, whose windows the dates of answers tell. */
  readonly acceptsNamedReset?: boolean;
  /** When units that are used at an instant are free again, all at once or evenly from one instant to another: for estimates. Omitted: one window later. */
  frees?(use: Use): readonly [from: number, to: number];
  /** Creates the model of a window that has this shape. `isShared`: whether siblings use it, too. */
  create(period: Period, clock: ServerClock, isShared?: boolean): WindowModel;
}

/**
 * A window of one shape. Each answers the design's one question, from two sides: an upper bound of what the
 * service may have counted decides when a charge surely fits, and a lower bound decides whether a reading contradicts the
 * model. A new shape is a new file with a {@link Shape} and its model, which passes the models' contract test.
 */
export interface WindowModel {
  readonly shape: Shape;
  /** The most that the service may have counted at `now`, in units, what is in flight aside. */
  spent(now: number): number;
  /**
   * The earliest instant at which `units` more surely fit below `cap` while `held` are in flight; `now` if they do.
   * Infinity: not before an answer arrives.
   */
  earliest(units: number, held: number, cap: number, now: number): number;
  /** Books units that the service counted, if at all, between `from` and `to`. */
  book(units: number, from: number, to: number): void;
  /** Whether a reading counts less than was surely left there, if the window has this shape. */
  isContradicted(reading: WindowReading, usage: SureUsage): boolean;
  /**
   * Units of a reading that neither we nor what is known of others can have left there, if the window has this shape; negative: none;
   * undefined: the reading may speak of another window.
   */
  unexplained(reading: WindowReading): number | undefined;
  /**
   * Reconciles the model with a reading: no less was counted than it says, and no more than it says plus what was answered since.
   *
   * @returns the units that were added for that: those of other consumers, if the window has this shape.
   */
  reconcile(reading: WindowReading, answered: AnsweredRequests): number;
  /** Every other candidate is ruled out. */
  onLast?(): void;
}
