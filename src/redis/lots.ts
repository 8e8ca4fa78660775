import { SLICES } from './slices.ts';

/** What we have of one slice: units that are ours, and units that we spent, or may have. */
export interface Lot {
  granted: number;
  used: number;
  /** Units that came in the last grant, and whether the slice was ever asked for. */
  last: number;
  wasAsked: boolean;
  /** Asking again is of no use before, by our clock. */
  retryAt: number;
}

const NOTHING: Readonly<Lot> = {
  granted: 0,
  used: 0,
  last: 0,
  wasAsked: false,
  retryAt: Number.NEGATIVE_INFINITY,
};

/** What we have of each slice of one window. */
export class Lots {
  readonly #lots = new Map<number, Lot>();

  /** What we have of a slice, to be looked at. */
  see(slice: number): Readonly<Lot> {
    return this.#lots.get(slice) ?? NOTHING;
  }

  /** What we have of a slice, to be changed. */
  at(slice: number): Lot {
    const known = this.#lots.get(slice);
    if (known) return known;
    const lot = { ...NOTHING };
    this.#lots.set(slice, lot);
    return lot;
  }

  /** Every slice of which we have or had anything, oldest first; what is older than `oldest` is forgotten. */
  since(oldest: number): [slice: number, lot: Lot][] {
    for (const slice of this.#lots.keys()) if (slice < oldest - 2 * SLICES) this.#lots.delete(slice);
    return [...this.#lots]
      .filter(([slice, { granted, used }]) => slice >= oldest && (granted > 0 || used > 0))
      .sort(([one], [other]) => one - other);
  }

  /** Units that were spent without having been granted. */
  get owed(): number {
    let owed = 0;
    for (const { used, granted } of this.#lots.values()) owed += Math.max(0, used - granted);
    return owed;
  }

  /** Whether anything is ours that is not spent. */
  get holdsAny(): boolean {
    for (const { granted, used } of this.#lots.values()) if (granted > used) return true;
    return false;
  }

  /** Units that we spent in the eleven slices up to this one: at least as long as the window. */
  usedUpTo(slice: number): number {
    let used = 0;
    for (const [other, lot] of this.#lots) if (other >= slice - SLICES && other <= slice) used += lot.used;
    return used;
  }
}
