import type { Lease } from '../../../src/quota/admission.ts';
import { ClientWide } from '../../../src/quota/client-wide.ts';
import { readQuota } from '../../../src/quota/headers/snapshot.ts';
import type { Shape } from '../../../src/quota/models/model.ts';
import { Pacer } from '../../../src/quota/pacer.ts';
import { type Oracle, type OracleShape, oracleOf } from './oracles.ts';

/** A world so small that every order of events in it can be tried. */
export interface SmallTerms {
  readonly shape: OracleShape;
  /** Units of the window `second`. */
  readonly limit: number;
  /** Units that others have used just before the first call. Default: none. */
  readonly others?: number;
  /** How much of a window of the calendar is over at instant 0, in milliseconds. */
  readonly phaseMs?: number;
  /** Whether the service's clock is known from before. Default: only by the dates of the answers, to a second. */
  readonly isClockKnown?: boolean;
  /** Cost of each call, in units. */
  readonly costs: readonly number[];
  /** Events after which all that is under way comes to its end in order. */
  readonly depth: number;
  /** The shapes that the pacer knows. Default: all. */
  readonly shapes?: readonly Shape[];
}

/** The orders that were tried, and the first in which a rule was broken. */
export interface Tried {
  readonly orders: number;
  readonly violation?: { readonly what: string; readonly events: readonly string[] };
}

const PERIOD_MS = 1_000;

const HOUR = Date.UTC(2026, 2, 10, 12);

/** How much of a window of the calendar is over at instant 0, where a world does not say: a boundary is neither now nor at a round instant. */
const PHASE_MS = 370;

/** A known clock is known to so many milliseconds on either side. */
const VAGUE_MS = 20;

/** After this many windows every call must have been answered. */
const PATIENCE = 30;

/** Pauses that are tried, in milliseconds; besides, the time is moved to either side of the next boundary. */
const PAUSE_MS = 350;

/** A request arrives within this time of being sent: the pacer assumes 3 s. In milliseconds. */
const ARRIVES_WITHIN_MS = 2_900;

type Call = 'waiting' | 'travelling' | 'returning' | 'done';

