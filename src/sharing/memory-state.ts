import { LONGEST_PAUSE_MS, URGENT_MEMORY_MS } from './store.ts';
import { STATE_RENEWED_MS } from './store-rules.ts';

/** Version, pause and urgent units: every ask reads them. */
export interface State {
  readonly version: number;
  /** When the pause ends, in milliseconds since the Unix epoch, or ended if it has not been cleared; 0: there is none. */
  readonly pauseUntil: number;
  /** Urgent units as they were at `at`, in parts of one (`URGENT_PARTS`). */
  readonly urgent: number;
  readonly at: number;
  /** Since when urgent units are counted. */
  readonly since: number;
}

/** A state as it is now, and whether it must be written although nothing changes it. */
export interface CurrentState extends State {
  readonly isDue: boolean;
}

/** The state now. The clock may have been set back since it was written. */
export function stateAt(known: State | undefined, now: number): CurrentState {
  if (!known) return { version: 0, pauseUntil: 0, urgent: 0, at: now, since: now, isDue: true };
  const { version, pauseUntil, urgent, at, since } = known;
  const elapsed = now - at;
  return {
    version,
    pauseUntil: pauseUntil > now + LONGEST_PAUSE_MS ? 0 : pauseUntil,
    urgent: elapsed > 0 ? Math.floor(urgent * Math.exp(-elapsed / URGENT_MEMORY_MS)) : urgent,
    at: now,
    since: Math.min(since, now),
    isDue: elapsed < 0 || Math.floor(now / STATE_RENEWED_MS) !== Math.floor(at / STATE_RENEWED_MS),
  };
}

/** How long a pause lasts yet, in milliseconds; 1: it is over and has not been cleared; 0: there is none. */
export function pauseLeft({ pauseUntil }: State, now: number): number {
  return pauseUntil === 0 ? 0 : Math.max(1, pauseUntil - now);
}
