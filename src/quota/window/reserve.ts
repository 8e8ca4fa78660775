import type { Charge } from '../admission.ts';

/** How soon a charge that a shrinking reserve holds back is checked again, as a fraction of the window. */
const RECHECK = 0.02;

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

/** A rule that spaces requests, even if the window has room. */
export interface Pacing {
  /**
   * The earliest instant at which `units` may be sent; `now` or earlier: at once.
   *
   * @param limit - units that the window holds in all.
   * @param cap - those of them that no reserve takes.
   */
  earliest(units: number, limit: number, cap: number, now: number): number;
}

/** When a reserve that shrinks as the window elapses is worth checking again. */
export function recheckAt(periodMs: number, now: number): number {
  return now + periodMs * RECHECK;
}