/** One run of a world: events happen one after the other, chosen from those that can. */
class Run {
  readonly #terms: SmallTerms;
  /** What the service's clock shows at instant 0. */
  readonly #leadMs: number;
  readonly #pacer: Pacer;
  readonly #oracle: Oracle;
  readonly #calls: {
    readonly state: Call;
    readonly lease?: Lease;
    readonly answer?: { readonly headers: Headers; readonly limited: boolean; readonly isRounded: boolean };
  }[];
  /** The requests that were sent, and when they ended; last, those of others. */
  readonly #ended: { at: number; readonly units: number }[] = [];
  readonly events: string[] = [];
  #now = 0;
  #pauses = 0;
  /** Whether the next call has been told to wait, and nothing has happened since. */
  #hasWaited = false;
  #losses = 0;
  violation: string | undefined;

  constructor(terms: SmallTerms) {
    const { others = 0 } = terms;
    this.#terms = terms;
    this.#leadMs = HOUR + (terms.phaseMs ?? PHASE_MS);
    this.#pacer = new Pacer({
      clientWide: new ClientWide(4),
      leaseMs: 60_000,
      ...(terms.shapes ? { shapes: terms.shapes } : {}),
    });
    const lead = { least: this.#leadMs - VAGUE_MS, most: this.#leadMs + VAGUE_MS };
    if (terms.isClockKnown) this.#pacer.learn({ lead }, 0);
    this.#oracle = oracleOf(terms.shape, 'second', terms.limit);
    this.#calls = terms.costs.map(() => ({ state: 'waiting' }));
    if (others > 0) this.#oracle.add(others, this.#leadMs);
    // The first request is answered before the others begin: until then no limit is known, and no pacer can keep it.
    this.#send(0);
    this.#advance(7);
    this.#arrive(0);
    this.#advance(7);
    this.#ended[terms.costs.length] = { at: this.#now, units: others };
    this.#answer(0);
  }

  /** The events that can happen now. */
  get choices(): (() => void)[] {
    const choices: (() => void)[] = [];
    this.#calls.forEach(({ state }, index) => {
      if (state === 'waiting' && this.#isNext(index) && !this.#hasWaited) choices.push(() => this.#send(index));
      if (state === 'travelling') choices.push(() => this.#arrive(index));
      if (state === 'returning') choices.push(() => this.#answer(index));
      if (state === 'returning' && this.#losses === 0) choices.push(() => this.#lose(index));
    });
    const travelling = this.#calls.flatMap(({ state, lease }) => (state === 'travelling' && lease ? lease.sentAt : []));
    const mostMs = Math.min(...travelling) + ARRIVES_WITHIN_MS - this.#now;
    if (this.#pauses >= 2) return choices;
    const boundary = PERIOD_MS - ((this.#now + this.#leadMs) % PERIOD_MS);
    for (const ms of new Set([PAUSE_MS, boundary - 1, boundary + 1]))
      if (ms > 0 && ms < mostMs) choices.push(() => this.#pause(ms));
    return choices;
  }

  /** Lets everything come to its end, in order. */
  finish(): void {
    const end = this.#now + PATIENCE * PERIOD_MS;
    while (!this.violation && this.#calls.some(({ state }) => state !== 'done')) {
      if (this.#now > end) this.#break('a call waits for ever');
      this.#advance(3);
      this.#calls.forEach(({ state }, index) => {
        if (state === 'travelling') this.#arrive(index);
        if (state === 'returning') this.#answer(index);
      });
      const next = this.#calls.findIndex(({ state }) => state === 'waiting');
      if (next >= 0 && !this.#send(next)) this.#advance(40);
    }
  }

  /** Calls are sent in order. */
  #isNext(index: number): boolean {
    return this.#calls.findIndex(({ state }) => state === 'waiting') === index;
  }

  #send(index: number): boolean {
    const units = this.#terms.costs[index] ?? 1;
    const admission = this.#pacer.admit({ endpoint: 'GET /a', cost: units, maxWaitMs: Infinity }, this.#now);
    this.#note(`call ${index} asks: ${admission.kind}`);
    this.#hasWaited = admission.kind === 'wait';
    if (admission.kind === 'wait' && admission.hold.until === Infinity)
      this.#break('a call is told that it can never be sent');
    if (admission.kind !== 'granted') return false;
    this.#calls[index] = { state: 'travelling', lease: admission.lease };
    this.#ended[index] = { at: Infinity, units };
    return true;
  }

  #arrive(index: number): void {
    const units = this.#terms.costs[index] ?? 1;
    const at = this.#now + this.#leadMs;
    const limited = this.#oracle.used(at) + units > this.#terms.limit + 1e-9;
    if (!limited) this.#oracle.add(units, at);
    const left = Math.max(0, this.#terms.limit - this.#oracle.used(at));
    const told = Math.floor(left);
    const headers = new Headers({
      date: new Date(at).toUTCString(),
      'x-ratelimit-cost-stacks': `${units}`,
      'x-ratelimit-limit-stacks-second': `${this.#terms.limit}`,
      'x-ratelimit-remaining-stacks-second': `${told}`,
    });
    this.#note(`request ${index} arrives`);
    this.#calls[index] = {
      ...this.#calls[index],
      state: 'returning',
      answer: { headers, limited, isRounded: told < left },
    };
    if (limited) this.#break('a request is refused');
  }

  #answer(index: number): void {
    const { lease, answer } = this.#calls[index] ?? {};
    if (!lease || !answer) return;
    this.#note(`answer ${index} arrives`);
    const quota = readQuota(answer.headers, this.#now);
    this.#pacer.settle(lease, { kind: 'answered', quota, limited: answer.limited }, this.#now);
    // An estimate is rounded to whole units, and a rounded unit looks like one that was just used.
    if (answer.isRounded) this.#ended[this.#terms.costs.length + 1] = { at: this.#now, units: 1 };
    this.#end(index);
  }

  #lose(index: number): void {
    const { lease } = this.#calls[index] ?? {};
    if (!lease) return;
    this.#losses++;
    this.#note(`answer ${index} is lost`);
    this.#pacer.settle(lease, { kind: 'lost' }, this.#now);
    this.#end(index);
  }

  #end(index: number): void {
    this.#calls[index] = { state: 'done' };
    const ended = this.#ended[index];
    if (ended) ended.at = this.#now;
    this.#count();
  }

  /** No more is counted as used than ended within three windows, or has not: `date` tells the service's clock to a second only. */
  #count(): void {
    const [window] = this.#pacer.view(this.#now).windows;
    if (!window || window.headroom <= 0) return;
    const recent = this.#ended.filter(({ at }) => at > this.#now - 3 * PERIOD_MS);
    const units = recent.reduce((sum, each) => sum + each.units, 0);
    if (window.limit - window.headroom > units + 1e-9) this.#break('a unit is counted twice');
  }

  #pause(ms: number): void {
    this.#note(`${ms} ms pass`);
    this.#advance(ms);
    this.#pauses++;
  }

  #advance(ms: number): void {
    this.#now += ms;
  }

  #note(event: string): void {
    this.events.push(`${this.#now}: ${event}`);
    this.#hasWaited = false;
    if (!event.endsWith('pass')) this.#pauses = 0;
  }

  #break(what: string): void {
    this.violation ??= what;
  }
}

/** Tries every order of events. */
export function tryAll(terms: SmallTerms): Tried {
  const path: number[] = [];
  let orders = 0;
  for (;;) {
    const run = new Run(terms);
    const counts: number[] = [];
    for (let step = 0; step < terms.depth && !run.violation; step++) {
      const { choices } = run;
      if (choices.length === 0) break;
      counts.push(choices.length);
      path[step] ??= 0;
      choices[path[step] ?? 0]?.();
    }
    run.finish();
    orders++;
    if (run.violation) return { orders, violation: { what: run.violation, events: run.events } };
    // The next order: the last event that has another choice takes it.
    path.length = counts.length;
    while (path.length > 0 && (path.at(-1) ?? 0) + 1 >= (counts[path.length - 1] ?? 0)) path.pop();
    if (path.length === 0) return { orders };
    path[path.length - 1] = (path.at(-1) ?? 0) + 1;
  }
}
