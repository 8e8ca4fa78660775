import type { Charge } from '../../quota/admission.ts';
import { type Member, type Rank, rankOf, URGENT, USUAL } from '../../share.ts';
import type { ShareAsk } from '../store/store.ts';

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
  /** The rank of the first call: it may use what is reserved for calls of it. */
  readonly rank: Rank;
  /** Whether what is held of later slots is of no use to it. */
  readonly isUrgent: boolean;
  /** Maximum number of requests in flight. */
  readonly concurrency: number;
  /** Whether this process looks, and sends without units. */
  readonly isAlone?: boolean;
  /** How long the first call may wait, in milliseconds. */
  readonly maxWaitMs: number;
}

/** A waiting call: the units that it needs, its rank, and how long it may wait, in milliseconds. */
interface WaitingCall {
  readonly units: number;
  readonly rank: Rank;
  /** Whether it goes before others: it is urgent, or calls of a lower rank wait, too. */
  readonly isUrgent: boolean;
  readonly maxWaitMs: number;
}

/** Requests that are under way. */
export interface UnderWay {
  /** How many there are. */
  requests: number;
  /** Units that they were charged. */
  units: number;
  /** When the last request was sent, under way or not. */
  sentAt: number;
}

/** Units of usual and of urgent calls. */
type Sent = Pick<ShareAsk, 'usual' | 'urgent'>;

/** What the calls of this process need of the share: those that wait, and those that are expected to follow. */
export class CallNeeds {
  readonly #member: Member;
  readonly #underWay: UnderWay = { requests: 0, units: 0, sentAt: -Infinity };
  /** Mean units of a call. */
  #usual = 1;
  /** The first waiting call that no other passes, and one that is passed, until it asks again. */
  #first: WaitingCall = { units: 1, rank: USUAL, isUrgent: false, maxWaitMs: Infinity };
  #passed = this.#first;
  #passedUntil = -Infinity;
  /** Units that calls of each rank have taken, less those that the store was told of, which includes calls that wait. */
  readonly #untold: [number, number, number] = [0, 0, 0];

  constructor(member: Member) {
    this.#member = member;
  }

  /** The requests of this process that are under way. */
  get underWay(): Readonly<UnderWay> {
    return this.#underWay;
  }

  /** The first waiting call that no other passes. */
  get first(): WaitingCall {
    return this.#first;
  }

  /** Whether no call waits or is under way. */
  get isIdle(): boolean {
    return this.#underWay.requests === 0 && this.#member.waiting() === 0;
  }

  /** A call asks to be sent: it is the first that waits, if it may not. */
  ask({ priority, maxWaitMs = Infinity }: Charge, units: number): void {
    const rank = rankOf(priority);
    const isUrgent = rank === URGENT || this.#member.waiting(0) > this.#member.waiting(rank);
    this.#first = { units, rank, isUrgent, maxWaitMs };
    if (units >= this.#passed.units) this.#passedUntil = -Infinity;
  }

  /** Cheaper calls pass the first waiting call, which asks again then. */
  pass(until: number): void {
    this.#passed = this.#first;
    this.#passedUntil = until;
  }

  /** A request of so many units is sent. */
  onSent(units: number, now: number): void {
    this.#underWay.requests++;
    this.#underWay.units += units;
    this.#underWay.sentAt = now;
    this.#usual += FRESHNESS * (units - this.#usual);
    this.#untold[this.#first.rank] += units;
  }

  /** A request that was charged so many units has ended. */
  onEnded(units: number): void {
    this.#underWay.requests--;
    this.#underWay.units -= units;
  }

  /** Calls expected to follow: one for each request in flight of a busy process, one for half of many requests in flight. */
  #following(isBusy: boolean): number {
    const { requests } = this.#underWay;
    if (isBusy) return requests;
    return requests >= MANY ? Math.floor(requests / 2) : 0;
  }

  /** The waiting call that a cheaper one passes, whose priority is no higher. */
  passed(now: number): WaitingCall | undefined {
    const [first, passed] = [this.#first, this.#passed];
    const isPassed = now < this.#passedUntil && first.units < passed.units && first.rank <= passed.rank;
    return isPassed ? passed : undefined;
  }

  /**
   * The units to ask for.
   *
   * @param next - the call that they are for first.
   * @param held - a call that waits for a slot of which its units are held.
   * @param isBusy - whether this process has used all it was granted lately.
   */
  demand(
    { units: need, rank, isUrgent, maxWaitMs }: WaitingCall,
    held: WaitingCall | undefined,
    isBusy: boolean,
  ): Demand {
    const { concurrency } = this.#member;
    const waiting = this.#member.waiting(isUrgent ? rank : undefined);
    const others = waiting + this.#following(isBusy) - (held ? 2 : 1);
    const want = waiting > 0 ? need + (held?.units ?? 0) + Math.ceil(others * this.#usual) : 0;
    return { need, want, rank, isUrgent, concurrency, maxWaitMs };
  }

  /** Units of usual and of urgent calls that the store has not been told of: also of those that wait, so that other processes leave room for them. */
  get toTell(): Sent {
    const urgent = this.#member.waiting(URGENT);
    const units = (rank: Rank, waiting: number): number =>
      Math.max(0, this.#untold[rank] + Math.ceil(waiting * this.#usual));
    return { urgent: units(URGENT, urgent), usual: units(USUAL, this.#member.waiting(USUAL) - urgent) };
  }

  /** The store has been told. */
  tell({ usual, urgent }: Sent): void {
    this.#untold[USUAL] -= usual;
    this.#untold[URGENT] -= urgent;
  }
}
