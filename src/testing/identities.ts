import { type Counting, Ledger, type ServiceLimits } from './ledger.ts';

/** Limits with a key, without a key, and of single endpoints. */
export interface Tiers {
  readonly keyless: ServiceLimits;
  readonly keyed: ServiceLimits;
  readonly ceilings: Readonly<Record<string, ServiceLimits>>;
}

/** One consumer, with its usage on each gateway node. */
export interface Identity {
  readonly tier: 'keyed' | 'keyless';
  readonly quotas: Ledger[];
  readonly ceilings: Map<string, Ledger>[];
}

/** All consumers: one per key, and one for all callers without a key, because they share one address. */
export class Identities {
  readonly keyless: Identity = nobody('keyless');
  readonly #counting: Counting;
  readonly #keyed = new Map<string, Identity>();
  #tiers: Tiers;

  constructor(counting: Counting, { keyless, keyed, ceilings }: Tiers) {
    this.#counting = counting;
    this.#tiers = { keyless, keyed, ceilings };
  }

  add(key: string): void {
    this.#keyed.set(key, nobody('keyed'));
  }

  /** Deletes a key for ever, with its usage. */
  remove(key: string): boolean {
    return this.#keyed.delete(key);
  }

  withKey(key: string): Identity | undefined {
    return this.#keyed.get(key);
  }

  setTiers({ keyless, keyed, ceilings }: { readonly [Tier in keyof Tiers]: Tiers[Tier] | undefined }): void {
    const now = this.#tiers;
    // A copy: ledgers detect changed limits by identity, and the caller may change its object in place.
    this.#tiers = structuredClone({
      keyless: keyless ?? now.keyless,
      keyed: keyed ?? now.keyed,
      ceilings: ceilings ?? now.ceilings,
    });
  }

  quotaOf(identity: Identity, node: number): Ledger {
    identity.quotas[node] ??= new Ledger(this.#counting);
    return identity.quotas[node].limit(this.#tiers[identity.tier]);
  }

  /** The consumer's usage of an endpoint's own window, if it has one. */
  ceilingOf(identity: Identity, endpoint: string, node: number): Ledger | undefined {
    const limits = this.#tiers.ceilings[endpoint];
    if (!limits) return undefined;
    identity.ceilings[node] ??= new Map();
    const ceilings = identity.ceilings[node];
    const ledger = ceilings.get(endpoint) ?? new Ledger(this.#counting);
    ceilings.set(endpoint, ledger);
    return ledger.limit(limits);
  }

  /** Resets all usage. */
  forget(): void {
    for (const { quotas, ceilings } of [this.keyless, ...this.#keyed.values()]) {
      quotas.length = 0;
      ceilings.length = 0;
    }
  }
}

function nobody(tier: Identity['tier']): Identity {
  return { tier, quotas: [], ceilings: [] };
}
