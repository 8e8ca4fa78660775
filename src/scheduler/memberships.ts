import type { ClientWide } from '../quota/client-wide.ts';
import { Pacer } from '../quota/pacer.ts';
import type { BulkReservePolicy } from '../quota/window/bulk-reserve.ts';
import type { Member, Membership, QuotaShare } from '../share.ts';

/** A lease outlives the longest attempt by this much before it counts as forgotten, in milliseconds. */
const LEASE_SLACK_MS = 60_000;

/** Options of {@link Memberships}. */
export interface MembershipsOptions extends Pick<Member, 'clock' | 'random' | 'waiting' | 'wake' | 'tell'> {
  readonly share: QuotaShare;
  readonly clientWide: ClientWide;
  /** How long most attempts may take, in milliseconds. */
  readonly timeoutMs: number;
  readonly reserve?: BulkReservePolicy | undefined;
  /** Identifies the quota of a key, given its number. */
  readonly credentialOf: (key: number) => string;
  /** Asks for the present key. @returns its number. */
  readonly askKey: () => number | Promise<number>;
  /** Whether this is the number of the present key: undefined is, until the key has been asked for. */
  readonly isPresent: (key: number | undefined) => boolean;
}

/** The memberships of a client in its share: one for each key, because each key has a quota of its own. */
export class Memberships {
  readonly #options: MembershipsOptions;
  readonly #all = new Map<Pacer, Membership>();

  constructor(options: MembershipsOptions) {
    this.#options = options;
  }

  /**
   * Joins the share for another key, and makes the pacer of that key.
   *
   * @param key - returns the number of the key once it is known.
   */
  join(key: () => number | undefined): Pacer {
    const { share, clientWide, random, timeoutMs, reserve } = this.#options;
    const membership = share.join(this.#memberOf(key, (facts) => pacer.learn(facts, this.#options.clock.now())));
    const pacer = new Pacer({
      clientWide,
      leaseMs: timeoutMs + LEASE_SLACK_MS,
      bulkReserve: reserve,
      shareLimit: membership.part,
      random,
    });
    this.#all.set(pacer, membership);
    return pacer;
  }

  /** Gives back what was granted to a pacer that is no longer used. */
  async leave(pacer: Pacer): Promise<void> {
    const membership = this.#all.get(pacer);
    this.#all.delete(pacer);
    await membership?.leave();
  }

  /** Leaves with all keys. */
  async leaveAll(): Promise<void> {
    await Promise.all([...this.#all.keys()].map((pacer) => this.leave(pacer)));
  }

  #memberOf(key: () => number | undefined, learn: Member['learn']): Member {
    const { clock, random, clientWide, credentialOf, askKey, isPresent, waiting, wake, tell } = this.#options;
    return {
      clock,
      random,
      learn,
      tell,
      wake,
      time: clientWide.clock,
      credential: async () => credentialOf(key() ?? (await askKey())),
      waiting: (rank) => (isPresent(key()) ? waiting(rank) : 0),
      get concurrency() {
        return clientWide.concurrency.limit;
      },
    };
  }
}
