import { type Charge, unitsOf } from '../../admission.ts';

/** How soon a charge that a shrinking reserve holds back is checked again: as a fraction of the window, and at the latest, in milliseconds. */
const RECHECK = 0.02;
const RECHECK_MS = 10_000;

/** Units of a window that not every charge may use. A window subtracts its reserves one after the other from its limit. */
export interface Reserve {
  /** Units of a window of `limit` units that are not for this charge. */
  units(charge: Charge, limit: number, now: number): number;
  /**
   * When to check a charge of `units` again that this reserve holds back; `now`: it may use the reserve.
   *
   * @param cap - the units that were left to it without this reserve and those after it.
   */
  releasesAt(units: number, cap: number, now: number): number;
}

/** The reserves of a window, subtracted one after the other. */
export class Reserves {
  readonly #reserves: readonly Reserve[];

  constructor(...reserves: readonly Reserve[]) {
    this.#reserves = reserves;
  }

  /** The units of a window of `limit` units that are left for a charge. */
  cap(charge: Charge, limit: number, now: number): number {
    return this.#reserves.reduce((cap, reserve) => cap - reserve.units(charge, limit, now), limit);
  }

  /**
   * When to check a charge again that only reserves hold back, because one of them is released by then.
   *
   * @param fitsFrom - the instant at which the charge fits below a cap.
   */
  releasesAt(charge: Charge, limit: number, fitsFrom: (cap: number) => number, now: number): number {
    const units = unitsOf(charge, limit);
    let soonest = Infinity;
    let cap = limit;
    for (const reserve of this.#reserves) {
      const reserved = reserve.units(charge, limit, now);
      if (reserved > 0) soonest = Math.min(soonest, Math.max(fitsFrom(cap), reserve.releasesAt(units, cap, now)));
      cap -= reserved;
    }
    return soonest;
  }
}

/** When a reserve that shrinks as the window elapses is worth checking again. */
export function recheckAt(periodMs: number, now: number): number {
  return now + Math.min(periodMs * RECHECK, RECHECK_MS);
}
