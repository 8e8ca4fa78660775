import type { Clock } from '../clock.ts';
import { Pacer, type PacerOptions } from '../quota/pacer.ts';
import type { Member, Membership, QuotaShare } from '../share.ts';

/** The memberships of a client in its share: one for each key, because each key has a quota of its own. */
export class Memberships {
  readonly #share: QuotaShare;
  readonly #clock: Clock;
  readonly #all = new Map<Pacer, Membership>();

  constructor(share: QuotaShare, clock: Clock) {
    this.#share = share;
    this.#clock = clock;
  }

  /** Joins the share for another key, and makes the pacer of that key. */
  join(memberOf: (learn: Member['learn']) => Member, options: Omit<PacerOptions, 'shareLimit'>): Pacer {
    const membership = this.#share.join(memberOf((facts) => pacer.learn(facts, this.#clock.now())));
    const pacer = new Pacer({ ...options, shareLimit: () => membership.part });
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
}
