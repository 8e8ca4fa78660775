import type { Ledger, WindowUsage } from './ledger.ts';

/** The decision of all limits about one request. */
export interface Decision {
  /** When a refused request may be repeated; `undefined` if it is admitted. */
  readonly refusedUntil: number | undefined;
  /** The state of each window, for the headers. */
  readonly windows: readonly WindowUsage[];
  /** The state of the endpoint's own window, if it has one. */
  readonly ceiling: WindowUsage | undefined;
  /** Books usage that is charged only when the response is sent. */
  readonly leave: () => void;
}

const NOTHING = (): void => {};

/** Decides about a request that costs `cost` units and arrives at `at`. An endpoint's own window counts requests, not units. */
export function rule(
  quota: Ledger,
  ceiling: Ledger | undefined,
  cost: number,
  at: number,
  counting: { readonly charge: 'before' | 'after'; readonly countRefused: boolean },
): Decision {
  const admitsAt = (): number => Math.max(quota.admitsAt(cost, at), ceiling?.admitsAt(1, at) ?? at);
  const limited = admitsAt() > at;
  const charged = !limited || counting.countRefused;
  const book = (): void => {
    quota.charge(cost, at);
    ceiling?.charge(1, at);
  };
  const later = charged && counting.charge === 'after';
  if (charged && !later) book();
  return {
    // Computed again, because a refused request that is charged delays itself further.
    refusedUntil: limited ? Math.max(at + 1, admitsAt()) : undefined,
    windows: quota.readings(later ? cost : 0, at),
    ceiling: ceiling?.readings(later ? 1 : 0, at)[0],
    leave: later ? book : NOTHING,
  };
}
