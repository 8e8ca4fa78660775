import type { TimeRange } from './timeline.ts';
import type { Instance } from './window.ts';
import type { SharedWindows } from './windows.ts';

/** Quantum of slots: a second, or a tenth while the window `second` may slide. In milliseconds. */
const QUANTUM_MS = 1_000;
const FINE_QUANTUM_MS = 100;

/** A slot that begins later than this from now counts as over: the clock was set back. In milliseconds. */
const FAR_MS = 10_000;

/** A slot must be wide enough that requests sent during at least this part of a quantum certainly arrive within it. */
const USEFUL_PART = 0.3;

/** A stretch of time, and all window instances in which a request that arrives during it may be counted. */
export interface Slot {
  readonly name: string;
  /** When it begins and ends, in milliseconds since the Unix epoch by the timeline. */
  readonly from: number;
  readonly to: number;
  readonly instances: readonly Instance[];
}

/** Whether a request that arrives within this range certainly arrives within the slot. */
export function covers(slot: Slot, { least, most }: TimeRange): boolean {
  return slot.from <= least && most < slot.to;
}

/** Whether a request sent now can no longer certainly arrive within the slot: it has passed, or the clock was set back. */
export function isOver(slot: Slot, { least, most }: TimeRange): boolean {
  return slot.to <= most || slot.from > least + FAR_MS;
}

/** Divides time into slots. */
export class Slots {
  readonly #windows: SharedWindows;

  constructor(windows: SharedWindows) {
    this.#windows = windows;
  }

  /** Whether slots are seconds: the window `second`, if any, is the calendar's. */
  get areSeconds(): boolean {
    return this.#windows.of('second')?.isCalendar ?? true;
  }

  /** The smallest length of a slot, in milliseconds. */
  get quantum(): number {
    return this.areSeconds ? QUANTUM_MS : FINE_QUANTUM_MS;
  }

  /** The narrowest slot that covers this range. Each request of it arrives at an instant that is uncertain by `vagueMs`. */
  at({ least, most }: TimeRange, vagueMs: number = most - least): Slot {
    const { quantum } = this;
    return this.#make(Math.floor(least / quantum), Math.floor(most / quantum), vagueMs);
  }

  /** The next `count` slots, each wide enough for an arrival time that is uncertain by `most - least`. */
  after({ least, most }: TimeRange, count: number): Slot[] {
    const { quantum } = this;
    const width = Math.ceil((most - least) / quantum + USEFUL_PART);
    const begin = Math.floor(least / quantum) + 1;
    return Array.from({ length: count }, (_, index) =>
      this.#make(begin + index, begin + index + width - 1, most - least),
    );
  }

  #make(first: number, last: number, vagueMs: number): Slot {
    const { quantum } = this;
    const [from, to] = [first * quantum, (last + 1) * quantum];
    const range = { least: from, most: to - 1 };
    return {
      name: `${this.areSeconds ? '' : 'f'}${first}${last > first ? `+${last - first}` : ''}`,
      ...{ from, to },
      instances: [...this.#windows].flatMap((window) => window.instances(range, vagueMs)),
    };
  }
}
