import type { Charge, Hold, Limit } from '../admission.ts';
import type { WindowReading } from '../models/model.ts';
import { Backoff } from '../recovery/backoff.ts';
import { TRIAL_MS } from '../recovery/hourly-trial.ts';
import { Probe } from '../recovery/probe.ts';
import { endOf } from '../time/periods.ts';
import type { ServerClock } from '../time/server-clock.ts';
import type { WindowEnd } from '../time/window-end.ts';
import { AnsweredRequests, POSTING_MS } from '../usage/answered.ts';
import type { Flight, InFlight } from '../usage/in-flight.ts';
import { SlidingRequests } from './sliding-requests.ts';

/** Resets that differ by less belong to one instance: services cut them to seconds in different ways. */
const SAME_MS = 500;

/** A service that cuts its resets to whole seconds may name one this much too early. */
const ROUNDING_MS = 1_000;

/** Windows that begin on the calendar end on a multiple of a minute. A guess: shorter ones show by their successors. */
const CALENDAR_MS = 60_000;

/**
 * Where no reset is named, the first request that looks whether the window holds more again, in milliseconds after it was used up. More
 * follow, ever rarer, until they are hourly trials.
 */
const FIRST_LOOK_MS = 400;

/** What is left for such looks, so that none is refused: this part of the window, and at most so many requests. */
const LOOK_PART = 0.1;
const MOST_LOOKS = 8;

/** Requests of one endpoint in the present instance of a window. */
class EndpointRequests {
  /** Those that the service has surely counted. */
  counted = 0;
  /** When the instance ends in which they count. */
  #resetAt = Number.NEGATIVE_INFINITY;
  readonly #answered = new AnsweredRequests();

