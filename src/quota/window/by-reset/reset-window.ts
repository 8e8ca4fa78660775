import { type Charge, type Hold, holdUntil, type Limit, type Reason } from '../../admission.ts';
import type { WindowReading } from '../../models/model.ts';
import { Probe } from '../../recovery/probe.ts';
import { periodMsOf } from '../../time/periods.ts';
import type { ServerClock } from '../../time/server-clock.ts';
import type { WindowEnd } from '../../time/window-end.ts';
import { POSTING_MS } from '../../usage/answered.ts';
import type { Flight, InFlight } from '../../usage/in-flight.ts';
import { ALL_BEFORE } from '../others/demand.ts';
import { OtherConsumers } from '../others/other-consumers.ts';
import { TOGETHER } from '../others/room-for-others.ts';
import { EndpointRequests } from './endpoint-requests.ts';
import { InstanceEnd } from './instance-end.ts';
import { RoomProbes } from './room-probes.ts';
import { SlidingRequests } from './sliding-requests.ts';

/**
 * The window that `ratelimit-limit`, `-remaining` and `-reset` describe: of unknown kind and length, it is
 * known by its reset alone. Past its end one request goes first, and its answer names the next instance. Where no
 * reset is named, {@link RoomProbes} find out whether there is more again.
 */
export class ResetWindow implements Limit {
  readonly limit: number;
  readonly #clock: ServerClock;
  readonly #flights: InFlight;
  /** The requests that count here. */
  readonly requests: EndpointRequests;
  readonly #sliding: SlidingRequests;
  readonly #instance: InstanceEnd;
  /** As of a minute, which most such windows are. */
  readonly #otherConsumers: OtherConsumers = new OtherConsumers(periodMsOf('minute'));
  /** Whether the present instance is one of which only the beginning is known. */
  #isUnnamed = false;
  #spent = 0;
  /** Whether a request was served that our own requests of the last window had made wait. */
  #isProven = false;
  /** When an answer showed last that the window holds more than it should. */
  #fullerAt = -Infinity;
  /** What the last answer counted beyond our own requests. */
  #others = 0;
  /** When the last answer came. */
  #readAt = -Infinity;
  /** Whether it counted less than our books. */
  #countedLess = false;
  #remaining: number;
  readonly #probe = new Probe();
  readonly #roomProbes: RoomProbes;
  #seenAt = -Infinity;

  /** @param inUnits - whether it counts units, not requests. */
  constructor(limit: number, clock: ServerClock, flights: InFlight, inUnits = false) {
    this.limit = limit;
    this.#remaining = limit;
    this.#sliding = new SlidingRequests(limit);
    this.#instance = new InstanceEnd(clock, this.#sliding);
    this.#clock = clock;
    this.#flights = flights;
    this.requests = new EndpointRequests(flights, inUnits);
    this.#roomProbes = new RoomProbes(limit, clock);
  }

  /** When the request was sent that was answered last. */
  get seenAt(): number {
    return this.#seenAt;
  }

  /** When the present instance ends: the service names it. */
  get end(): WindowEnd {
    return this.#instance.view;
  }

  /** The service's last word on what is left. */
  get remaining(): number {
    return this.#remaining;
  }

  /** The shortest time between two resets so far, in milliseconds. */
  get periodMs(): number {
    return this.#instance.periodMs;
  }

  headroom(now: number): number {
    const spent = this.#slides ? this.#sliding.countedAt(now) + (now < this.#end ? this.#others : 0) : this.#spent;
    return Math.max(0, this.limit - spent - this.requests.held);
  }

  check(charge: Charge, now: number): Hold | undefined {
    if (!this.requests.has(charge.endpoint)) return undefined;
    const weight = Math.min(this.requests.weigh(charge.units), Math.max(1, this.limit));
    const [fitsFrom, isFirm] = this.#slides ? this.#slidingHolds(weight, now) : this.#instanceHolds(weight, now);
    const mayBeFull = fitsFrom <= now && this.#mayBeFull(weight, now);
    const until = mayBeFull ? this.#flights.nextAge() : fitsFrom;
    if (until <= now) return undefined;
    return holdUntil(until, () => this.#explain(mayBeFull, now), { isFirm, scope: 'endpoint' });
  }

  /** Whether an answer must be awaited, because other consumers that send when we do may have used what is left. */
  #mayBeFull(weight: number, now: number): boolean {
    const theirs = TOGETHER * this.requests.held * this.#otherConsumers.perUnit;
    return theirs > 0 && (this.#slides || now < this.#end) && this.headroom(now) < weight + theirs;
  }

  #explain(mayBeFull: boolean, now: number): Reason {
    const { limit } = this;
    const headroom = this.headroom(now);
    const window = `the endpoint's window of ${limit} ${this.requests.inUnits ? 'units' : 'requests'}`;
    const why = mayBeFull
      ? `others may have used what is left of ${window}: the next answer shows it`
      : `${window} has ${headroom} left`;
    return { kind: 'window', why, window: 'endpoint', limit, headroom };
  }

