import type { Ledger, WindowUsage } from './ledger.ts';

/** What the limits make of one request. */
export interface Decision {
  /** When a refused request may come back; `undefined` for one that may come in. */
  readonly refusedUntil: number | undefined;
  /** What the answer says of each window. */
  readonly windows: readonly WindowUsage[];
  /** What it says of the endpoint's own ceiling, if there is one. */
  readonly ceiling: WindowUsage | undefined;
  /** Books what is to be booked only when the answer leaves. */
  readonly leave: () => void;
}

const NOTHING = (): void => {};

/** Judges a request that costs so many units and arrives at `at`. An endpoint's ceiling counts requests, whatever they cost. */
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
    // Asked again, because a refused request that counts puts itself further off.
    refusedUntil: limited ? Math.max(at + 1, admitsAt()) : undefined,
    windows: quota.readings(later ? cost : 0, at),
    ceiling: ceiling?.readings(later ? 1 : 0, at)[0],
    leave: later ? book : NOTHING,
  };
}
