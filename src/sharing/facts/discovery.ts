import { LOOK_MS, type ShareStore, type StoreCall } from '../store/store.ts';
import { Notice } from '../trips/notice.ts';

/** Interval at which a process asks for a look while no window is known, in milliseconds. */
const POLL_MS = 50;

/** Interval at which a process asks for a look at a window whose shape is in doubt, in milliseconds. */
const RETRY_MS = 500;

/** A process asks again after this time at the latest while another process looks, in milliseconds. */
const AGAIN_MS = 200;

/** A process that looks asks for the next look when this much of the present one remains, in milliseconds. */
const RENEW_MS = LOOK_MS * 0.15;

/**
 * Requests for units that other processes held when a look began have arrived after this time, in milliseconds. Where one of them may have used up
 * a window of few units, that has ended after the second time.
 */
const OTHERS_DONE_MS = 1_300;
const OTHERS_OVER_MS = 2_300;

/**
 * A process that looks with few calls sends them this far apart, in milliseconds: then some are counted before a short window ends and
 * others after it, which shows its shape and the service's clock. All at once they show neither; more than fit in a look are spread anyway.
 */
const APART_MS = 150;

/** The process that looks ends its look this much earlier than the store does, because clocks drift. In milliseconds. */
const SLACK_MS = 30;

/**
 * Looks of this process: for a moment it has the quota to itself. So processes that start together send one first request, and
 * readings of a short window show its shape, because no other process sends. The store bounds the number of looks of a share.
 */
export class Discovery {
  #from = Infinity;
  #until = -Infinity;
  #othersUntil = -Infinity;
  /** When the last request for a look was made, and whether no window was known. */
  #askedAt = -Infinity;
  #isFirst = false;
  #sendAt = -Infinity;
  /** Whether more calls have waited in this look than fit into it so far apart. */
  #isCrowded = false;
  #isOver = false;
  readonly #ended = new Notice();

  /** Whether this process looks and the other processes have sent what they held, so that it has the quota to itself. */
  isAlone(now: number): boolean {
    return now >= this.#from && now < this.#until;
  }

  /** Whether this process looks; other processes may still send what they held. */
  isLooking(now: number): boolean {
    return now < this.#until;
  }

  /** Records that a request is sent, while so many calls wait. */
  onSent(waiting: number, now: number): void {
    this.#isCrowded ||= waiting * APART_MS > LOOK_MS;
    this.#sendAt = Math.min(now + APART_MS, this.#until);
  }

  /** The earliest instant of the next request of a look. Where responses take longer than the time between two requests, that time would show nothing. */
  sendsAt(roundTripMs: number, now: number): number {
    return this.isLooking(now) && !this.#isCrowded && roundTripMs < APART_MS ? this.#sendAt : now;
  }

  /** The instant until which another process is known to look. */
  get waitsUntil(): number {
    return this.#othersUntil;
  }

  /** The earliest instant to ask for a look. */
  get asksAt(): number {
    return Math.max(this.#askedAt + (this.#isFirst ? POLL_MS : RETRY_MS), this.#othersUntil);
  }

  /** The instant to ask for the next look, so that it follows this one without a break, or to tell an end; Infinity: this process does not look. */
  renewsAt(now: number): number {
    if (this.isEndDue) return now;
    return this.isLooking(now) && !this.#isOver ? this.#until - RENEW_MS : Infinity;
  }

  /** Whether to ask for a look now. */
  mayAsk(now: number): boolean {
    return !this.#isOver && now >= this.#until - RENEW_MS && now >= this.asksAt;
  }

  /** Whether the share has used up its looks. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Records that this process asks for a look. `isFirst`: no window is known yet, so no process holds units. */
  ask(isFirst: boolean, now: number): void {
    this.#askedAt = now;
    this.#isFirst = isFirst;
  }

  /** Records the answer to the request for a look. `ofFew`: whether a window has few units. */
  hear(answer: 'granted' | 'over' | number, ofFew: boolean, now: number): void {
    const [askedAt, isFirst] = [this.#askedAt, this.#isFirst];
    if (answer === 'over') this.#isOver = true;
    else if (answer === 'granted') {
      if (askedAt >= this.#until) {
        this.#from = isFirst ? askedAt : askedAt + (ofFew ? OTHERS_OVER_MS : OTHERS_DONE_MS);
        this.#isCrowded = false;
      }
      this.#until = askedAt + LOOK_MS - SLACK_MS;
    } else this.hearOther(isFirst ? Math.min(answer, POLL_MS) : answer, now);
  }

  /** Records that another process looks for `ms` milliseconds, unless it ends its look early. */
  hearOther(ms: number, now: number): void {
    this.#othersUntil = now + Math.min(ms, AGAIN_MS);
  }

  /** Ends this process's look, if there is one: the store is to be told. */
  end(): void {
    if (this.#until > -Infinity) this.#ended.raise();
    this.#until = -Infinity;
  }

  /** Whether the store is to be told of an end. */
  get isEndDue(): boolean {
    return this.#ended.isDue;
  }

  /** Tells the store of the end of a look, if it is due. */
  tellEnd(store: ShareStore, call: StoreCall, member: string): Promise<void> {
    return this.#ended.tell(() => call(() => store.endLook(member)));
  }
}
