import { LONGEST_PAUSE_MS, URGENT_MEMORY_MS } from './store.ts';
import { STATE_RENEWED_MS } from './store-rules.ts';

/** Version of the facts, pause, urgent and usual units, which every ask reads. */
export interface State {
  readonly version: number;
  /** The version that a process must know to be granted units: the last one that changed a limit or the epoch of a shape. */
  readonly least: number;
  /** When the pause ends or, until it is cleared, ended, in milliseconds since the Unix epoch; 0: there is none. */
  readonly pauseUntil: number;
  /** Urgent and usual units as of `at`, in thousandths (`PARTS`); an earlier version did not count usual ones. */
  readonly urgent: number;
  readonly usual?: number;
  readonly at: number;
  /** When the counting of these began. */
  readonly since: number;
}

/** The present state, and whether it must be written even if unchanged, so that it does not expire. */
export interface CurrentState extends State {
  readonly usual: number;
  readonly isDue: boolean;
}

/** Computes the present state. The store's clock may have been set back since the known one was written. */
export function stateAt(known: State | undefined, now: number): CurrentState {
  if (!known) return { version: 0, least: 0, pauseUntil: 0, urgent: 0, usual: 0, at: now, since: now, isDue: true };
  const { version, least, pauseUntil, urgent, usual = 0, at, since } = known;
  const elapsed = now - at;
  const left = elapsed > 0 ? Math.exp(-elapsed / URGENT_MEMORY_MS) : 1;
  return {
    ...{ version, least },
    pauseUntil: pauseUntil > now + LONGEST_PAUSE_MS ? 0 : pauseUntil,
    urgent: Math.floor(urgent * left),
    usual: Math.floor(usual * left),
    at: now,
    since: Math.min(since, now),
    isDue: elapsed < 0 || Math.floor(now / STATE_RENEWED_MS) !== Math.floor(at / STATE_RENEWED_MS),
  };
}

/** Remaining time of a pause, in milliseconds; 1: it is over and has not been cleared; 0: there is none. */
export function pauseLeft({ pauseUntil }: State, now: number): number {
  return pauseUntil === 0 ? 0 : Math.max(1, pauseUntil - now);
}
