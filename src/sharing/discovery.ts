import { LOOK_MS, type ShareStore } from './store.ts';

/** How often a process that waits for the first answer of the service asks for it, in milliseconds. */
const POLL_MS = 50;

/** How often a process asks to look at a window in doubt, in milliseconds. */
const RETRY_MS = 500;

/** A process that waits for another's look asks again after this time, in milliseconds. */
const AGAIN_MS = 200;

/** A process that looks asks for the next look when so little is left of the present one, in milliseconds. */
const RENEW_MS = LOOK_MS * 0.15;

/** Units that others held when a look began are sent by this time, in milliseconds. */
const OTHERS_DONE_MS = 1_300;

/** The clocks of two processes run apart, and a trip takes time: a look ends this much earlier for who makes it. In milliseconds. */
const SLACK_MS = 30;

/**
 * Looks at a service of which too little is known: one process has the quota to itself for a while, so that many that
 * start together send one request, and so that what it sees of a short window's shape is not blurred. The store bounds how
 * long processes look, all together.
 */
export class Discovery {
  #from = Number.POSITIVE_INFINITY;
  #until = Number.NEGATIVE_INFINITY;
  #othersUntil = Number.NEGATIVE_INFINITY;
  #askAt = Number.NEGATIVE_INFINITY;
  #isOver = false;

  /** Whether this process looks and the others have sent what they held, so that the quota is its own. */
  isAlone(now: number): boolean {
    return now >= this.#from && now < this.#until;
  }

  /** Whether this process looks, be it that others are still to send what they held. */
  isLooking(now: number): boolean {
    return now < this.#until;
  }

  /** For how long it has been alone, in milliseconds. */
  aloneFor(now: number): number {
    return now - this.#from;
  }

  /** Until when another process looks. */
  get waitsUntil(): number {
    return this.#othersUntil;
  }

  /** When it is time to ask for a look. */
  get asksAt(): number {
    return Math.max(this.#askAt, this.#othersUntil);
  }

  /** Whether it is time to ask for a look. */
  mayAsk(now: number): boolean {
    return !this.#isOver && now >= this.#until - RENEW_MS && now >= this.asksAt;
  }

  /** Whether all looks have been made, however little is known. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Asks for a look. `isFirst`: nothing is known of the service yet, so no process holds units. */
  async ask(store: ShareStore, member: string, isFirst: boolean, now: () => number): Promise<void> {
    const askedAt = now();
    this.#askAt = askedAt + (isFirst ? POLL_MS : RETRY_MS);
    const answer = await store.look(member);
    if (answer === 'over') this.#isOver = true;
    else if (answer === 'granted') {
      if (askedAt >= this.#until) this.#from = askedAt + (isFirst ? 0 : OTHERS_DONE_MS);
      this.#until = askedAt + LOOK_MS - SLACK_MS;
    } else this.hearOther(isFirst ? Math.min(answer, POLL_MS) : answer, now());
  }

  /** Another process looks for so long, unless it ends its look before. */
  hearOther(ms: number, now: number): void {
    this.#othersUntil = now + Math.min(ms, AGAIN_MS);
  }

  /** Ends the look, if this process makes one. @returns whether it did. */
  end(): boolean {
    const isOurs = this.#until > Number.NEGATIVE_INFINITY;
    this.#until = Number.NEGATIVE_INFINITY;
    this.#from = Number.POSITIVE_INFINITY;
    return isOurs;
  }
}