  /** An answer names the end of an instance: what was counted in an earlier one does not count here. */
  begin(resetAt: number): void {
    if (!(resetAt > this.#resetAt + SAME_MS)) return;
    this.#resetAt = resetAt;
    this.counted = 0;
  }

  /** One was answered, or must have arrived. */
  add(sentAt: number, at: number, counted: number): void {
    this.counted += counted;
    this.#answered.add(sentAt, at, 1, 0);
  }

  /** Those answered since an instant, which the reading of a request sent then may not include. */
  settledSince(instant: number): number {
    return this.#answered.settledSince(instant);
  }

  /** Those that the service had surely counted at an instant. */
  countedBefore(instant: number): number {
    return Math.max(0, this.counted - this.settledSince(instant));
  }
}

/**
 * The window that `ratelimit-limit`, `-remaining` and `-reset` describe: of unknown kind and length, it is
 * known by its reset alone. Counts requests, not units, as the interface says. Past its end one request goes first, and
 * its answer names the next instance. Where no reset is named, a request looks now and then, and at each full minute, whether there is
 * more again.
 */
export class ResetWindow implements Limit {
  readonly limit: number;
  readonly #clock: ServerClock;
  readonly #flights: InFlight;
  /** The endpoints that count here. */
  readonly #endpoints = new Map<string, EndpointRequests>();
  #resetAt = Number.NEGATIVE_INFINITY;
  /** The shortest time between two resets so far. */
  #periodMs = CALENDAR_MS;
  #isOnCalendar = false;
  /** Whether the present instance is one of which only the beginning is known. */
  #isUnnamed = false;
  /** When the present instance ends by our clock, as stated by one answer. */
  #endsAt = Number.POSITIVE_INFINITY;
  #spent = 0;
  readonly #sliding: SlidingRequests;
  /** Whether some reset was not a whole number of seconds from its answer: then it is a timestamp. */
  #isTimestamp = false;
  /** When the first answer of the present instance came. */
  #firstAt = Number.NEGATIVE_INFINITY;
  /** Whether a request was served that our own requests of the last window had made wait. */
  #isProven = false;
  /** When an answer showed last that the window holds more than it should. */
  #fullerAt = Number.NEGATIVE_INFINITY;
  /** What the last answer counted beyond our own requests. */
  #others = 0;
  /** When the last answer came. */
  #readAt = Number.NEGATIVE_INFINITY;
  /** Whether it counted less than our books. */
  #countedLess = false;
  #remaining: number;
  readonly #probe = new Probe();
  readonly #looks = new Backoff(FIRST_LOOK_MS, TRIAL_MS);
  /** When the next request may look, where no reset is named. */
  #nextLookAt = Number.NEGATIVE_INFINITY;
  #seenAt = Number.NEGATIVE_INFINITY;

  constructor(limit: number, clock: ServerClock, flights: InFlight) {
    this.limit = limit;
    this.#remaining = limit;
    this.#sliding = new SlidingRequests(limit);
    this.#clock = clock;
    this.#flights = flights;
  }

  /** When the request was sent that was answered last. */
  get seenAt(): number {
    return this.#seenAt;
  }

  /** When the present instance ends: the service names it. */
  get end(): WindowEnd {
    if (!this.#isNamed) return { certainty: 'unknown' };
    const clock = this.#clock;
    if (!clock.known) return { certainty: 'known', from: this.#endsAt, to: this.#endsAt };
    return { certainty: 'known', from: clock.soonest(this.#resetAt), to: this.#end };
  }

  /** The service's last word on what is left, in requests. */
  get remaining(): number {
    return this.#remaining;
  }

  /** The shortest time between two resets so far, in milliseconds. */
  get periodMs(): number {
    return this.#periodMs;
  }

  /** Whether requests of this endpoint are known to count here. */
  covers(endpoint: string): boolean {
    return this.#endpoints.has(endpoint);
  }

  /** Requests that count here and may still be on their way. */
  get held(): number {
    return this.#flights.requestsOf(this.#endpoints.keys());
  }

  /** The most requests that the present instance may have counted when an answer came, its own included. */
  get countedAtMost(): number {
    return this.held + 1 + this.#sum(({ counted }) => counted);
  }

  /** Requests that the present instance had surely counted at an instant. */
  countedBefore(instant: number): number {
    return this.#sum((requests) => requests.countedBefore(instant));
  }

  /** Requests of these endpoints that were answered since an instant. */
  settledSince(instant: number): number {
    return this.#sum((requests) => requests.settledSince(instant));
  }

  #sum(of: (requests: EndpointRequests) => number): number {
    let sum = 0;
    for (const requests of this.#endpoints.values()) sum += of(requests);
    return sum;
  }

  headroom(now: number): number {
    const spent = this.#slides ? this.#sliding.countedAt(now) + (now < this.#end ? this.#others : 0) : this.#spent;
    return Math.max(0, this.limit - spent - this.held);
  }

  check(charge: Charge, now: number): Hold | undefined {
    if (!this.covers(charge.endpoint)) return undefined;
    const [until, isFirm] = this.#slides ? this.#slidingHolds(now) : this.#instanceHolds(now);
    if (until <= now) return undefined;
    const { limit } = this;
    return {
      until,
      isFirm,
      mayEndOnAnswer: true,
      scope: 'endpoint',
      yieldsToPriority: false,
      reason: () => {
        const headroom = this.headroom(now);
        const why = `the endpoint's window of ${limit} requests has ${headroom} left`;
        return { kind: 'window', why, window: 'endpoint', limit, headroom };
      },
    };
  }

  /** A request is sent: past the end of a full window it is the probe. */
  onSent(flight: Flight, now: number): void {
    if (!this.covers(flight.endpoint)) return;
    this.#sliding.onSent(now);
    if (this.#slides ? this.#isProven || this.#spent < this.limit : this.#hasRoom || now < this.#end) return;
    this.#probe.onSent(flight);
    if (!this.#isNamed) this.#nextLookAt = this.#lookAfter(now);
  }

  /** A request of this endpoint was answered without a reading, or must have arrived. */
  book(endpoint: string, sentAt: number, at: number): void {
    const requests = this.#endpoints.get(endpoint);
    if (!requests) return;
    this.#spent++;
    this.#sliding.add(at);
    requests.add(sentAt, at, 0);
  }

  /**
   * An answer described a tighter window, so this one has no less left than that. Where the request was sent past this
   * one's end, its next instance has begun, and is known by its successor's name only later.
   *
   * @param left - requests left in the tighter window.
   */
  passOver(endpoint: string, left: number, { sentAt, receivedAt, settledSince }: WindowReading): void {
    if (!this.covers(endpoint)) return;
    this.book(endpoint, sentAt, receivedAt);
    if (sentAt < this.#end) return;
    if (!this.#isUnnamed) this.#spent = settledSince + 1;
    this.#isUnnamed = true;
    this.#spent = Math.min(this.#spent, this.limit - left + settledSince);
  }

  /** Whether a reset names the present instance, which surely had not ended when the answer came. */
  isPresent(resetAt: number, receivedAt: number): boolean {
    const clock = this.#clock;
    const endsFrom = clock.known ? clock.soonest(resetAt) : this.#endsAt - ROUNDING_MS;
    return Math.abs(resetAt - this.#resetAt) <= SAME_MS && receivedAt < endsFrom - ROUNDING_MS;
  }

  /**
   * Whether an answer counts less than what these endpoints have surely left in this instance, together with its own, and no less than
   * its own endpoint has alone: then it speaks of another window.
   *
   * @param known - the window in which its endpoint has been counted so far.
   */
  isContradicted(endpoint: string, known: ResetWindow | undefined, resetAt: number, reading: WindowReading): boolean {
    const { used, sentAt, receivedAt } = reading;
    const own = (known ?? this).#endpoints.get(endpoint)?.countedBefore(sentAt) ?? 0;
    const all = this.countedBefore(sentAt) + (known === this ? 0 : own);
    return used < all && used >= own && this.isPresent(resetAt, receivedAt);
  }

  /** Requests of an endpoint count here, no longer in the window `from`. */
  take(endpoint: string, from: ResetWindow = this): void {
    this.#endpoints.set(endpoint, from.#endpoints.get(endpoint) ?? new EndpointRequests());
    if (from !== this) from.#endpoints.delete(endpoint);
  }

  /** The endpoints of another window count here. */
  absorb(other: ResetWindow): void {
    for (const [endpoint, requests] of other.#endpoints) this.#endpoints.set(endpoint, requests);
  }

  /**
   * Takes in what an answer said of this window.
   *
   * @param resetAt - its end by the service's clock; NaN: none is named.
   * @param leftMs - the time from the answer to that end, as stated by one answer.
   */
  read(endpoint: string, resetAt: number, leftMs: number, reading: WindowReading): void {
    this.take(endpoint);
    const own = this.#endpoints.get(endpoint);
    if (!Number.isNaN(resetAt)) this.#compare(resetAt, leftMs, reading);
    this.#seenAt = Math.max(this.#seenAt, reading.sentAt);
    if (resetAt < this.#resetAt - SAME_MS) {
      // It describes an earlier instance, or this one with a reset that was rounded differently; then it was counted here.
      this.#spent++;
      own?.add(reading.sentAt, reading.receivedAt, 0);
      return;
    }
    if (resetAt > this.#resetAt + SAME_MS) {
      this.#periodMs = Math.min(this.#periodMs, resetAt - this.#resetAt);
      this.#isOnCalendar = this.#periodMs > ROUNDING_MS && resetAt % this.#periodMs === 0;
      this.#resetAt = resetAt;
      this.#isUnnamed = false;
      this.#endsAt = reading.receivedAt + leftMs + ROUNDING_MS;
      this.#spent = reading.used + reading.settledSince;
      for (const requests of this.#endpoints.values()) requests.begin(resetAt);
    } else {
      own?.begin(resetAt);
      const spent = Math.max(this.#spent + 1, reading.used - reading.held);
      this.#spent = Math.min(spent, reading.used + reading.settledSince);
      if (this.#hasRoom) this.#looks.reset();
    }
    own?.add(reading.sentAt, reading.receivedAt, reading.limited ? 0 : 1);
    this.#remaining = Math.max(0, this.limit - reading.used);
    this.#readAt = reading.receivedAt;
    this.#countedLess = reading.used < this.#spent;
  }

  /** Compares an answer with our own requests, wherever instances begin. */
  #compare(resetAt: number, leftMs: number, reading: WindowReading): void {
    const { sentAt, receivedAt, used, held, settledSince, limited, isExempt } = reading;
    const sliding = this.#sliding;
    const own = limited ? 0 : 1;
    const isBegun = resetAt > this.#resetAt + SAME_MS;
    const isEmpty = used <= held + settledSince + own;
    this.#isTimestamp ||= leftMs < 0 || leftMs % ROUNDING_MS >= 1;
    if (this.#clock.known)
      sliding.length.observe(resetAt - this.#clock.most(receivedAt), resetAt - this.#clock.least(sentAt), false);
    else sliding.length.observe(leftMs, leftMs, this.#isTimestamp);
    this.#others = Math.max(0, used - sliding.countedAt(sentAt) - own - held);
    if (own > 0) sliding.add(receivedAt);
    if (isBegun) this.#firstAt = receivedAt;
    // What the window held before is in its first reading.
    if (this.#seenAt === Number.NEGATIVE_INFINITY) return;
    if (isBegun) sliding.onBegun();
    if (!limited && this.#spent >= this.limit) {
      this.#isProven ||= sliding.areDecisive && this.#others === 0;
      if (isBegun && isEmpty && sliding.length.onEmptied()) this.#isProven = false;
    }
    const isFuller = sliding.areDecisive && this.#others > 0;
    // Requests that were under way together have one cause.
    if (sentAt < this.#fullerAt || isExempt || !(limited || isFuller)) return;
    sliding.onFuller(used - held - own, limited, sentAt);
    this.#fullerAt = receivedAt;
  }

  /** Until when the present instance, or the first request of the next one, holds others back, and whether nothing but time ends that. */
  #instanceHolds(now: number): [until: number, isFirm: boolean] {
    if (this.#hasRoom) return [this.#isDisputed ? this.#readAt + POSTING_MS : now, false];
    // Calls of other endpoints hear of no answer to the disputed request.
    if (this.#isDisputed) return [now + POSTING_MS, false];
    const end = this.limit > 0 ? this.#end : Number.POSITIVE_INFINITY;
    const probedUntil = this.#probe.heldUntil(now);
    return [now < end ? end : probedUntil, this.#spent >= this.limit && now < end && probedUntil <= now];
  }

  /** The same of a window that slides: what others have used is theirs until the reset. */
  #slidingHolds(now: number): [until: number, isFirm: boolean] {
    const { held } = this;
    if (held >= this.limit) return [this.#flights.nextAge(), false];
    const own = this.#sliding.earliest(held);
    const end = this.#end;
    const areOthers = this.#others > 0 && now < end;
    const fits = areOthers ? Math.max(own, Math.min(end, this.#sliding.earliest(held + this.#others))) : own;
    return [this.#isProven ? fits : Math.max(fits, this.#probe.heldUntil(now)), held === 0];
  }

  /** Whether our own requests of the last window tell when one more fits, not instances. */
  get #slides(): boolean {
    return this.#isNamed && this.limit > 0 && this.#sliding.areDecisive;
  }

  /** What is left of the present instance. */
  get #left(): number {
    return Math.max(0, this.limit - this.#spent - this.held);
  }

  get #hasRoom(): boolean {
    return this.#left >= 1 + this.#forLooks;
  }

  /**
   * Whether the last answer counted less than our books, and no more than one request is left. If it waits until all others must have
   * been posted, its answer tells whether they count here: a fast service answers all that the window holds before any answer is evidence.
   */
  get #isDisputed(): boolean {
    return this.#countedLess && this.#left <= 1 && this.#spent < this.limit;
  }

  /** Whether the service has named a reset. */
  get #isNamed(): boolean {
    return this.#resetAt > Number.NEGATIVE_INFINITY;
  }

  /** Requests that are left for looks. */
  get #forLooks(): number {
    return this.#isNamed ? 0 : Math.min(MOST_LOOKS, Math.ceil(this.limit * LOOK_PART));
  }

  /** When to look next: with a full minute looks are as frequent again, as long as requests are left for them. */
  #lookAfter(now: number): number {
    const at = now + this.#looks.next();
    if (!this.#clock.known) return at;
    const minute = this.#clock.surely(endOf('minute', this.#clock.least(now)));
    if (at > minute && this.#left >= 1) this.#looks.reset();
    return Math.min(at, minute);
  }

  get #end(): number {
    if (!this.#isNamed) return this.#nextLookAt;
    if (!this.#clock.known)
      return this.#isTimestamp ? Math.min(this.#endsAt, this.#firstAt + this.#sliding.longestMs) : this.#endsAt;
    return this.#clock.surely(this.#isOnCalendar ? this.#resetAt : this.#resetAt + ROUNDING_MS);
  }
}
