import { type Batch, slidOut, withoutUnits, withUnits } from './batches.ts';
import type { WindowAsk } from './store.ts';
import { mostClaimed, numbered, PARTS } from './store-rules.ts';

/** The stored part of a window instance. */
export interface WindowRecord {
  readonly claimed: number;
  /** Units that the service counted beyond all claims. */
  readonly strangers: number;
  /** The highest reading of any process: usage is no less, whatever is returned. */
  readonly reading: number;
  /** Units that are left, in thousandths, of what was used of the steps before, when the step begins at the latest. */
  readonly carried?: number;
  /** What was claimed of slots that count in this instance and not in the next, and has not slid out; absent: nothing. Earliest first. */
  readonly batches?: readonly Batch[];
}

/** One window instance during an ask. */
export class MemoryWindow {
  readonly ask: WindowAsk;
  claimed: number;
  strangers: number;
  isChanged = false;
  #reading: number;
  readonly #before: MemoryWindow | undefined;
  #next: MemoryWindow | undefined;
  #carried: number;
  /** Units of the steps before that count in it: none of them may have drained since the last of these steps began. */
  #over: number;
  /** The next instance of a window that slides. */
  #later: MemoryWindow | undefined;
  /** Whether it is the next of another one. */
  isLater = false;
  #batches: readonly Batch[];

