import type { Discovery } from './facts/discovery.ts';
import { type FullWindow, SURE_MS } from './ledger/ask-policy.ts';
import type { CallNeeds, Demand } from './ledger/call-needs.ts';
import type { Ledger } from './ledger/ledger.ts';

/** Waiting calls that a process must have to look at a window in doubt: fewer reveal nothing. */
const BACKLOG = 4;

/** What the waiting calls of this process lack, when to ask for it, and when it may be there. */
export class Shortage {
  readonly #needs: CallNeeds;
  readonly #ledger: Ledger;
  readonly #discovery: Discovery;

  constructor(needs: CallNeeds, ledger: Ledger, discovery: Discovery) {
    this.#needs = needs;
    this.#ledger = ledger;
    this.#discovery = discovery;
  }

  /** What to ask for. */
  demand(now: number): Demand {
    const passed = this.#needs.passed(now);
    const held = passed && this.#ledger.holds(passed.units, now) ? passed : undefined;
    // A call that is passed goes first, unless it has its units or cannot have any, so that no other delays it.
    const next = passed && !held && !this.#isCheaper(now) ? passed : this.#needs.first;
    const needed = this.#needs.demand(next, held, this.#ledger.policy.isBusy(now));
    const demand = { ...needed, want: needed.want && needed.want + this.#ledger.heldUp(now) };
    // During a look this process sends without units, so it returns those that it holds: both together would be too many.
    return this.#discovery.isAlone(now) ? { ...demand, want: 0, isAlone: true } : demand;
  }

  /** When to ask for units ahead of any call; Infinity while one waits, which asks itself where it lacks any. */
  asksAheadAt(now: number): number {
    const { want, isAlone } = this.demand(now);
    return isAlone || want > 0 ? Infinity : this.#ledger.planner.asksAheadAt(now);
  }

  /** Whether calls wait for more units than are held. */
  isNow(now: number): boolean {
    if (this.#ledger.isNew) return false;
    const { units, isUrgent } = this.#needs.first;
    // Units of a later slot do not help an urgent call, and those of several slots no call that needs as much of one.
    const isHeld = isUrgent ? this.#ledger.left(now) >= units : this.#ledger.holds(units, now);
    return this.demand(now).want > (isHeld ? this.#ledger.held(now) : 0);
  }

  /** Whether calls lack units, and these are to be asked for now. */
  isAskDue(now: number): boolean {
    if (!this.isNow(now)) return false;
    // An urgent call asks for no unit that shows a shape.
    const isProbing = !this.#needs.first.isUrgent && this.#ledger.choice.isProbing(now);
    return isProbing || now >= this.#asksAt(now);
  }

  /** The instant at which units may be there, or are to be asked for. */
  endsAt(now: number): number {
    const nextHeld = this.#ledger.nextHeld(now);
    // Where enough is held for later slots nothing is asked for.
    const at = this.isNow(now) ? Math.min(nextHeld, this.#mayAskAt(now)) : nextHeld;
    return at === Infinity ? this.#ledger.nextSlot(now) : Math.max(now + 1, at);
  }

  /** Whether to ask for a look: calls wait that a window unknown or in doubt holds back. `isUnlimited`: there is no window to learn. */
  isLookDue(isUnlimited: boolean, waiting: number, now: number): boolean {
    if (!this.#discovery.mayAsk(now)) return false;
    if (this.#ledger.isNew) return !isUnlimited && waiting > 0;
    // While a longer window is full a look reveals nothing, and its first request would be refused: by one answer, too.
    if (!this.#ledger.needsLook(now) || this.#ledger.seemsFull(now)) return false;
    return this.#discovery.isLooking(now) ? waiting > 0 : this.#ledger.policy.isLimited && waiting >= BACKLOG;
  }

  /**
   * Whether cheaper calls pass the first: it has units of a later slot, what is left of a window is of no use to it, or it waits for a second. Where a
   * longer window may have nothing for it, it waits in its place, where its patience ends.
   */
  isPassed(now: number): boolean {
    const { units, isUrgent } = this.#needs.first;
    const { policy } = this.#ledger;
    if (units <= 1) return false;
    return this.#ledger.holds(units, now) || policy.isPassing(now) || (!isUrgent && !!this.full(now)?.need);
  }

  /** The window that is full; none where the first call would fail although it may get a unit that is kept, or given back in time. */
  full(now: number): FullWindow | undefined {
    const full = this.#isCheaper(now) ? undefined : this.#ledger.full(now);
    if (!full || this.#ledger.timeline.surely(full.end, now) - now <= this.#needs.first.maxWaitMs) return full;
    return full.isKept || !this.#isSure(full) ? undefined : full;
  }

  /** Whether the first call certainly lacks units of a window: asking for them again is all that is left. */
  isCertain(now: number): boolean {
    const full = this.full(now);
    return (full !== undefined && this.#isSure(full)) || this.#ledger.policy.isLacking;
  }

  /** Whether a second answer has shown a window full, too, or the first call cannot wait for one. */
  #isSure({ since, at }: FullWindow): boolean {
    return at - since >= SURE_MS || this.#needs.first.maxWaitMs < SURE_MS;
  }

  /** When to ask for what calls lack: at the end of a window that is full until then. */
  #mayAskAt(now: number): number {
    const full = this.full(now);
    return full ? this.#ledger.timeline.surely(full.end, now) : this.#asksAt(now);
  }

  /** Whether the window that is full has enough for a call as cheap as the first. */
  #isCheaper(now: number): boolean {
    return this.#needs.first.units < (this.#ledger.full(now)?.need ?? 0);
  }

  #asksAt(now: number): number {
    const isSpared = this.#isCheaper(now) || (this.#ledger.full(now)?.isKept === true && !this.full(now));
    return this.#ledger.policy.nextAt(this.#ledger.held(now), this.#needs.first.isUrgent || isSpared);
  }
}
