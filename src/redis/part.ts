import { randomUUID } from 'node:crypto';
import type { Charge, Lease, Reason } from '../quota/admission.ts';
import type { Part, Shapes, WindowNews } from '../quota/part.ts';
import { lengthOf, type Period } from '../quota/windows.ts';
import type { Member } from '../share.ts';
import { codeOf } from './connection.ts';
import { Drops } from './drops.ts';
import { Holdings } from './holdings.ts';
import { Knowledge } from './knowledge.ts';
import { Lookout, RENEW_MS } from './lookout.ts';
import { type Reply, type Request, readReply } from './message.ts';
import { Outage } from './outage.ts';

/** A process that was not heard of for so long has no work, in milliseconds; one that has work is heard of more often. */
const LIVE_MS = 10_000;
const HEARTBEAT_MS = 3_000;

/** Who has had nothing to do for this long gives back what it holds, in milliseconds. */
const IDLE_MS = 50;

/** The very first trip may take longer: at a start machines are busy, and nobody is used to more yet. In milliseconds. */
const FIRST_TRIP_MS = 1_000;

/** Windows up to this length show their shape within the first look, in milliseconds. */
const SHORT_MS = 5_000;

/** Two reckonings of the end of a pause are the same if they differ by no more, in milliseconds. */
const SAME_PAUSE_MS = 50;

