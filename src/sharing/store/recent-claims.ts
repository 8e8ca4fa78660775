import { RECENT_STRETCHES, STRETCH_MS } from './store.ts';
import { MOST } from './store-rules.ts';

/** Units that all processes claimed lately, by stretches of time. */
export interface RecentClaims {
  /** When they were counted first. */
  readonly since: number;
  /** The number of the present stretch. */
  readonly index: number;
  /** Units claimed in it, and in those before it. */
  readonly units: readonly number[];
}

const NONE: readonly number[] = Array.from({ length: RECENT_STRETCHES }, () => 0);

/** What is still recent of what was stored. After the store's clock was set back it is not known what is. */
export function recentAt(known: RecentClaims | undefined, now: number): RecentClaims {
  const index = Math.floor(now / STRETCH_MS);
  if (!known || known.index > index) return { since: now, index, units: NONE };
  const units = [...NONE.slice(0, index - known.index), ...known.units].slice(0, RECENT_STRETCHES);
  return { since: known.since, index, units };
}

/** Adds units that are claimed now. */
export function withClaims({ since, index, units }: RecentClaims, more: number): RecentClaims {
  const [present = 0, ...before] = units;
  return { since, index, units: [Math.min(present + more, MOST), ...before] };
}

/** Units that were claimed since an instant, or somewhat earlier; Infinity: they were not counted then, or are no longer kept. */
export function claimedSince({ since, index, units }: RecentClaims, instant: number): number {
  const stretches = index - Math.floor(instant / STRETCH_MS) + 1;
  if (stretches > RECENT_STRETCHES || instant < since) return Infinity;
  return units.slice(0, Math.max(0, stretches)).reduce((all, one) => all + one, 0);
}
