import { type Limits, MINUTE, SECOND } from './calendar.ts';
import type { ServiceEntry } from './messages.ts';

/** How long a run may take until it is in a steady state. */
export const SETTLING_MS: number = 10 * SECOND;

/** The measured part of a run, in milliseconds since its start. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The part of a run that is measured. A run ends with a minute of the service's calendar, so this is as many whole minutes as
 * there are after the settling time; if there is none, all whole seconds after it.
 */
export function spanOf(seconds: number): Span {
  const toMs = seconds * SECOND;
  const minutes = Math.floor((toMs - SETTLING_MS) / MINUTE);
  return { fromMs: minutes > 0 ? toMs - minutes * MINUTE : SETTLING_MS, toMs };
}

/** The times of the requests that were served within a span, since the start of the span. */
export function servedIn(log: readonly ServiceEntry[], startedAt: number, { fromMs, toMs }: Span): number[] {
  const times = log.filter(([, served]) => served === 1).map(([at]) => at - startedAt);
  return times.filter((at) => at >= fromMs && at < toMs).map((at) => at - fromMs);
}

/** The part of the span's first minute that precedes the span, which is empty where the span consists of whole minutes. */
export function before({ fromMs, toMs }: Span): Span {
  return { fromMs: (toMs - fromMs) % MINUTE === 0 ? fromMs : toMs - MINUTE, toMs: fromMs };
}

/**
 * How many requests the limits allow within a span: in each whole minute the smaller of the minute's limit and sixty times
 * the second's. In a part of a minute, what was served earlier in that minute is not available any more.
 */
export function possibleIn(limits: Limits, { fromMs, toMs }: Span, servedBefore: number): number {
  const length = toMs - fromMs;
  const { second = Infinity, minute = Infinity } = limits;
  if (length % MINUTE !== 0) return Math.min(second * Math.floor(length / SECOND), minute - servedBefore);
  return Math.min(second * (length / SECOND), minute * (length / MINUTE));
}

/**
 * How many requests the calendar's seconds allow while their minute has units left, given what was served: more than
 * `possibleIn` says if requests are served later in a minute than they could be. The times are those of `servedIn`.
 */
export function roomIn(
  { second = Infinity, minute = Infinity }: Limits,
  { fromMs, toMs }: Span,
  served: readonly number[],
  servedBefore: number,
): number {
  const length = toMs - fromMs;
  const first = MINUTE - (length % MINUTE || MINUTE);
  let [room, used, next] = [0, servedBefore, 0];
  for (let at = 0; at + SECOND <= length; at += SECOND) {
    if (at > 0 && (first + at) % MINUTE === 0) used = 0;
    room += Math.max(0, Math.min(second, minute - used));
    for (; (served[next] ?? Infinity) < at + SECOND; next++) used++;
  }
  return room;
}

/**
 * The longest time without a served request while the calendar had units left, in milliseconds: the rest of a minute that is
 * used up does not count. The times are those of `servedIn`.
 */
export function longestStandstill(
  { minute = Infinity }: Limits,
  { fromMs, toMs }: Span,
  served: readonly number[],
  servedBefore: number,
): number {
  const length = toMs - fromMs;
  let minuteEnd = length % MINUTE || MINUTE;
  let used = servedBefore;
  let from = 0;
  let longest = 0;
  for (const at of [...served, length]) {
    for (; at >= minuteEnd; minuteEnd += MINUTE) {
      if (used >= minute) from = minuteEnd;
      used = 0;
    }
    longest = Math.max(longest, at - from);
    from = at;
    used++;
  }
  return longest;
}
