import type { Ask } from '../../quota/admission.ts';
import type { Plan } from '../../quota/forecast/estimate.ts';
import { type Rank, rankOf } from '../../share.ts';
import type { Bound } from '../queue/pending-call.ts';

/** With more stretches than this, the order of calls is kept roughly, their queries are not kept, and costs that are nearly the same make one kind. */
const MOST_EXACT = 512;

/** A new stretch of the queue then begins when one has this part of all its calls. */
const STRETCH_PART = 1 / 16;

/** The weight of waiting calls is updated once their cost exceeds it by this part. */
const HEAVIER = 1 / 16;

/** Two instants by which calls are to be sent count as one if they differ by less than this part of the time until the first of them. */
const APART = 1 / 32;

/** Calls of one kind that came after one another, but for those of other priorities and a few of other kinds in between. */
export interface Stretch {
  /** The ask of one of them. */
  readonly ask: Ask;
  readonly priority: number;
  readonly kind: string;
  /** The weight of one of them in estimates: the units that it costs, plus 1. */
  weight: number;
  /** Units that all of them cost, as their callers state; NaN: no cost is stated. */
  stated: number;
  /** How many calls of their priority had come before the first of them. */
  readonly before: number;
  /** How many have come. */
  calls: number;
  /** How many of them wait. */
  waiting: number;
  /** How many of them are not finished. */
  open: number;
}

/** What the backlog knows of a call, kept in the call itself: a million may wait. */
export interface BackloggedCall {
  readonly ask: Ask;
  /** The stretch that it belongs to. */
  stretch: Stretch;
  /** Whether it waits to be sent. */
  isWaiting: boolean;
}

/** Calls of a stretch that wait, as a plan. */
export interface Group extends Plan {
  /** The ask of one of them. */
  readonly ask: Ask;
  /** Since when the first of them waits; undefined: they have no instant. */
  readonly since?: number;
  /** Those that are to be sent by its instant; of others only the number is known. */
  readonly calls: readonly BackloggedCall[];
}

/** The calls that were made and are not finished, counted by kind and in the order they came: what is ahead of a call that is made now. */
export class Backlog {
  readonly #stretches = new Set<Stretch>();
  /** The last stretch of each kind, by all that makes a kind. */
  readonly #last = new Map<string, Stretch>();
  /** How many calls have come of each priority: calls go by priority, so those of others are not in between. */
  readonly #came = new Map<number, number>();
  #moved = 0;
  /** Calls that wait, of each rank or a higher one. */
  readonly #waiting: [number, number, number] = [0, 0, 0];
  /** The lowest priority that any call had since none was left. */
  #lowest = Infinity;
  #overtaking = 0;

  /**
   * A call was made, and waits.
   *
   * @param cost - what it will cost, as far as is known.
   */
  add(call: BackloggedCall, cost: number): void {
    const { ask } = call;
    const { endpoint, priority = 0 } = ask;
    const isExact = this.#stretches.size < MOST_EXACT;
    const units = isExact ? cost : Math.round(2 * Math.log2(cost));
    const kind = `${priority} ${units} ${typeof ask.cost} ${endpoint} ${isExact ? ask.query : ''}`;
    const between = isExact ? 0 : this.#waiting[0] * STRETCH_PART;
    const before = this.#came.get(priority) ?? 0;
    let stretch = this.#last.get(kind);
    // Where no other came in between, a stretch may have any length.
    if (!stretch || before - stretch.calls - stretch.before > between) {
      stretch = { ask, priority, kind, weight: 1 + cost, stated: 0, before, calls: 0, waiting: 0, open: 0 };
      this.#last.set(kind, stretch);
      this.#stretches.add(stretch);
    }
    if (priority > this.#lowest) this.#overtaking += 1 + cost;
    else this.#lowest = priority;
    stretch.stated += ask.cost ?? Number.NaN;
    this.#came.set(priority, before + 1);
    stretch.calls++;
    stretch.open++;
    call.stretch = stretch;
    call.isWaiting = false;
    this.queue(call);
  }

  /** A call waits to be sent, again or for the first time. */
  queue(call: BackloggedCall): void {
    if (!call.isWaiting) this.#move(call, 1);
  }

  /** A call waits no more. */
  leave(call: BackloggedCall): void {
    if (call.isWaiting) this.#move(call, -1);
  }

  #move(call: BackloggedCall, calls: 1 | -1): void {
    const { stretch } = call;
    call.isWaiting = calls === 1;
    stretch.waiting += calls;
    for (let rank = 0; rank <= rankOf(stretch.priority); rank++) this.#waiting[rank as Rank] += calls;
    this.#moved += stretch.weight;
  }

