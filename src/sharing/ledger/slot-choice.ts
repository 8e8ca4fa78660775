import type { Slot, Slots } from '../slots/slots.ts';
import type { Timeline } from '../slots/timeline.ts';
import { REACH_MS } from '../slots/window.ts';
import type { SharedWindows } from '../slots/windows.ts';
import { type AskPolicy, LONGEST_AHEAD_MS } from './ask-policy.ts';
import type { Demand } from './call-needs.ts';
import type { ShapeProbe } from './shape-probe.ts';

/** The smallest part of a slot granted to a needy process, in units. */
export const CHUNK = 4;

/**
 * Maximum number of slots in one ask, and in one for a costly call, where slots are tenths of a second: other processes may hold what has room in the
 * first twelve, and a unit counts in the stretches of the eleven after its slot.
 */
const MOST_SLOTS = 12;
const MOST_COSTLY: number = 2 * MOST_SLOTS;

/** Chooses the slots of which units are asked for. */
export class SlotChoice {
  readonly #slots: Slots;
  readonly #windows: SharedWindows;
  readonly #timeline: Timeline;
  readonly #policy: AskPolicy;
  readonly #probe: ShapeProbe;
  #askFrom = -Infinity;
  /** Slots that begin before it may have been granted to other processes by a store that has lost its memory. */
  #unknownUntil = -Infinity;

  constructor(slots: Slots, windows: SharedWindows, timeline: Timeline, policy: AskPolicy, probe: ShapeProbe) {
    this.#slots = slots;
    this.#windows = windows;
    this.#timeline = timeline;
    this.#policy = policy;
    this.#probe = probe;
  }

  /** The time until which what a store that lost its memory has granted is unknown. */
  get unknownUntil(): number {
    return this.#unknownUntil;
  }

  /** From now on, only slots that begin at this instant or later are asked for. */
  askFrom(now: number): void {
    this.#askFrom = this.#timeline.at(now).most;
  }

  /** Records that slots which begin before this instant may have been granted to other processes. */
  mistrust(until: number): void {
    this.#unknownUntil = this.#timeline.at(until).most;
  }

  /** Records that the store knows again what is granted. */
  trust(): void {
    this.#unknownUntil = -Infinity;
  }

  /** How far ahead the present number of needy processes asks for slots, in milliseconds. */
  aheadMs(now: number): number {
    const size = this.#windows.smallest;
    const processes = this.#policy.others(now) + 1;
    const part = Math.max(CHUNK, Math.ceil(size / processes));
    return Math.min(LONGEST_AHEAD_MS, Math.ceil((processes * part) / Math.max(1, size)) * 1_000);
  }

  /** How far ahead other processes may hold units, in milliseconds: of tenths of a second as far as a costly call asks. */
  heldAheadMs(now: number): number {
    return this.#slots.areSeconds ? this.aheadMs(now) : LONGEST_AHEAD_MS;
  }

  /**
   * The slots to ask for at `now`. A single call asks for the slot it arrives in, even if that slot spans a boundary, and for the next one
   * unless the first surely has room; after a grant that was too small, a slot wider than the following ones is skipped, because its
   * units count in more windows.
   */
  wished(demand: Demand, isCalm: boolean, now: number): readonly Slot[] {
    const arrival = this.#timeline.arrival(now);
    const present = this.#slots.at(arrival);
    const from = this.#heldBackUntil(arrival.most);
    const isMany = this.#isMany(demand);
    if (!isMany && present.from >= from && this.#policy.isAmple(now)) return [present];
    const usual = Math.min(MOST_SLOTS, Math.ceil(this.aheadMs(now) / this.#slots.quantum));
    // More would be refused where the second is estimated.
    const isFar = demand.need > 1 && !this.#slots.areSeconds && present.instances.every(({ units }) => !units);
    const most = isFar ? MOST_COSTLY : usual;
    const count = isMany ? most : 1;
    const following = this.#slots.after(arrival, count);
    const isWide = present.to - present.from > (following[0]?.to ?? 0) - (following[0]?.from ?? 0);
    const slots = this.#policy.isLimited && isWide ? following : [present, ...following];
    if (present.from < from)
      return this.#slots.after({ least: from, most: from + arrival.most - arrival.least }, count);
    return isCalm ? this.#probe.filter(slots) : slots;
  }

  /** The one slot of the calls that are expected within `forMs`; none while it is held back. */
  expected(forMs: number, now: number): Slot | undefined {
    const { least, most } = this.#timeline.arrival(now);
    const slot = this.#slots.at({ least, most: most + forMs }, most - least);
    return slot.from < this.#heldBackUntil(most) ? undefined : slot;
  }

  /** The slot whose unit shows the shape of the second; none while this process has none to ask for. */
  probing(now: number): Slot | undefined {
    const arrival = this.#timeline.arrival(now);
    return this.isProbing(now) ? this.#probe.slot(this.#slots.after(arrival, MOST_SLOTS), arrival) : undefined;
  }

  /** Whether units are to be asked for that show the shape of the second. */
  isProbing(now: number): boolean {
    return this.#policy.isBusy(now) && this.#probe.isDue(this.#timeline.arrival(now));
  }

  /** Whether the shape of the second may be found out while all processes send. */
  isProbed(now: number): boolean {
    return this.#timeline.isSharp(now) && this.#probe.isOn(this.#timeline.at(now).least);
  }

  /** Whether the beginnings of seconds are left empty: only by a process whose calls wait anyway. */
  isCalm(demand: Demand, now: number): boolean {
    return this.#isMany(demand) && this.#policy.isBusy(now) && this.isProbed(now);
  }

  #isMany({ want, need }: Demand): boolean {
    return want > need || this.#policy.isLimited;
  }

  /** No slot that begins before this time is asked for. One that no process can hold yet does not count: the clock was set back. */
  #heldBackUntil(latest: number): number {
    const until = Math.max(this.#askFrom, this.#unknownUntil);
    return until > latest + REACH_MS ? -Infinity : until;
  }
}
