/**
 * A way of counting units against a limit. Instants are milliseconds since the Unix epoch by the service's clock, which may
 * be set back.
 */
export interface ServiceWindow {
  /** Units that the window holds; it may be changed at any time. */
  limit: number;
  /** Units in use at an instant; not always whole. */
  used(at: number): number;
  /** Books units for a request that arrived at `at`, perhaps a while ago. */
  charge(units: number, at: number): void;
  /** When the window is said to reset, seen from `at`. */
  resetAt(at: number): number;
  /** When so many units, no more than the limit, would fit if nobody else came, seen from `at`. */
  fitsAt(units: number, at: number): number;
}
