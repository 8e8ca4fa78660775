import type { Charge } from '../../quota/admission.ts';
import type { Member } from '../../share.ts';
import { URGENT_ABOVE } from './urgent.ts';

/** From this many requests in flight, half of them are expected to be followed by another call. */
const MANY = 8;

/** Weight of the latest call in the mean units of a call. */
const FRESHNESS = 0.05;

/** The units that waiting calls need. */
export interface Demand {
  /** Units of the first call. */
  readonly need: number;
  /** Units of all calls that this ask is for, including the first. */
  readonly want: number;
  /** Whether the first call is urgent, so that it may use the reserve for urgent calls. */
  readonly isUrgent: boolean;
  /** Maximum number of requests in flight. */
  readonly concurrency: number;
  /** Whether this process looks, and sends without units. */
  readonly isAlone?: boolean;
  /** How long the first call may wait, in milliseconds. */
  readonly maxWaitMs: number;
}

/** A waiting call: the units that it needs, whether it is urgent, and how long it may wait, in milliseconds. */
interface WaitingCall {
  readonly units: number;
  readonly isUrgent: boolean;
  readonly maxWaitMs: number;
}

/** What the calls of this process need of the share: those that wait, and those that are expected to follow. */
export class CallNeeds {
  readonly #member: Member;
  #underWay = 0;
  /** Mean units of a call. */
  #usual = 1;
  /** The first waiting call that no other passes, and one that is passed, until it asks again. */
  #first: WaitingCall = { units: 1, isUrgent: false, maxWaitMs: Infinity };
  #passed = this.#first;
  #passedUntil = -Infinity;
  /** Units that urgent calls have taken, and those that the store was told of, which includes calls that wait. */
  #urgentSent = 0;
  #urgentTold = 0;

  constructor(member: Member) {
    this.#member = member;
  }

  /** The first waiting call that no other passes. */
  get first(): WaitingCall {
    return this.#first;
  }

  /** Whether no call waits or is under way. */
  get isIdle(): boolean {
    return this.#underWay === 0 && this.#member.waiting() === 0;
  }

  /** Whether a request is under way. */
  get isUnderWay(): boolean {
    return this.#underWay > 0;
  }

  /** A call asks to be sent: it is the first that waits, if it may not. */
  ask({ priority, maxWaitMs = Infinity }: Charge, units: number): void {
    this.#first = { units, isUrgent: priority > URGENT_ABOVE, maxWaitMs };
    if (units >= this.#passed.units) this.#passedUntil = -Infinity;
  }

  /** Cheaper calls pass the first waiting call, which asks again then. */
  pass(until: number): void {
    this.#passed = this.#first;
    this.#passedUntil = until;
  }

  /** A request of so many units is sent. */
  onSent(units: number): void {
    this.#underWay++;
    this.#usual += FRESHNESS * (units - this.#usual);
    if (this.#first.isUrgent) this.#urgentSent += units;
  }

  /** It has ended. */
  onEnded(): void {
    this.#underWay--;
  }

  /** Calls expected to follow: one for each request in flight of a busy process, one for half of many requests in flight. */
  #following(isBusy: boolean): number {
    if (isBusy) return this.#underWay;
    return this.#underWay >= MANY ? Math.floor(this.#underWay / 2) : 0;
  }

  /** The waiting call that a cheaper one passes, which is no more urgent. */
  passed(now: number): WaitingCall | undefined {
    const [first, passed] = [this.#first, this.#passed];
    const isPassed = now < this.#passedUntil && first.units < passed.units && first.isUrgent <= passed.isUrgent;
    return isPassed ? passed : undefined;
  }

  /**
   * The units to ask for.
   *
   * @param next - the call that they are for first.
   * @param held - a call that waits for a slot of which its units are held.
   * @param isBusy - whether this process has used all it was granted lately.
   */
  demand({ units: need, isUrgent, maxWaitMs }: WaitingCall, held: WaitingCall | undefined, isBusy: boolean): Demand {
    const { concurrency } = this.#member;
    const waiting = isUrgent ? this.#member.urgentWaiting() : this.#member.waiting();
    const others = waiting + this.#following(isBusy) - (held ? 2 : 1);
    const want = waiting > 0 ? need + (held?.units ?? 0) + Math.ceil(others * this.#usual) : 0;
    return { need, want, isUrgent, concurrency, maxWaitMs };
  }

  /** Units of urgent calls that the store has not been told of: also of those that wait, so that other processes leave room for them. */
  get urgentToTell(): number {
    const waiting = Math.ceil(this.#member.urgentWaiting() * this.#usual);
    return Math.max(0, this.#urgentSent + waiting - this.#urgentTold);
  }

  /** The store has been told. */
  toldUrgent(units: number): void {
    this.#urgentTold += units;
  }
}
