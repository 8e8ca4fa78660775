import type { QuotaSnapshot, QuotaState } from '../../index.ts';
import { endOf } from './calendar.ts';

/** A window as displayed. */
export interface ShownWindow {
  /** `second`, `minute`, `hour`, `day`, `month`, or `endpoint` for one that only `ratelimit-*` describes. */
  readonly window: string;
  readonly limit: number;
  /** Units remaining by the latest response; by the client's estimate, if that response was about an earlier window. */
  readonly remaining: number;
  /**
   * When it resets, by the service's clock, in epoch milliseconds: `ratelimit-reset` for the window of the endpoint, and for the
   * others a guess by the UTC calendar, which the service does not confirm.
   */
  readonly endsAt: number | undefined;
}

/** A reading of the quota. */
export interface QuotaReading {
  /** When it was made, by the service's clock if known, in epoch milliseconds. */
  readonly at: number;
  readonly status: number | undefined;
  /** Units that the request itself cost, by the service. */
  readonly cost: number | undefined;
  /** Shortest first. */
  readonly windows: readonly ShownWindow[];
  /** The tightest window, if there is any. */
  readonly binding: string | undefined;
  readonly malformed: readonly string[];
}

/**
 * Creates a reading from the client's quota.
 *
 * @param now - this machine's wall clock. The snapshot may be older.
 */
export function readingOf(
  { windows }: Pick<QuotaState, 'windows'>,
  snapshot: QuotaSnapshot | undefined,
  status: number | undefined,
  now: number,
): QuotaReading {
  // When the snapshot was received, the service's clock was between `date` and `date` plus a second.
  const at = snapshot?.date === undefined ? now : snapshot.date + (now - snapshot.receivedAt);
  const saidAt = snapshot?.date ?? snapshot?.receivedAt ?? now;
  const shown = windows.map(({ window, limit, remaining, headroom }) => {
    const resetsAt = endOf(window, saidAt) ?? snapshot?.resetAt;
    const isOver = at >= (resetsAt ?? at);
    return {
      window,
      limit,
      // The estimate may be fractional, because a window may refill evenly; a fraction of a unit cannot be used.
      remaining: isOver ? Math.max(0, Math.floor(headroom)) : remaining,
      endsAt: endOf(window, at) ?? snapshot?.resetAt,
    };
  });
  return {
    at,
    status,
    cost: snapshot?.stacks.cost,
    windows: shown,
    binding: tightest(shown)?.window,
    malformed: snapshot?.malformed ?? [],
  };
}

/** The window with the smallest remaining part, whose bar is the shortest; of equals the longer one, which resets later. */
function tightest(windows: readonly ShownWindow[]): ShownWindow | undefined {
  const partOf = ({ remaining, limit }: ShownWindow): number => (limit > 0 ? remaining / limit : 0);
  return windows.reduce<ShownWindow | undefined>(
    (found, window) => (found && partOf(found) < partOf(window) ? found : window),
    undefined,
  );
}