  /** @param named - the window named before it. */
  constructor(ask: WindowAsk, record: WindowRecord | undefined, named: MemoryWindow | undefined) {
    this.ask = ask;
    this.#batches = record?.batches ?? [];
    this.#before = ask.drain ? named : undefined;
    if (this.#before) this.#before.#next = this;
    const carried = ask.drain === undefined ? 0 : (record?.carried ?? 0);
    this.#carried = carried > PARTS * mostClaimed(ask.limit) ? 0 : carried;
    this.#over = Math.ceil(this.#carried / PARTS);
    this.claimed = record?.claimed ?? 0;
    this.strangers = record?.strangers ?? 0;
    const known = record && record.reading <= ask.limit ? record.reading : 0;
    const told = ask.bounds === 'above' ? known : ask.reading;
    this.#reading = Math.max(known, told);
    this.isChanged = told > known;
    // The limit may have changed since the record was made.
    if (this.claimed > mostClaimed(ask.limit)) {
      this.claimed = 0;
      this.strangers = this.#reading;
      this.isChanged = true;
    } else if (this.strangers > ask.limit) {
      this.strangers = 0;
      this.isChanged = true;
    }
    // Its reading counts all steps before it, which a step that is named first does not.
    if (ask.drain !== undefined && !this.#before) this.#reading = 0;
  }

  get used(): number {
    return this.claimed + this.strangers + this.#over;
  }

  /** Units available to the ask, whatever the steps after it hold. */
  get room(): number {
    return this.ask.limit - this.ask.kept - this.used;
  }

  /** Units available to the ask: what is used of a step counts in those after it. */
  get roomOfAll(): number {
    return this.#next ? Math.min(this.room, this.#next.roomOfAll) : this.room;
  }

  /** Units available beyond half of the limit, for calls that are only expected. */
  get plenty(): number {
    return this.roomOfAll - Math.ceil(this.ask.limit / 2);
  }

  get record(): WindowRecord {
    const { claimed, strangers } = this;
    const carried = this.ask.drain === undefined ? {} : { carried: this.#carried };
    const batches = this.#batches.length > 0 ? { batches: this.#batches } : {};
    return { claimed, strangers, reading: this.#reading, ...carried, ...batches };
  }

  /** Changes the claims by `more`. New claims are subtracted from strangers: units spent without a grant were counted there. */
  book(more: number): void {
    this.#claim(more);
    if (more > 0) this.strangers = Math.max(0, this.strangers - more);
  }

  grant(units: number): void {
    this.#claim(units);
    this.#next?.carryOn();
  }

  /** Takes over what has not drained of the step before, and so do the steps after it. */
  carryOn(): void {
    this.#carry();
    this.#next?.carryOn();
  }

  /**
   * Applies the reading: units beyond all claims are strangers'; where it bounds usage from above, claims that were not counted are removed, but
   * for `recent` ones. No reading tells when strangers' units slide out: by a recent one they count in the instances after it, too. `before`: those
   * of the ones before it.
   */
  hear(recent: number, before = 0): void {
    this.#carry();
    const isBound = this.ask.bounds !== 'below';
    const beyond = Math.max(before, this.#reading - this.used);
    this.strangers += beyond;
    this.#later?.hear(recent, isBound ? beyond : before);
    const most = isBound ? Math.max(this.#reading, this.ask.reading) + recent : Infinity;
    const excess = Math.max(0, this.used - most);
    const ofStrangers = Math.min(excess, this.strangers);
    this.strangers -= ofStrangers;
    this.claimed -= excess - ofStrangers;
    this.isChanged ||= beyond + excess > 0;
  }

  /** Names the next instance of a window that slides. */
  precede(later: MemoryWindow): void {
    this.#later = later;
    later.isLater = true;
  }

  /** Records that the claims of a slot that counts in these windows, and ends at `to`, change by `more`. */
  touch(counts: ReadonlySet<MemoryWindow>, more: number, to: number): void {
    if (this.ask.slidBy === undefined || (this.#later && counts.has(this.#later))) return;
    const batches = this.#batches;
    this.#batches = more > 0 ? withUnits(batches, more, to) : withoutUnits(batches, -more, to);
    this.isChanged = true;
  }

  /** Units that it holds and the next instance does not, and that have slid out by then. */
  outBy(slidBy: number): number {
    const later = this.#later;
    if (!later) return 0;
    const held = Math.max(0, Math.min(this.claimed - later.claimed, this.used - later.used));
    return slidOut(this.#batches, held, slidBy);
  }

  /** How long until it has room for so many units by what slides out, in milliseconds; 0: the next instance takes longer; Infinity: that is not known. */
  freeMs(need: number): number {
    const { slidBy } = this.ask;
    if (slidBy === undefined) return Infinity;
    if (this.#later && this.#later.roomOfAll < need) return 0;
    const units = need - this.roomOfAll;
    const enough = this.#batches.find(({ to }) => this.outBy(to) >= units);
    return enough ? Math.max(0, enough.to - slidBy) : Infinity;
  }

  /** Takes off units that have slid out, and their batches: readings may have counted them. */
  slideOut(units: number): void {
    const { slidBy } = this.ask;
    if (!this.#later || slidBy === undefined) return;
    const batches = this.#batches.filter(({ to }) => to > slidBy);
    if (batches.length === this.#batches.length) return;
    this.#batches = batches;
    this.claimed -= units;
    this.#reading = Math.max(0, this.#reading - units);
    this.isChanged = true;
  }

  #carry(): void {
    if (!this.#before || this.ask.drain === undefined) return;
    const own = PARTS * (this.#before.claimed + this.#before.strangers);
    this.#over = Math.ceil((own + this.#before.#carried) / PARTS);
    const carried = own + Math.max(0, this.#before.#carried - this.ask.drain);
    if (carried === this.#carried) return;
    this.#carried = carried;
    this.isChanged = true;
  }

  #claim(more: number): void {
    this.claimed = Math.min(Math.max(0, this.claimed + more), mostClaimed(this.ask.limit));
    this.isChanged = true;
  }
}

/** Tells each instance of a window that slides the next one. */
export function joinInstances(windows: readonly MemoryWindow[]): void {
  const byName = new Map<string, MemoryWindow>();
  for (const window of windows) if (window.ask.slidBy !== undefined) byName.set(window.ask.name, window);
  for (const [name, window] of byName) {
    const [kind, number] = numbered(name);
    const later = byName.get(`${kind}${number + 1}`);
    if (later) window.precede(later);
  }
}

/** Takes off what has slid out of the first instances, by what they held before. */
export function slideOut(windows: readonly MemoryWindow[]): void {
  const out = windows.map((window) => window.outBy(window.ask.slidBy ?? 0));
  windows.forEach((window, index) => {
    window.slideOut(out[index] ?? 0);
  });
}
