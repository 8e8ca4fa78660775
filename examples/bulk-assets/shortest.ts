/** A window of the calendar (UTC) and its state at the start. */
export interface CalendarWindow {
  readonly period: Period;
  /** Its limit in units. */
  readonly limit: number;
  /** Units remaining in the present window. */
  readonly left: number;
}

export const PERIODS = ['second', 'minute', 'hour', 'day', 'month'] as const;

export type Period = (typeof PERIODS)[number];

const LENGTH_MS = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * The shortest time, in milliseconds, in which a service accepts these requests of one unit each, without latency and with full knowledge
 * of its limits and its clock. No client can be faster.
 *
 * @param at - the start, by the service's clock, in milliseconds since the Unix epoch.
 */
export function shortest(requests: number, at: number, windows: readonly CalendarWindow[]): number {
  if (windows.some(({ limit }) => limit < 1)) return Infinity;
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

/** When the window that contains `at` ends. */
function endOf(period: Period, at: number): number {
  if (period !== 'month') return (Math.floor(at / LENGTH_MS[period]) + 1) * LENGTH_MS[period];
  const day = new Date(at);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1);
}
