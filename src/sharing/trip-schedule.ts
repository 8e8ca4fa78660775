import { inBackground } from '../clock.ts';
import type { Member } from '../share.ts';
import type { Discovery } from './facts/discovery.ts';
import type { FactSync } from './facts/fact-sync.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Shortage } from './shortage.ts';
import type { Resumption } from './trips/resumption.ts';
import type { Trips } from './trips/trips.ts';

/** What may give cause for a trip. */
export interface TripCauses {
  readonly ledger: Ledger;
  readonly facts: FactSync;
  readonly discovery: Discovery;
  readonly shortage: Shortage;
  readonly resumption: Resumption;
}

/** When there is something to ask the store for or to tell it, and the timer for a trip that no call will start. */
export class TripSchedule {
  readonly #member: Member;
  readonly #trips: Trips;
  readonly #causes: TripCauses;
  #isClosed = false;
  #cancelTimer: (() => void) | undefined;

  constructor(member: Member, trips: Trips, causes: TripCauses) {
    this.#member = member;
    this.#trips = trips;
    this.#causes = causes;
  }

  /** Whether no trip is made any more but the last one. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Starts no trip from now on. */
  close(): void {
    this.#isClosed = true;
    this.setTimer();
  }

  /** Starts a trip if there is something to ask for or to tell. */
  startIfDue(now: number): void {
    if (!this.#isClosed && !this.#trips.isUnderWay && this.#isDue(now)) this.#trips.start();
  }

  /** Whether a trip that is made for whatever cause is to ask for units and to state the totals: what need not be told yet is left to the next. */
  statesTotals(now: number): boolean {
    const { discovery, shortage } = this.#causes;
    const isLook = discovery.isEndDue || discovery.isLooking(now) || this.isLookDue(now);
    return shortage.isNow(now) || now >= this.#totalsDueAt(now) || isLook;
  }

  /** Whether to ask for a look. */
  isLookDue(now: number): boolean {
    const { facts, shortage } = this.#causes;
    return shortage.isLookDue(facts.isUnlimited, this.#member.waiting(), now);
  }

  /** Sets the timer for a trip that no call will start. */
  setTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#isClosed || this.#trips.isUnderWay) return;
    const { ledger, discovery, shortage } = this.#causes;
    const now = this.#member.clock.now();
    const asksAt = this.#member.waiting() > 0 && shortage.full(now) ? ledger.policy.nextAt(0, false) : Infinity;
    const wanted = Math.min(ledger.givesBackAt(now), asksAt, discovery.renewsAt(now));
    const { idleRetryAt } = this.#trips;
    const optionalAt = this.#optionalAt(now);
    const earliest = Math.min(wanted, idleRetryAt, optionalAt);
    if (earliest === Infinity) return;
    // Until the store may be tried again no trip starts, however due it is.
    const at = Math.max(earliest, this.#trips.pausedUntil);
    const { clock } = this.#member;
    // While the store is lost, the timer keeps no process alive: it might last for hours. Nor does it for a trip that no call of now needs.
    const isNeeded = idleRetryAt === Infinity && earliest < optionalAt;
    const timing = isNeeded ? clock : inBackground(clock);
    this.#cancelTimer = timing.timer(Math.max(1, at - now), () => {
      this.startIfDue(this.#member.clock.now());
      this.setTimer();
    });
  }

  #isDue(now: number): boolean {
    const { facts, discovery, shortage, resumption } = this.#causes;
    return (
      shortage.isAskDue(now) ||
      now >= this.#totalsDueAt(now) ||
      (this.#trips.hasJoined && facts.isDue(now)) ||
      resumption.isDue(now) ||
      (discovery.isLooking(now) && this.isLookDue(now)) ||
      discovery.isEndDue ||
      now >= this.#trips.idleRetryAt
    );
  }

  /** When there is something to give back, or to tell or ask for that no call of now needs. */
  #totalsDueAt(now: number): number {
    return Math.min(this.#causes.ledger.givesBackAt(now), this.#optionalAt(now));
  }

  /** When to ask for units ahead of any call, or to tell what the store does not know of the last answers. */
  #optionalAt(now: number): number {
    const { ledger, shortage } = this.#causes;
    return Math.min(shortage.asksAheadAt(now), ledger.tellsAt);
  }
}
