import { SHAPES } from '../../quota/models/all.ts';
import type { Shapes, WindowNews } from '../../quota/share-limit.ts';
import type { Period } from '../../quota/time/periods.ts';
import type { Member } from '../../share.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Answer, Facts, ShareStore, StoreCall } from '../store/store.ts';
import { SharedFacts } from './facts.ts';
import { ResetDetector } from './reset-detector.ts';

/** Interval at which facts are told that are not urgent, in milliseconds. */
const TELL_MS = 2_000;

/** A window that no response has named for this long is dropped, in milliseconds. */
const STALE_MS = 600_000;

/** The shapes of a window without a fact about them. */
const UNKNOWN: Shapes = { alive: SHAPES, epoch: 0 };

/** Exchanges facts about the service with the other processes, and applies them to the ledger. */
export class FactSync {
  readonly #member: Member;
  readonly #ledger: Ledger;
  readonly #part: number;
  readonly #resets = new ResetDetector();
  #facts = new SharedFacts();
  /** Windows named by responses to this process, and when they were named last. */
  readonly #seen = new Map<Period, number>();
  #toldAt = -Infinity;
  #isAsked = false;
  /** Whether the service answers without naming a window, so that there is no quota to share. */
  isUnlimited = false;

  /** @param part - the part of each limit that the processes of the store may use. */
  constructor(member: Member, ledger: Ledger, part = 1) {
    this.#member = member;
    this.#ledger = ledger;
    this.#part = part;
  }

  /** The version of the known facts; -1: none were received. */
  get version(): number {
    return this.#facts.version;
  }

  /** Units of a limit that the processes of the store may use. */
  partOf(limit: number): number {
    return Math.min(limit, Math.max(1, Math.floor(limit * this.#part)));
  }

  /** Whether to exchange facts with the next trip. */
  isDue(now: number): boolean {
    return (
      this.#facts.version < 0 ||
      this.#isAsked ||
      this.#facts.isUrgent ||
      (this.#facts.pending.size > 0 && now >= this.#toldAt + TELL_MS)
    );
  }

  /** Records a reading. */
  read(news: WindowNews): void {
    const { period, receivedAt } = news;
    const limit = this.partOf(news.limit);
    this.isUnlimited = false;
    const shapes = this.#judge(news);
    if (shapes !== news.shapes) this.#member.learn({ shapes: [{ ...shapes, period }] });
    this.#ledger.read({ ...news, limit, shapes });
    this.#seen.set(period, receivedAt);
    this.#facts.tellLimit(period, limit);
    this.#facts.tellShapes(period, shapes);
  }

  /** Called after each response. Windows known only from other processes are dropped once a response has named a window to this one. */
  answered(now: number): void {
    const { windows } = this.#ledger;
    const isNamed = this.#seen.size > 0;
    for (const [period, at] of this.#seen) if (now - at > STALE_MS) this.#seen.delete(period);
    if (isNamed) windows.keep(this.#seen);
    this.isUnlimited = windows.size === 0;
  }

  /** Whether what the other processes have told lately is known. */
  isRecent(now: number): boolean {
    return now < this.#toldAt + TELL_MS;
  }

  /** The next trip is to exchange facts, whether or not there are any to tell. */
  request(): void {
    this.#isAsked = true;
  }

  /** Tells that an hourly trial was answered. */
  tellTrial(isServed: boolean): void {
    const offset = this.#ledger.timeline.storeOffset;
    if (offset) this.#facts.tellTrial(isServed, this.#member.clock.now() + offset.least);
  }

  tellCost(endpoint: string, units: number): void {
    this.#facts.tellCost(endpoint, units);
  }

  /**
   * Prepares to tell the service's clock, if this process knows it much better than the share does, and lacks units or is the first to tell it.
   * To be asked only when an answer has shown that the known facts are the latest: each change of the facts costs every process a trip of its own.
   *
   * @returns whether it is to be told.
   */
  tellsClock(now: number): boolean {
    const { time } = this.#member;
    const { policy, timeline } = this.#ledger;
    const offset = timeline.storeOffset;
    if (!time.isDated || !offset) return false;
    const isBusy = policy.isBusy(now);
    if (!isBusy && this.#facts.knowsLead(now + offset.most)) return false;
    const lead = { least: time.least(now) - now, most: time.most(now) - now };
    // Where requests are under way for longer than that, the clock is not what makes slots wide.
    const isNeeded = isBusy && time.vagueness(now) > timeline.roundTripMs;
    return this.#facts.tellLead(lead, offset, now + offset.most, isNeeded);
  }

  /** Tells pending facts and receives those of other processes. */
  async share(store: ShareStore, call: StoreCall): Promise<void> {
    const { clock } = this.#member;
    const { timeline } = this.#ledger;
    const sentAt = clock.now();
    const { pending } = this.#facts;
    const answer = await call(() => store.share(this.#facts.version, pending));
    const now = clock.now();
    this.#toldAt = now;
    this.#isAsked = false;
    timeline.hearStore(answer.now, sentAt, now);
    this.#facts.told(pending);
    this.hear(answer);
  }

  /** Records what the store says of the facts: all of them, if the known version is another. */
  hear({ version, now, facts }: Pick<Answer, 'version' | 'now' | 'facts'>): void {
    const { storeOffset } = this.#ledger.timeline;
    this.#facts.hear(version, facts);
    if (!facts || !storeOffset) return;
    this.#member.learn(this.#facts.news(storeOffset, now));
    this.#apply(facts);
  }

  /** Applies received facts: shapes, and, until a response has named a window to this process, windows and limits. */
  #apply(facts: Facts): void {
    const { windows, policy } = this.#ledger;
    for (const [period, limit] of this.#facts.limits) {
      const known = windows.of(period);
      // A process that does not know the service's clock names other seconds than those that do: it sends its first request alone.
      if (!known && (this.#seen.size > 0 || (!this.#member.time.isDated && facts.has('lead')))) continue;
      const told = this.#facts.shapesOf(period) ?? UNKNOWN;
      // A store that has lost its memory is told the shapes again; until then those that are known count.
      const isKnown = known !== undefined && isBetter(known.shapes, told);
      windows.open(period, known && this.#seen.has(period) ? known.limit : limit, isKnown ? known.shapes : told);
    }
    policy.reset();
  }

  /** The candidate shapes that remain after a reading. */
  #judge(news: WindowNews): Shapes {
    const { timeline } = this.#ledger;
    const { period, sentAt, receivedAt } = news;
    if (!timeline.isKnown) return news.shapes;
    const window = this.#ledger.windows.of(period);
    const sent = timeline.at(sentAt);
    const received = timeline.at(receivedAt);
    const claims = window?.isShort ? undefined : window?.claims({ least: sent.least, most: received.most });
    return this.#resets.judge(news, sent, received, claims);
  }
}

/** Whether the known shapes are of a later epoch, or fewer of the same. */
function isBetter(known: Shapes, told: Shapes): boolean {
  return known.epoch > told.epoch || (known.epoch === told.epoch && known.alive.length < told.alive.length);
}
