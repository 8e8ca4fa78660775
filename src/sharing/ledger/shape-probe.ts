import type { WindowNews } from '../../quota/share-limit.ts';
import { startOf } from '../../quota/time/periods.ts';
import type { Slot } from '../slots/slots.ts';
import type { TimeRange } from '../slots/timeline.ts';
import type { Instance } from '../slots/window.ts';
import type { SharedWindows } from '../slots/windows.ts';

/** Busy processes ask for no units of this beginning of a second that is probed, in milliseconds. */
const LULL_MS = 400;

/** Each process probes at most so many seconds of a round: the first ones, so that all leave the same beginnings empty. */
const SECONDS = 6;
const ROUND_MS = 20_000;

/** After so many rounds that showed nothing a process probes in one of so many, by the service's time, which is the same one for all. */
const ROUNDS = 3;
const SELDOM = 8;

/** A first request that was sent sooner after the beginning of its second shows too little, in milliseconds. */
const SOON_MS = 200;

/** Units of a second that are left to the probe: of its end, and of the next beginning. */
const UNITS = 2;

/** A process's turn to probe. */
interface Turn {
  /** When the second ends, by the timeline. */
  readonly end: number;
  asked: number;
}

/**
 * Finds out whether the window `second` is the calendar's while all processes send. For some seconds busy processes leave the beginning
 * of each second empty. A process whose reading counts its own request alone was the first in its second: the readings of one more unit of its end
 * and one of the beginning of the next tell the calendar from every other shape.
 */
export class ShapeProbe {
  readonly #windows: SharedWindows;
  #seconds = 0;
  #rounds = 0;
  #round = -Infinity;
  #last = Number.NaN;
  #turn: Turn | undefined;
  #slides = false;

  constructor(windows: SharedWindows) {
    this.#windows = windows;
  }

  /** Whether the second may be the calendar's or not, and this process has not probed for long in this round of the service's time. */
  isOn(time: number): boolean {
    const isOpen = this.#windows.of('second')?.isCalendarInDoubt(this.#slides) === true;
    const round = Math.floor(time / ROUND_MS);
    if (!isOpen) this.#rounds = 0;
    else if (round > this.#round && this.#seconds > 0) this.#rounds++;
    if (!isOpen || round > this.#round) this.#seconds = 0;
    this.#round = Math.max(this.#round, round);
    const isTurn = this.#rounds < ROUNDS || round % SELDOM === 0;
    return isOpen && isTurn && this.#seconds < SECONDS;
  }

  /** No look will rule out that the second slides: the same readings may, because only then they count what came before a lull. */
  replaceLooks(): void {
    this.#slides = true;
  }

  /** Units of an instance to leave to the process that probes. */
  kept({ window, limit }: Instance): number {
    return window.isCalendarInDoubt(this.#slides) ? Math.min(UNITS, limit - 1) : 0;
  }

  /** Leaves out the slots that reach into the beginning of a second, unless there are no others. */
  filter(slots: readonly Slot[]): readonly Slot[] {
    const left = slots.filter(({ from, to }) => {
      const start = startOf('second', from);
      return from >= start + LULL_MS && to <= start + 1_000;
    });
    const [first] = left;
    if (!first) return slots;
    const start = startOf('second', first.from);
    if (start !== this.#last) this.#seconds++;
    this.#last = start;
    return left;
  }

  /** Records a reading; `sent`: when its request was sent, by the timeline. */
  read({ period, used, own }: WindowNews, sent: TimeRange): void {
    if (period !== 'second' || used > own || !this.isOn(sent.least)) return;
    const start = startOf('second', sent.least);
    if (sent.least >= start + SOON_MS && sent.most < start + 1_000) this.#turn = { end: start + 1_000, asked: 0 };
  }

  /** Whether this process has units to ask for. */
  isDue(arrival: TimeRange): boolean {
    const { least } = arrival;
    if (this.#turn && (!this.isOn(least) || this.#turn.asked >= UNITS || least >= this.#turn.end))
      this.#turn = undefined;
    return this.#turn !== undefined;
  }

  /** The slot to ask for, of those that come next. */
  slot(slots: readonly Slot[], arrival: TimeRange): Slot | undefined {
    const turn = this.isDue(arrival) ? this.#turn : undefined;
    if (!turn) return undefined;
    const { end } = turn;
    if (turn.asked++ > 0) return slots.find(({ from }) => from >= end);
    // Where all slots are too wide for the end of the second, the next one shows as well that usage has grown.
    return slots.findLast(({ to }) => to <= end) ?? slots[0];
  }
}
