/** A window of the calendar (UTC), as it stands when the reckoning begins. */
export interface CalendarWindow {
  readonly period: Period;
  /** Units that it holds when it is new. */
  readonly limit: number;
  /** Units that are left in the present one. */
  readonly left: number;
}

export const PERIODS = ['second', 'minute', 'hour', 'day', 'month'] as const;

export type Period = (typeof PERIODS)[number];

const LENGTH_MS = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * The least time, in milliseconds, in which a service can take so many requests of one unit each, from someone who
 * knows its limits and its clock, and whose requests arrive as soon as they are sent. Nobody can be faster.
 *
 * @param at - when the reckoning begins by the service's clock, in milliseconds since the Unix epoch.
 */
export function shortest(requests: number, at: number, windows: readonly CalendarWindow[]): number {
  if (windows.some(({ limit }) => limit < 1)) return Number.POSITIVE_INFINITY;
  const open = windows.map((window) => ({ ...window, end: endOf(window.period, at) }));
  let now = at;
  for (let waiting = requests; ; ) {
    const going = Math.min(waiting, ...open.map(({ left }) => Math.max(0, left)));
    waiting -= going;
    for (const window of open) window.left -= going;
    if (waiting === 0) return now - at;
    now = Math.max(...open.filter(({ left }) => left <= 0).map(({ end }) => end));
    for (const window of open) {
      if (window.end <= now) Object.assign(window, { left: window.limit, end: endOf(window.period, now) });
    }
  }
}

/** When the window ends that holds `at`. */
function endOf(period: Period, at: number): number {
  if (period !== 'month') return (Math.floor(at / LENGTH_MS[period]) + 1) * LENGTH_MS[period];
  const day = new Date(at);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1);
}
