import type { QuotaSnapshot, QuotaState } from '../../index.ts';
import { endOf, PERIODS, startOf } from '../../quota/time/periods.ts';

/** A window as it is shown. */
export interface ShownWindow {
  /** `second`, `minute`, `hour`, `day`, `month`, or `endpoint` for one that only `ratelimit-*` describes. */
  readonly window: string;
  readonly limit: number;
  /** Units left by the service's last word; by the client's own reckoning, if that was about a window that is over. */
  readonly remaining: number;
  /**
   * When it is full again, by the service's clock, in epoch milliseconds: what `ratelimit-reset` says of the endpoint's, and
   * for the others a guess by the calendar (UTC), which the service does not confirm.
   */
  readonly endsAt: number | undefined;
}

/** What one look at the quota found. */
export interface QuotaReading {
  /** When, by the service's clock where it tells it, in epoch milliseconds. */
  readonly at: number;
  readonly status: number | undefined;
  /** Units that the look itself cost, as the service states it. */
  readonly cost: number | undefined;
  /** Shortest first. */
  readonly windows: readonly ShownWindow[];
  /** The window that is nearest to its end, if there is any. */
  readonly binding: string | undefined;
  readonly malformed: readonly string[];
}

/**
 * Puts together what is known.
 *
 * @param now - this machine's wall clock. The snapshot may be older.
 */
export function readingOf(
  { windows }: Pick<QuotaState, 'windows'>,
  snapshot: QuotaSnapshot | undefined,
  status: number | undefined,
  now: number,
): QuotaReading {
  // The service's clock stood at `date` when the snapshot was received, or less than a second later.
  const at = snapshot?.date === undefined ? now : snapshot.date + (now - snapshot.receivedAt);
  const saidAt = snapshot?.date ?? snapshot?.receivedAt ?? now;
  const shown = windows.map(({ window, limit, remaining, headroom }) => {
    const period = PERIODS.find((one) => one === window);
    const isOver = period === undefined ? at >= (snapshot?.resetAt ?? at) : saidAt < startOf(period, at);
    return {
      window,
      limit,
      // Where a window may refill evenly, the client reckons with parts of units, of which nothing can be bought.
      remaining: isOver ? Math.max(0, Math.floor(headroom)) : remaining,
      endsAt: period === undefined ? snapshot?.resetAt : endOf(period, at),
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

/**
 * The window with the smallest part left; of equals the longer, which is the later one to be full again. The second counts
 * only if nothing at all is left of it, or if it is alone: it is full again before anybody has read this.
 */
function tightest(windows: readonly ShownWindow[]): ShownWindow | undefined {
  const lasting = windows.filter(({ window, remaining }) => window !== 'second' || remaining === 0);
  const partOf = ({ remaining, limit }: ShownWindow): number => (limit > 0 ? remaining / limit : 0);
  return (lasting.length > 0 ? lasting : windows).reduce<ShownWindow | undefined>(
    (found, window) => (found && partOf(found) < partOf(window) ? found : window),
    undefined,
  );
}