/** More than this beyond what all can have spent is a stranger's, and no mishap: in units, and in parts of the limit. */
const STRANGE = 3;
const STRANGE_PART = 0.02;

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
  readonly #knowledge = new Knowledge();
  readonly #lookout = new Lookout();
  readonly #drops = new Drops();
  readonly #outage = new Outage();
  readonly #limits = new Map<Period, number>();
  readonly #told = new Set<string>();
  readonly #me = randomUUID();
  readonly #turn: number;
  #trip: Promise<void> | undefined;
  #lastTripAt = Number.NEGATIVE_INFINITY;
  #sequence = 0;
  #memory = { born: 0, peers: 0, version: 0 };
  #hasJoined = false;
  #dearest = 1;
  #pausedUntil = 0;
  #toldPause = 0;
  #cancelIdle: (() => void) | undefined;
  #isClosed = false;

  constructor(member: Member, options: PartOptions) {
    this.#member = member;
    this.#options = options;
    this.#turn = Math.floor(member.random() * 1_000);
    // Nobody begins with a window exactly when all others do.
    this.#holdings = new Holdings(member.time, member.random() * 3);
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
    return this.#holdings.isTimeKnown && this.#holdings.isFull(units, now);
  }

  explain({ units }: Charge, now: number): Reason {
    if (!this.#outage.isLost && this.#mustLook(now))
      return { limit: 'share', why: 'another process looks at the service first' };
    const { lacking } = this.#holdings.earliest(units, now);
    if (!lacking) return { limit: 'share', why: 'the next window is about to begin' };
    const why = `our part of the ${lacking.period} of ${lacking.limit} units is spent`;
    return { limit: 'share', why, window: lacking.period, size: lacking.limit, headroom: 0 };
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
    const { period, limit } = news;
    const shapes = this.#decide(news);
    this.#holdings.hear({ ...news, shapes });
    this.#limits.set(period, limit);
    this.#knowledge.tellLimit(period, limit);
    this.#knowledge.tellShapes(period, shapes);
    if (!this.#isInDoubt) this.#lookout.end();
  }

  tellEnd(period: Period, end: number): void {
    const holding = this.#holdings.of(period);
    if (holding) holding.toldEnd = end;
  }

  tellCost(endpoint: string, units: number): void {
    this.#knowledge.tellCost(endpoint, units);
  }

  tellPause(until: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
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

  get #isInDoubt(): boolean {
    const all = this.#holdings.all;
    return all.length === 0 || all.some(({ length, isSettled }) => length <= SHORT_MS && !isSettled);
  }

  /**
   * What is left of a window's shapes. Who looked alone for longer than a short window lasts would have seen a leaky one
   * sink: it counts as none, until a refusal says otherwise.
   */
  #decide(news: WindowNews): Shapes {
    const { period, sentAt, receivedAt } = news;
    const left = this.#holdings.isTimeKnown
      ? this.#drops.judge(news, this.#holdings.moment(sentAt), this.#holdings.moment(receivedAt))
      : news.shapes;
    const isLeaky = left.alive.length === 2 && left.alive.every((name) => name === 'aligned' || name === 'leaky');
    const length = lengthOf(period);
    const isSeen = this.isAlone && length <= SHORT_MS && this.#lookout.lasted(this.#member.clock.now()) > length;
    const shapes: Shapes = isLeaky && isSeen ? { alive: ['aligned'], epoch: left.epoch } : left;
    if (shapes !== news.shapes) this.#member.learn({ shapes: [{ ...shapes, period }] });
    return shapes;
  }

  #mustLook(now: number): boolean {
    if (!this.#hasJoined) return true;
    return this.#isInDoubt && this.#lookout.mustWait(now, this.#holdings.all.length > 0);
  }

  /** Makes a trip if it is time to. */
  #consider(now: number, isWanting = false): void {
    if (this.#trip || this.#isClosed || now < this.#outage.retryAt) return;
    const isDue =
      isWanting ||
      !this.#hasJoined ||
      this.#outage.isLost ||
      now >= this.#lastTripAt + HEARTBEAT_MS ||
      this.#knowledge.isUrgent ||
      this.#pausedUntil > Math.max(now, this.#toldPause) ||
      (this.isAlone && now >= this.#lastTripAt + RENEW_MS) ||
      (this.#holdings.isTimeKnown && this.#holdings.isLow(now, this.#member.waiting()));
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
      if (afterMs !== undefined) tell({ type: 'share regained', afterMs, debited: owed });
    } catch (error) {
      const { mode } = this.#options;
      const part = { partial: 0.8, open: 1, closed: 0 }[mode];
      this.#holdings.fallBack({
        part,
        peers: mode === 'open' ? 1 : this.#memory.peers || this.#options.processes,
        turn: this.#turn,
      });
      if (this.#outage.fail(clock.now())) tell({ type: 'share lost', code: codeOf(error), mode });
    }
  }

  #compose(now: number): Request {
    const { waiting } = this.#member;
    const isIdle = this.#isIdle;
    // Whoever waits for what another finds asks for nothing yet.
    // What is under way now is likely to be followed by as much.
    const calls = waiting() + this.#holdings.underWay;
    const demand = {
      waiting: calls * this.#dearest,
      dearest: this.#dearest,
      isIdle: isIdle || this.isAlone || this.#mustLook(now),
    };
    const pause = this.#pausedUntil > this.#toldPause ? Math.max(0, this.#pausedUntil - now) : 0;
    this.#toldPause = Math.max(this.#toldPause, this.#pausedUntil);
    return {
      me: this.#me,
      sequence: ++this.#sequence,
      work: !isIdle,
      doubt: !isIdle && this.#isInDoubt,
      live: LIVE_MS,
      ...this.#memory,
      pause,
      tell: this.#knowledge.pending,
      windows: this.#holdings.isTimeKnown ? this.#holdings.asks(demand, now) : [],
    };
  }

  #receive(request: Request, reply: Reply, sentAt: number, now: number): void {
    const { learn, tell, time } = this.#member;
    const redis = { least: reply.now - now, most: reply.now + 1 - sentAt, at: reply.now };
    this.#hasJoined = true;
    this.#memory = { born: reply.born, peers: reply.peers, version: reply.version };
    this.#holdings.hearRedis(redis.least);
    this.#lookout.hear(reply.scout, sentAt);
    this.#knowledge.told(request.tell);
    if (reply.known) {
      this.#knowledge.hear(reply.known);
      const news = this.#knowledge.news(redis);
      learn(news);
      for (const [period, limit] of this.#knowledge.limits)
        this.#holdings.open(period, Math.min(limit, this.#limits.get(period) ?? limit), now);
      for (const shapes of news.shapes ?? []) this.#holdings.of(shapes.period)?.adopt(shapes);
      if (!this.#isInDoubt) this.#lookout.end();
    }
    this.#holdings.receive(request.windows, reply, now);
    if (time.known) this.#knowledge.tellLead(time.least(now) - now, time.most(now) - now, redis);
    if (now + reply.pause > this.#pausedUntil + SAME_PAUSE_MS && reply.pause > 0) {
      this.#pausedUntil = now + reply.pause;
      this.#toldPause = this.#pausedUntil;
      learn({ pausedUntil: this.#pausedUntil });
    }
    const foreign = request.windows.flatMap(({ period, limit }, index) => {
      const units = reply.strangers[index] ?? 0;
      return units > Math.max(STRANGE, limit * STRANGE_PART) && this.#told.has(`seen ${period}`)
        ? [{ period, units }]
        : [];
    });
    for (const { period, said } of request.windows) if (said) this.#told.add(`seen ${period}`);
    if (foreign.length > 0) learn({ foreign });
    for (const key of reply.spoilt) {
      const what = key.slice(key.lastIndexOf(':') + 1);
      if (!this.#told.has(what)) tell({ type: 'share unreadable', what });
      this.#told.add(what);
    }
  }
}
