/**
 * A way of counting units against a limit. Instants are milliseconds since the Unix epoch by the service's clock, which may
 * be set back.
 */
export interface ServiceWindow {
  /** Limit in units; it may be changed at any time. */
  limit: number;
  /** Units used at an instant; may be fractional. */
  used(at: number): number;
  /** Books units for a request that arrived at `at`, which may be in the past. */
  charge(units: number, at: number): void;
  /** The instant to state as reset, seen from `at`. */
  resetAt(at: number): number;
  /** When `units`, at most the limit, would fit without further requests, seen from `at`. */
  fitsAt(units: number, at: number): number;
}