  /** A call is finished, well or not. */
  remove(call: BackloggedCall): void {
    this.leave(call);
    const { stretch } = call;
    if (--stretch.open === 0) {
      this.#stretches.delete(stretch);
      if (this.#last.get(stretch.kind) === stretch) this.#last.delete(stretch.kind);
    }
    if (this.#stretches.size > 0) return;
    this.#lowest = Infinity;
    this.#came.clear();
  }

  /** Calls of this rank or a higher one that wait: processes that share a quota reserve units for them. */
  waiting(rank: Rank): number {
    return this.#waiting[rank];
  }

  /** The weight of all calls that have come to wait, and of all that have left. */
  get moved(): number {
    return this.#moved;
  }

  /** The weight of the calls that wait and go before one of this priority. */
  weightAheadOf(priority: number): number {
    let weight = 0;
    for (const one of this.#stretches) if (one.priority >= priority) weight += one.waiting * one.weight;
    return weight;
  }

  /** The weight of the calls that came with a higher priority than others since {@link reweigh} was true last. */
  get overtaking(): number {
    return this.#overtaking;
  }

  /**
   * Weighs the waiting calls anew by what they cost now, if that and the calls that overtook them are clearly more than their weight.
   *
   * @returns whether it did.
   */
  reweigh(costOf: (ask: Ask) => number): boolean {
    let heavier = this.#overtaking;
    for (const one of this.#stretches) heavier += one.waiting * (1 + costOf(one.ask) - one.weight);
    if (heavier <= this.weightAheadOf(-Infinity) * HEAVIER) return false;
    for (const one of this.#stretches) one.weight = 1 + costOf(one.ask);
    this.#overtaking = 0;
    return true;
  }

  /**
   * The calls that wait and go before one of this priority, in the order in which they go.
   *
   * @param costOf - what calls cost of which no cost is stated. Omitted: it is left open.
   */
  aheadOf(priority: number, costOf?: (ask: Ask) => number): readonly Plan[] {
    return this.#ahead(priority).map(({ ask, waiting, stated, calls }) => {
      const cost = Number.isNaN(stated) ? costOf?.(ask) : stated / calls;
      return { endpoint: ask.endpoint, query: ask.query, count: waiting, cost };
    });
  }

  /** All calls that wait, in the order in which they go, those of them in groups of their own that are to be sent by an instant. */
  groups(bounds: ReadonlyMap<BackloggedCall, Bound>, costOf: (ask: Ask) => number, now: number): readonly Group[] {
    const bounded = new Map<Stretch, (Bound & { readonly calls: BackloggedCall[] })[]>();
    for (const [call, { by, since }] of bounds) {
      const groups = bounded.get(call.stretch) ?? [];
      const last = groups.at(-1);
      if (last && by >= last.by && by - last.by <= (last.by - now) * APART) last.calls.push(call);
      else groups.push({ by, since, calls: [call] });
      bounded.set(call.stretch, groups);
    }
    return this.#ahead(-Infinity).flatMap((stretch) => {
      const { ask, waiting } = stretch;
      const plan = { ask, endpoint: ask.endpoint, query: ask.query, cost: costOf(ask) };
      const groups = (bounded.get(stretch) ?? []).map((group) => ({ ...plan, ...group, count: group.calls.length }));
      const others = groups.reduce((left, { count }) => left - count, waiting);
      return [{ ...plan, count: others, calls: [] }, ...groups];
    });
  }

  #ahead(priority: number): readonly Stretch[] {
    return [...this.#stretches]
      .filter((stretch) => stretch.waiting > 0 && stretch.priority >= priority)
      .sort((one, other) => other.priority - one.priority);
  }
}
