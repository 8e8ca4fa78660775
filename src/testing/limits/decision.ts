import type { Ledger, WindowUsage } from './ledger.ts';

/** Units that a request uses of one ledger. */
export interface Claim {
  readonly ledger: Ledger;
  readonly units: number;
}

/** The decision of all limits about one request. */
export interface Decision {
  /** When a refused request may be repeated; `undefined` if it is admitted. */
  readonly refusedUntil: number | undefined;
  /** The state of each window, by claim, for the headers. */
  readonly windows: readonly (readonly WindowUsage[])[];
  /** Books usage that is charged only when the response is sent. */
  readonly leave: () => void;
}

/** Decides about a request with these claims that arrives at `at`. */
export function rule(
  claims: readonly Claim[],
  at: number,
  counting: { readonly charge: 'before' | 'after'; readonly countRefused: boolean },
): Decision {
  const admitsAt = (): number => Math.max(...claims.map(({ ledger, units }) => ledger.admitsAt(units, at)));
  const isLimited = admitsAt() > at;
  const isCharged = !isLimited || counting.countRefused;
  const book = (): void => {
    for (const { ledger, units } of claims) ledger.charge(units, at);
  };
  const isLater = isCharged && counting.charge === 'after';
  if (isCharged && !isLater) book();
  return {
    // Computed again, because a refused request that is charged delays itself further.
    refusedUntil: isLimited ? Math.max(at + 1, admitsAt()) : undefined,
    windows: claims.map(({ ledger, units }) => ledger.readings(isLater ? units : 0, at)),
    leave: isLater ? book : () => {},
  };
}