  /** A request is sent. */
  onSent(flight: Flight, now: number): void {
    if (!this.requests.has(flight.endpoint)) return;
    this.#sliding.onSent(now);
    if (!this.#isProbe(now)) return;
    this.#probe.onSent(flight);
    if (!this.#instance.isNamed) this.#roomProbes.onSent(this.#left, now);
  }

  /** Whether a request that is sent now finds out whether there is room: a full window has ended, or slides and has not been seen to have room by then. */
  #isProbe(now: number): boolean {
    if (this.#slides) return !this.#isProven && this.#spent >= this.limit;
    return !this.#hasRoomFor(1) && !(this.#instance.isNamed && now < this.#end);
  }

  /** A request of this endpoint was answered without a reading, or must have arrived. */
  book(endpoint: string, sentAt: number, at: number, units: number): void {
    if (!this.requests.has(endpoint)) return;
    const weight = this.requests.weigh(units);
    this.#spent += weight;
    this.#sliding.add(at, weight);
    this.requests.add(endpoint, sentAt, at, weight, false);
  }

  /**
   * An answer described a tighter window, so this one has no less left than that. Where the request was sent past this
   * one's end, its next instance has begun, and is known by its successor's name only later.
   *
   * @param left - requests left in the tighter window.
   */
  passOver(endpoint: string, left: number, { sentAt, receivedAt, settledSince, own }: WindowReading): void {
    if (!this.requests.has(endpoint)) return;
    this.book(endpoint, sentAt, receivedAt, own);
    if (sentAt < this.#end) return;
    if (!this.#isUnnamed) this.#spent = settledSince + this.requests.weigh(own);
    this.#isUnnamed = true;
    this.#spent = Math.min(this.#spent, this.limit - left + settledSince);
  }

  /** Whether a reset names the present instance, which surely had not ended when the answer came. */
  isPresent(resetAt: number, receivedAt: number): boolean {
    return this.#instance.isPresent(resetAt, receivedAt);
  }

  /**
   * Whether an answer counts less than what these endpoints have surely left in this instance, together with its own, and no less than
   * its own endpoint has alone: then it speaks of another window.
   *
   * @param known - the window in which its endpoint has been counted so far.
   */
  isContradicted(endpoint: string, known: ResetWindow | undefined, resetAt: number, reading: WindowReading): boolean {
    const { used, sentAt, receivedAt } = reading;
    const own = (known ?? this).requests.countedBefore(sentAt, endpoint);
    const all = this.requests.countedBefore(sentAt) + (known === this ? 0 : own);
    return used < all && used >= own && this.isPresent(resetAt, receivedAt);
  }

  /**
   * Takes in what an answer said of this window.
   *
   * @param resetAt - its end by the service's clock; NaN: none is named.
   * @param leftMs - the time from the answer to that end, as stated by one answer.
   */
  read(endpoint: string, resetAt: number, leftMs: number, reading: WindowReading): void {
    const { requests } = this;
    const instance = this.#instance;
    const { sentAt, receivedAt } = reading;
    const own = requests.weigh(reading.own);
    requests.take(endpoint);
    if (!Number.isNaN(resetAt)) this.#compare(resetAt, leftMs, reading);
    this.#seenAt = Math.max(this.#seenAt, sentAt);
    if (instance.isEarlier(resetAt)) {
      // It describes an earlier instance, or this one with a reset that was rounded differently; then it was counted here.
      this.#spent += own;
      requests.add(endpoint, sentAt, receivedAt, own, false);
      return;
    }
    const known = this.#opens(resetAt, sentAt) ? reading.settledSince : this.#spent;
    this.#otherConsumers.observe(reading.used - reading.held - known - own, reading, {
      ...ALL_BEFORE,
      used: reading.used,
    });
    if (instance.isNext(resetAt)) {
      instance.begin(resetAt, leftMs, receivedAt);
      this.#isUnnamed = false;
      this.#spent = reading.used + reading.settledSince;
      requests.begin(resetAt);
    } else {
      requests.begin(resetAt, endpoint);
      const spent = Math.max(this.#spent + own, reading.used - reading.held);
      this.#spent = Math.min(spent, reading.used + reading.settledSince);
      // A small window never has room for more than the probe itself: what was used is free again after such a pause.
      if (this.#hasRoomFor(1)) this.#roomProbes.onRoom();
      else if (this.#spent < spent && !reading.limited) this.#roomProbes.onFreed();
    }
    requests.add(endpoint, sentAt, receivedAt, own, !reading.limited);
    this.#remaining = Math.max(0, this.limit - reading.used);
    this.#readAt = reading.receivedAt;
    this.#countedLess = reading.used < this.#spent;
  }

  /** Whether an answer names an instance that follows, and our books have none of its requests yet. */
  #opens(resetAt: number, sentAt: number): boolean {
    return this.#instance.isNext(resetAt) && sentAt >= this.#end && !this.#isUnnamed;
  }

  /** Compares an answer with our own requests, wherever instances begin. */
  #compare(resetAt: number, leftMs: number, reading: WindowReading): void {
    const { sentAt, receivedAt, used, held, settledSince, limited, isExempt } = reading;
    const sliding = this.#sliding;
    const own = limited ? 0 : this.requests.weigh(reading.own);
    const isBegun = this.#instance.isNext(resetAt);
    const isEmpty = used <= held + settledSince + own;
    this.#instance.observe(leftMs);
    if (this.#clock.known)
      sliding.length.observe(resetAt - this.#clock.most(receivedAt), resetAt - this.#clock.least(sentAt), false);
    else sliding.length.observe(leftMs, leftMs, this.#instance.isTimestamp);
    this.#others = Math.max(0, used - sliding.countedAt(sentAt) - own - held);
    if (own > 0) sliding.add(receivedAt, own);
    // What the window held before is in its first reading.
    if (this.#seenAt === -Infinity) return;
    if (isBegun) sliding.onBegun(this.#opens(resetAt, sentAt) ? used - held - settledSince - own : 0, sentAt);
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
  #instanceHolds(weight: number, now: number): [until: number, isFirm: boolean] {
    if (this.#hasRoomFor(weight)) return [this.#isDisputed(weight) ? this.#readAt + POSTING_MS : now, false];
    // Calls of other endpoints hear of no answer to the disputed request.
    if (this.#isDisputed(weight)) return [now + POSTING_MS, false];
    const end = this.limit > 0 ? this.#end : Infinity;
    const probedUntil = this.#probe.heldUntil(now);
    return [now < end ? end : probedUntil, this.#spent + weight > this.limit && now < end && probedUntil <= now];
  }

  /** The same of a window that slides: what others have used is theirs until the reset. */
  #slidingHolds(weight: number, now: number): [until: number, isFirm: boolean] {
    const { held } = this.requests;
    if (held + weight > this.limit) return [this.#flights.nextAge(), false];
    const own = this.#sliding.earliest(held, weight);
    const fits = Math.max(own, Math.min(this.#end, this.#sliding.earliest(held + this.#others, weight)));
    return [this.#isProven ? fits : Math.max(fits, this.#probe.heldUntil(now)), held === 0];
  }

  /** Whether our own requests of the last window tell when one more fits, not instances. */
  get #slides(): boolean {
    return this.#instance.isNamed && this.limit > 0 && this.#sliding.areDecisive;
  }

  /** What is left of the present instance. */
  get #left(): number {
    return Math.max(0, this.limit - this.#spent - this.requests.held);
  }

  #hasRoomFor(weight: number): boolean {
    return this.#left >= weight + (this.#instance.isNamed ? 0 : this.#roomProbes.reserved);
  }

  /**
   * Whether the last answer counted less than our books, and no more than one request is left. If it waits until all others must have
   * been posted, its answer tells whether they count here: a fast service answers all that the window holds before any answer is evidence.
   * Where no reset is named, that request is left for probes.
   */
  #isDisputed(weight: number): boolean {
    const isLast = this.#left <= weight && this.#spent + weight <= this.limit;
    return this.#instance.isNamed && this.#countedLess && isLast;
  }

  get #end(): number {
    return this.#instance.isNamed ? this.#instance.at : this.#roomProbes.nextAt;
  }
}
