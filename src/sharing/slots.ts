import type { TimeRange } from './timeline.ts';
import type { Instance, SharedWindows } from './windows.ts';

/** Slots are measured in seconds, and in tenths while a window of a second may slide. In milliseconds. */
const QUANTUM_MS = 1_000;
const FINE_QUANTUM_MS = 100;

/** No slot is asked for that begins later than this from now, in milliseconds. */
const FAR_MS = 10_000;

/** A slot is of use if requests can surely arrive within it for at least this part of a quantum. */
const USEFUL_PART = 0.3;

/** A stretch of time in which requests may arrive, and all instances of windows in which they may be counted then. */
export interface Slot {
  readonly name: string;
  /** When it begins and ends, in milliseconds since the Unix epoch by the timeline. */
  readonly from: number;
  readonly to: number;
  readonly instances: readonly Instance[];
}

/** Whether a request that arrives in this range surely arrives in the slot. */
export function covers(slot: Slot, { least, most }: TimeRange): boolean {
  return slot.from <= least && most < slot.to;
}

/** Whether no request can be sent any more that surely arrives in the slot: it is past, or the clock was set back. */
export function isOver(slot: Slot, { least, most }: TimeRange): boolean {
  return slot.to <= most || slot.from > least + FAR_MS;
}

/** Cuts time into slots. */
export class Slots {
  readonly #windows: SharedWindows;

  constructor(windows: SharedWindows) {
    this.#windows = windows;
  }

  /** How finely time is cut, in milliseconds. */
  get quantum(): number {
    const second = this.#windows.of('second');
    return second && !second.isCalendar ? FINE_QUANTUM_MS : QUANTUM_MS;
  }

  /** The narrowest slot in which a request surely arrives that arrives in this range. */
  at({ least, most }: TimeRange): Slot {
    const { quantum } = this;
    return this.#make(Math.floor(least / quantum), Math.floor(most / quantum));
  }

  /** The `count` slots that follow, each so wide that it can be used, where a request may arrive within `most - least`. */
  after({ least, most }: TimeRange, count: number): Slot[] {
    const { quantum } = this;
    const width = Math.ceil((most - least) / quantum + USEFUL_PART);
    const begin = Math.floor(least / quantum) + 1;
    return Array.from({ length: count }, (_, index) => this.#make(begin + index, begin + index + width - 1));
  }

  #make(first: number, last: number): Slot {
    const { quantum } = this;
    const [from, to] = [first * quantum, (last + 1) * quantum];
    const range = { least: from, most: to - 1 };
    return {
      name: `${quantum === QUANTUM_MS ? '' : 'f'}${first}${last > first ? `+${last - first}` : ''}`,
      ...{ from, to },
      instances: [...this.#windows].flatMap((window) => window.instances(range)),
    };
  }
}
