import type { Slot } from '../slots/slots.ts';
import type { Instance } from '../slots/window.ts';

/** The demand of an ask, and the slots it asked for. */
export interface Asked {
  readonly want: number;
  readonly need: number;
  /** Earliest first. */
  readonly slots: readonly Slot[];
  readonly kept: (instance: Instance) => number;
  /** Instances that it named beside those of its slots. */
  readonly also: readonly Instance[];
  /** Whether it asked for calls, too, that are only expected. */
  readonly isSparing: boolean;
  /** Whether the store is near. */
  readonly isNear: boolean;
}

/** The answer to an ask. */
export interface Outcome {
  /** Units granted of a slot. */
  readonly granted: (slot: Slot) => number;
  /** Units of an instance claimed by all processes or used by strangers. */
  readonly used: (instance: Instance) => number;
  /** The earliest local instant at which the timeline has certainly reached a time. */
  readonly surely: (time: number) => number;
  /** Number of other needy processes. */
  readonly others: number;
  /** When what has to slide out has, by the timeline; undefined: it is not known. */
  readonly freesAt?: number | undefined;
}

/** Units that are left of an instance, but for what is kept for others. */
export function roomOf(instance: Instance, { kept }: Asked, { used }: Outcome): number {
  return leftOf(instance, used) - kept(instance);
}

/** Whether that is less than the next call needs. */
export function lacksRoom(instance: Instance, asked: Asked, outcome: Outcome): boolean {
  return roomOf(instance, asked, outcome) < leastOf(asked.need, instance);
}

/** Whether all that is left of an instance, but for the unit of a request that shows its shape, is less than the next call needs. */
export function isFull(instance: Instance, { need, slots }: Asked, { used }: Outcome): boolean {
  const from = slots[0]?.from ?? 0;
  const kept = Math.min(instance.window.keptForProbe(from), mayKeep(instance, need));
  return leftOf(instance, used) - kept < leastOf(need, instance);
}

/** Whether only the unit that is kept for that request makes an instance full, and the call may get it. */
export function isFullByProbe(instance: Instance, { need }: Asked, { used }: Outcome): boolean {
  return leftOf(instance, used) >= leastOf(need, instance) && !instance.window.isLong;
}

/** When what has to slide out of an instance has, by the timeline; undefined: it is not known. */
export function slidesOutAt({ window, slides }: Instance, { freesAt }: Outcome): number | undefined {
  return slides !== undefined && !window.isShort ? freesAt : undefined;
}

/** Until when an instance is full: what slides sooner, if a request at the beginning of the calendar's next window may show that it does not. */
export function fullUntil(instance: Instance, asked: Asked, outcome: Outcome): number {
  const probe = probesOf(asked).find(({ window }) => window === instance.window);
  return Math.min(slidesOutAt(instance, outcome) ?? instance.end, probe?.end ?? Infinity);
}

/** The instances of the calendar at whose end a request may show the shape of their window. */
export function probesOf({ slots: [first] }: Asked): readonly Instance[] {
  return first?.instances.filter(({ slides, window }) => slides === undefined && window.isProbed) ?? [];
}

/** How many units of an instance may be kept for others: a call that needs all of them does not wait for the last one. */
export function mayKeep({ limit }: Instance, need: number): number {
  return Math.max(0, limit - need);
}

/** Takes away what must be left to the calendar's window before, and to calls of higher priority: only the answer has told how much that is. */
export function renounce({ slots, kept }: Asked, granted: Map<string, number>, used: Map<string, number>): void {
  for (const { name, instances } of slots.toReversed()) {
    // Of a second, nothing that is kept changes with the answer for longer than that lasts.
    const over = instances.map((each) =>
      each.window.isShort ? 0 : (used.get(each.name) ?? 0) + kept(each) - each.limit,
    );
    const given = granted.get(name) ?? 0;
    const units = Math.min(given, Math.max(0, ...over));
    granted.set(name, given - units);
    for (const instance of instances) used.set(instance.name, (used.get(instance.name) ?? 0) - units);
  }
}

function leftOf(instance: Instance, used: Outcome['used']): number {
  return instance.limit - used(instance);
}

/** Units that the next call needs of an instance; of one of fewer units, all of them. */
function leastOf(need: number, { limit }: Instance): number {
  return Math.min(need, limit);
}
