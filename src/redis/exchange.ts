import type { Shapes, WindowNews } from '../quota/share-limit.ts';
import { periodMsOf as lengthOf, type Period, SHORT_MS } from '../quota/time/periods.ts';
import type { Member } from '../share.ts';
import { Drops } from './drops.ts';
import type { Holdings } from './holdings.ts';
import { Knowledge } from './knowledge.ts';
import type { Lookout } from './lookout.ts';
import type { Reply, Request } from './message.ts';

/** Two reckonings of the end of a pause are the same if they differ by no more, in milliseconds. */
const SAME_PAUSE_MS = 50;

/** More than this beyond what all can have spent is a stranger's, and no mishap: in units, and in parts of the limit. */
const STRANGE = 3;
const STRANGE_PART = 0.02;

/** What we find out goes to the others with the next trip, and what they found out goes to our pacer. */
export class Exchange {
  readonly #member: Member;
  readonly #holdings: Holdings;
  readonly #lookout: Lookout;
  readonly #knowledge = new Knowledge();
  readonly #drops = new Drops();
  /** The limits that we have seen ourselves. */
  readonly #limits = new Map<Period, number>();
  readonly #spoilt = new Set<string>();
  #pausedUntil = 0;
  #toldPause = 0;

  constructor(member: Member, holdings: Holdings, lookout: Lookout) {
    this.#member = member;
    this.#holdings = holdings;
    this.#lookout = lookout;
  }

  /** Whether limits, or the shape of a short window, are to be found out yet. */
  get isInDoubt(): boolean {
    const { all } = this.#holdings;
    return all.length === 0 || all.some(({ length, isSettled }) => length <= SHORT_MS && !isSettled);
  }

  /** Whether others wait to hear of something. */
  isUrgent(now: number): boolean {
    return this.#knowledge.isUrgent || this.#pausedUntil > Math.max(now, this.#toldPause);
  }

  /** The service spoke of a window. */
  read(news: WindowNews): void {
    const { period, limit } = news;
    const shapes = this.#decide(news);
    this.#holdings.hear({ ...news, shapes });
    this.#limits.set(period, limit);
    this.#knowledge.tellLimit(period, limit);
    this.#knowledge.tellShapes(period, shapes);
    if (!this.isInDoubt) this.#lookout.end();
  }

  tellCost(endpoint: string, units: number): void {
    this.#knowledge.tellCost(endpoint, units);
  }

  tellPause(until: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
  }

  /** What the next trip takes along. */
  pack(now: number): Pick<Request, 'pause' | 'tell'> {
    const pause = this.#pausedUntil > this.#toldPause ? Math.max(0, this.#pausedUntil - now) : 0;
    this.#toldPause = Math.max(this.#toldPause, this.#pausedUntil);
    return { pause, tell: this.#knowledge.pending };
  }

  /** Takes in what a trip, which began at `sentAt`, brought of others. */
  unpack(request: Request, reply: Reply, sentAt: number, now: number): void {
    const { learn, time } = this.#member;
    const redis = { least: reply.now - now, most: reply.now + 1 - sentAt, at: reply.now };
    this.#holdings.hearRedis(redis.least);
    this.#knowledge.told(request.tell);
    if (reply.known) {
      this.#knowledge.hear(reply.known);
      const news = this.#knowledge.news(redis);
      learn(news);
      for (const [period, limit] of this.#knowledge.limits)
        this.#holdings.open(period, Math.min(limit, this.#limits.get(period) ?? limit), now);
      for (const shapes of news.shapes ?? []) this.#holdings.of(shapes.period)?.adopt(shapes);
      if (!this.isInDoubt) this.#lookout.end();
    }
    if (time.known) this.#knowledge.tellLead(time.least(now) - now, time.most(now) - now, redis);
    if (reply.pause > 0 && now + reply.pause > this.#pausedUntil + SAME_PAUSE_MS) {
      this.#pausedUntil = now + reply.pause;
      this.#toldPause = this.#pausedUntil;
      learn({ pausedUntil: this.#pausedUntil });
    }
    this.#meetStrangers(request, reply);
    this.#complain(reply);
  }

  /** What a window held when it was first seen is history, and nobody's rate. */
  #meetStrangers({ windows }: Request, { strangers }: Reply): void {
    const foreign = windows.flatMap(({ period, limit, said }, index) => {
      const units = strangers[index] ?? 0;
      const isFirst = said !== undefined && this.#drops.isNew(period);
      return !isFirst && units > Math.max(STRANGE, limit * STRANGE_PART) ? [{ period, units }] : [];
    });
    if (foreign.length > 0) this.#member.learn({ foreign });
  }

  #complain({ spoilt }: Reply): void {
    for (const key of spoilt) {
      const what = key.slice(key.lastIndexOf(':') + 1);
      if (!this.#spoilt.has(what)) this.#member.tell({ type: 'share-unreadable', what });
      this.#spoilt.add(what);
    }
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
    const now = this.#member.clock.now();
    const isSeen = length <= SHORT_MS && this.#lookout.isScout(now) && this.#lookout.lasted(now) > length;
    const shapes: Shapes = isLeaky && isSeen ? { alive: ['aligned'], epoch: left.epoch } : left;
    if (shapes !== news.shapes) this.#member.learn({ shapes: [{ ...shapes, period }] });
    return shapes;
  }
}
