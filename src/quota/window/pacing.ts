/** A rule that spaces requests, even if the window has room. */
export interface Pacing {
  /**
   * The earliest instant at which `units` may be sent; `now` or earlier: at once.
   *
   * @param limit - units that the window holds in all.
   */
  earliest(units: number, limit: number, now: number): number;
}
