import { randomUUID } from 'node:crypto';
import type { Charge, Lease, Reason } from '../quota/admission.ts';
import type { ShareLimit as Part, WindowNews } from '../quota/share-limit.ts';
import type { Period } from '../quota/time/periods.ts';
import type { Member } from '../share.ts';
import { codeOf } from './connection.ts';
import { Exchange } from './exchange.ts';
import { Holdings } from './holdings.ts';
import { Lookout, RENEW_MS } from './lookout.ts';
import { type Reply, type Request, readReply } from './message.ts';
import { Outage } from './outage.ts';

/** A process that was not heard of for so long has no work, in milliseconds; one that has work is heard of more often. */
const LIVE_MS = 12_000;
const HEARTBEAT_MS = 5_000;

/** Who has had nothing to do for this long gives back what it holds, in milliseconds. */
const IDLE_MS = 50;

/** The very first trip may take longer: at a start machines are busy, and nobody is used to more yet. In milliseconds. */
const FIRST_TRIP_MS = 1_000;

/** How a part reaches Redis, and what it does where it cannot. */
export interface PartOptions {
  /** Makes one trip. Rejects, in time, if that is not possible. */
  readonly call: (periods: readonly Period[], request: string, withinMs: number) => Promise<unknown>;
  readonly mode: 'partial' | 'closed' | 'open';
  /** How many processes to reckon with while Redis has never been reached. */
  readonly processes: number;
  /** How long a trip takes at most, in milliseconds. */
  readonly timeoutMs: number;
}

/** Our part of every window, handed out by Redis: what is in hand is spent without asking, and more is fetched in time. */
export class RedisPart implements Part {
  readonly isShared = true;
  readonly #options: PartOptions;
  readonly #member: Member;
  readonly #holdings: Holdings;
  readonly #lookout = new Lookout();
  readonly #exchange: Exchange;
  readonly #outage = new Outage();
  readonly #me = randomUUID();
  readonly #turn: number;
  #trip: Promise<void> | undefined;
  #lastTripAt = Number.NEGATIVE_INFINITY;
  #sequence = 0;
  #memory = { born: 0, peers: 0, version: 0 };
  #hasJoined = false;
  #dearest = 1;
  #cancelIdle: (() => void) | undefined;
  #isClosed = false;

  constructor(member: Member, options: PartOptions) {
    this.#member = member;
    this.#options = options;
    this.#turn = Math.floor(member.random() * 1_000);
    // Nobody begins with a window exactly when all others do.
    this.#holdings = new Holdings(member.time, member.random() * 3);
    this.#exchange = new Exchange(member, this.#holdings, this.#lookout);
  }

  get isAlone(): boolean {
    return this.#lookout.isScout(this.#member.clock.now());
  }

