import type { Clock } from '../clock.ts';
import type { Plan } from '../quota/forecast/estimate.ts';
import type { Member } from './member.ts';

/**
 * How often the waiting calls are checked, in milliseconds. It is a timer and no event: answers, pauses and arrivals, which change
 * estimates, come far more often than estimates are worth making, and a listener to them would cost each call of every client.
 */
const CHECK_MS = 1_000;

/** A call stays where it is unless another client sends it sooner by more than this, in milliseconds. */
const WORTH_MS = 1_000;

/** Maximum number of calls of one client that are checked at a time, and that are moved to others: the first ones. */
const MOST_CHECKED = 512;
const MOST_MOVED = 128;

/** A call whose request was sent leaves at most this many clients: one that all of them refuse must come to an end. */
const MOST_TRIED = 5;

/** The reason with which a client hands a call back. */
export const WITHDRAWN: unique symbol = Symbol('withdrawn');

/** A call that was handed to a client. */
export interface HandedCall {
  readonly plan: Plan & { readonly priority: number };
  readonly member: Member;
  /** Aborts the call. Only this call has its signal. */
  readonly signal: AbortSignal;
  /** Clients that may make it in its stead. */
  readonly others: readonly Member[];
  /** How many clients it has left after its request was sent: the same object wherever it is handed. */
  readonly tried: { times: number };
}

/**
 * Makes one queue of those of a pool's clients: calls that wait in one client are handed back where another would send them sooner. The last
 * one is handed back for a client that knows no limit and has no first call: it loses no place if that client holds it back, too.
 */
export class Rebalancer {
  readonly #clock: Clock;
  /** In the order in which they were handed over. */
  readonly #handed = new Set<HandedCall>();
  #cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A call was handed over. */
  add(call: HandedCall): void {
    this.#handed.add(call);
    this.#cancel ??= this.#clock.timer(CHECK_MS, () => this.#check());
  }

  /** A call is over, or was handed back. */
  remove(call: HandedCall): void {
    this.#handed.delete(call);
    if (this.#handed.size > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #check(): void {
    this.#cancel = this.#clock.timer(CHECK_MS, () => this.#check());
    const isMovable = ({ member, signal, tried }: HandedCall) =>
      tried.times < MOST_TRIED && member.access?.queue.isWaiting(signal);
    const waiting = [...this.#handed].filter(isMovable);
    for (const [member, calls] of Map.groupBy(waiting, (call) => call.member)) {
      // Those of a priority are in order.
      calls.sort((one, other) => other.plan.priority - one.plan.priority);
      this.#relieve(member, calls.slice(0, MOST_CHECKED));
    }
    const last = waiting.at(-1);
    const now = this.#clock.now();
    if (last?.others.some((one) => !one.first && one.answersIn(last.plan, now) === undefined)) withdraw(last);
  }

  /** Withdraws the calls that another client would send sooner, the first first. */
  #relieve(member: Member, calls: readonly HandedCall[]): void {
    const places = member.access?.queue.sentAt(calls.map(({ plan }) => plan));
    // While no answer has told the limits, it is not known when a call will be sent.
    if (!places && member.first && !member.isLate) return;
    const moved: HandedCall[] = [];
    let soonest = new Map<string, number>();
    for (const [nth, call] of calls.entries()) {
      const kind = JSON.stringify(call.plan);
      const otherwise = soonest.get(kind) ?? soonestOf(call, moved);
      soonest.set(kind, otherwise);
      // Each call that is moved lets those behind it move up one place.
      const here = places ? (places[nth - moved.length] ?? 0) - this.#clock.now() : Infinity;
      if (otherwise === Infinity || here - otherwise <= WORTH_MS) continue;
      moved.push(call);
      soonest = new Map();
      if (moved.length >= MOST_MOVED) break;
    }
    moved.forEach(withdraw);
  }
}

function withdraw({ member, signal, tried }: HandedCall): void {
  if (member.access?.queue.withdraw(signal, WITHDRAWN)) tried.times++;
}

/** How long until another client would send a call, behind those that it is about to get, in milliseconds; Infinity: that is not known. */
function soonestOf({ plan, others }: HandedCall, moved: readonly HandedCall[]): number {
  const behind = { ...plan, count: 1 + moved.length };
  return Math.min(...others.map(({ client }) => client.estimate(behind).ms ?? Infinity));
}
