import { type Counting, Ledger, type ServiceLimits } from './ledger.ts';

/** What the limits of a consumer depend on: whether it has a key. */
export type Tier = 'keyed' | 'keyless';

/** One consumer, with its usage on each gateway node: a ledger by the name of what is limited. */
export interface Identity {
  readonly tier: Tier;
  readonly ledgers: Map<string, Ledger>[];
}

/** A key as the console shows it. */
export interface ServiceKey {
  readonly name: string;
  readonly description?: string | undefined;
  /** The value of the key, to be copied again. Throws if the key was revoked. */
  reveal(): string;
}

/** All consumers: one per key, and one for all callers without a key, because they share one address. */
export class Identities {
  readonly keyless: Identity = newIdentity('keyless');
  readonly #counting: Counting;
  readonly #keyed = new Map<string, { readonly identity: Identity; readonly key: ServiceKey }>();

  constructor(counting: Counting) {
    this.#counting = counting;
  }

  /** Adds a key. One that exists keeps its usage. */
  add(value: string, { name, description }: Pick<ServiceKey, 'name' | 'description'>): void {
    const reveal = (): string => {
      if (!this.#keyed.has(value)) throw new Error(`The key "${name}" was revoked: it cannot be revealed.`);
      return value;
    };
    const identity = this.withKey(value) ?? newIdentity('keyed');
    this.#keyed.set(value, { identity, key: { name, description, reveal } });
  }

  /** Deletes a key for ever, with its usage. */
  remove(value: string): boolean {
    return this.#keyed.delete(value);
  }

  /** The keys that exist, oldest first. */
  keys(): ServiceKey[] {
    return Array.from(this.#keyed.values(), ({ key }) => key);
  }

  withKey(value: string): Identity | undefined {
    return this.#keyed.get(value)?.identity;
  }

  /** A consumer's usage on a node of what has this name. */
  ledgerOf({ ledgers }: Identity, node: number, name: string, limits: ServiceLimits): Ledger {
    ledgers[node] ??= new Map();
    const byName = ledgers[node];
    const ledger = byName.get(name) ?? new Ledger(this.#counting);
    byName.set(name, ledger);
    return ledger.limit(limits);
  }

  /** Resets all usage. */
  forget(): void {
    this.keyless.ledgers.length = 0;
    for (const { identity } of this.#keyed.values()) identity.ledgers.length = 0;
  }
}

function newIdentity(tier: Tier): Identity {
  return { tier, ledgers: [] };
}