  earliest({ units }: Charge, now: number): number {
    if (units <= 0) return now;
    this.#dearest = units;
    if (!this.#outage.isLost && this.#mustLook(now)) {
      const patience = this.#lookout.patience(this.#holdings.all.length > 0);
      this.#consider(now, now >= this.#lastTripAt + patience);
      return now + (this.#trip ? this.#options.timeoutMs : patience);
    }
    // Who looks has the quota to itself: its own pacer is all the caution that is needed.
    if (this.isAlone || !this.#holdings.isTimeKnown) {
      this.#consider(now);
      return now;
    }
    const { at, lacking, retryAt = at } = this.#holdings.earliest(units, now);
    this.#consider(now, lacking !== undefined && retryAt <= now);
    if (at <= now) return now;
    if (this.#trip) return Math.max(at, now + this.#options.timeoutMs);
    return this.#outage.isLost ? Math.max(now + 1, Math.min(at, this.#outage.retryAt)) : at;
  }

  isFirm({ units }: Charge, now: number): boolean {
    if (!this.#holdings.isTimeKnown || this.#mustLook(now)) return false;
    // What comes back, of the service or of Redis, may bring some.
    const isHopeful = this.#trip !== undefined || this.#holdings.underWay > 0;
    return !isHopeful || this.#holdings.isFull(units, now);
  }

  explain({ units }: Charge, now: number): Reason {
    if (!this.#outage.isLost && this.#mustLook(now))
      return { kind: 'share', why: 'another process looks at the service first' };
    const { lacking } = this.#holdings.earliest(units, now);
    if (!lacking) return { kind: 'share', why: 'the next window is about to begin' };
    const why = `our part of the ${lacking.period} of ${lacking.limit} units is spent`;
    return { kind: 'share', why, window: lacking.period, limit: lacking.limit, headroom: 0 };
  }

  take(lease: Lease, now: number): void {
    this.#cancelIdle?.();
    this.#cancelIdle = undefined;
    this.#holdings.take(lease, now);
    this.#consider(now);
  }

  settle(lease: Lease, units: number, now: number): void {
    this.#holdings.settle(lease, units, now);
    // Where answers name no window there is nothing to share.
    if (this.#holdings.all.length === 0) this.#lookout.end();
    this.#consider(now);
    this.#restWhenIdle();
  }

  read(news: WindowNews): void {
    this.#exchange.read(news);
  }

  tellEnd(period: Period, end: number): void {
    const holding = this.#holdings.of(period);
    if (holding) holding.toldEnd = end;
  }

  tellCost(endpoint: string, units: number): void {
    this.#exchange.tellCost(endpoint, units);
  }

  tellPause(until: number): void {
    this.#exchange.tellPause(until);
  }

  /** Gives back what was not spent. */
  async leave(): Promise<void> {
    this.#isClosed = true;
    this.#cancelIdle?.();
    await this.#trip;
    if (this.#hasJoined && !this.#outage.isLost) await this.#travel();
  }

  get #isIdle(): boolean {
    return this.#isClosed || (this.#member.waiting() === 0 && this.#holdings.underWay === 0);
  }

  #mustLook(now: number): boolean {
    if (!this.#hasJoined) return true;
    return this.#exchange.isInDoubt && this.#lookout.mustWait(now, this.#holdings.all.length > 0);
  }

  /** Whether we live on parts: who looks needs none, and who waits for what another finds asks for none yet. */
  #asks(now: number): boolean {
    return this.#holdings.isTimeKnown && !this.isAlone && !this.#mustLook(now);
  }

  /** Makes a trip if it is time to. */
  #consider(now: number, isWanting = false): void {
    if (this.#trip || this.#isClosed || now < this.#outage.retryAt) return;
    const isDue =
      isWanting ||
      !this.#hasJoined ||
      this.#outage.isLost ||
      now >= this.#lastTripAt + HEARTBEAT_MS ||
      this.#exchange.isUrgent(now) ||
      (this.isAlone && now >= this.#lastTripAt + RENEW_MS) ||
      (this.#asks(now) && this.#holdings.isLow(now, this.#member.waiting()));
    if (!isDue) return;
    this.#trip = Promise.resolve()
      .then(() => this.#travel())
      .finally(() => {
        this.#trip = undefined;
        this.#member.wake();
        this.#restWhenIdle();
      });
  }

  #restWhenIdle(): void {
    if (!this.#isIdle || this.#isClosed || this.#cancelIdle || this.#outage.isLost) return;
    if (!this.#holdings.holdsAny) return;
    this.#cancelIdle = this.#member.clock.timer(IDLE_MS, () => {
      this.#cancelIdle = undefined;
      if (this.#isIdle) this.#consider(this.#member.clock.now(), true);
    });
  }

  async #travel(): Promise<void> {
    const { clock, tell } = this.#member;
    const { timeoutMs } = this.#options;
    const sentAt = clock.now();
    this.#lastTripAt = sentAt;
    const owed = this.#holdings.owed;
    const request = this.#compose(sentAt);
    const periods = request.windows.map(({ period }) => period);
    try {
      const withinMs = this.#hasJoined ? timeoutMs : Math.max(timeoutMs, FIRST_TRIP_MS);
      const reply = readReply(await this.#options.call(periods, JSON.stringify(request), withinMs), request);
      if (!reply) throw Object.assign(new Error('MALFORMED'), { code: 'MALFORMED' });
      const now = clock.now();
      const afterMs = this.#outage.mend(now);
      this.#holdings.fallBack(undefined);
      this.#receive(request, reply, sentAt, now);
      if (afterMs !== undefined) tell({ type: 'share-regained', afterMs, debited: owed });
    } catch (error) {
      const { mode } = this.#options;
      const part = { partial: 0.8, open: 1, closed: 0 }[mode];
      this.#holdings.fallBack({
        part,
        peers: mode === 'open' ? 1 : this.#memory.peers || this.#options.processes,
        turn: this.#turn,
      });
      if (this.#outage.fail(clock.now())) tell({ type: 'share-lost', code: codeOf(error), mode });
    }
  }

  #compose(now: number): Request {
    const { waiting } = this.#member;
    const isIdle = this.#isIdle;
    // What is under way now is likely to be followed by as much.
    const calls = waiting() + this.#holdings.underWay;
    const demand = {
      waiting: calls * this.#dearest,
      dearest: this.#dearest,
      isIdle: isIdle || !this.#asks(now),
    };
    return {
      me: this.#me,
      sequence: ++this.#sequence,
      work: !isIdle,
      doubt: !isIdle && this.#exchange.isInDoubt,
      returning: this.#outage.isRecent(now),
      live: LIVE_MS,
      ...this.#memory,
      ...this.#exchange.pack(now),
      windows: this.#holdings.isTimeKnown ? this.#holdings.asks(demand, now) : [],
    };
  }

  #receive(request: Request, reply: Reply, sentAt: number, now: number): void {
    this.#hasJoined = true;
    this.#memory = { born: reply.born, peers: reply.peers, version: reply.version };
    this.#lookout.hear(reply.scout, sentAt);
    this.#exchange.unpack(request, reply, sentAt, now);
    this.#holdings.receive(request.windows, reply, now);
  }
}
