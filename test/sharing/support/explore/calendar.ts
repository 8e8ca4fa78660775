import { aligned } from '../../../../src/quota/models/aligned.ts';
import { leaky } from '../../../../src/quota/models/leaky.ts';
import { type Slot, Slots } from '../../../../src/sharing/slots/slots.ts';
import type { TimeRange } from '../../../../src/sharing/slots/timeline.ts';
import type { Instance } from '../../../../src/sharing/slots/window.ts';
import { SharedWindows } from '../../../../src/sharing/slots/windows.ts';
import { BEGIN, exactly } from '../small.ts';
import type { Small } from './rules.ts';

/** An instant of any slot, from its beginning. */
const WITHIN = 50;

/** Units of a bucket, of which one drains in each step, and the length of a step in milliseconds. */
export const BUCKET = 30;
const STEP_MS = 2_000;

/** The slots that stand for the seconds of a small world, and the windows that they count in. */
export class Calendar {
  readonly slots: readonly Slot[];
  /** The slot in which a request counts that arrives in a second or in the one after. */
  readonly wide: readonly Slot[];
  /** The steps of a bucket, all of which each ask names. */
  readonly steps: readonly Instance[];
  /** All windows by name; those of a slot are among them. */
  readonly instances: ReadonlyMap<string, Instance>;
  /** What is used before the world begins, in its first second. */
  readonly usedBefore: number;

  constructor(small: Small) {
    const windows = new SharedWindows({ isDated: true });
    if (small.isBucket) windows.open('minute', BUCKET, { alive: [leaky], epoch: 0 });
    else {
      windows.open('second', small.limit, { alive: [small.estimated?.takenFor ?? aligned], epoch: 0 });
      windows.open('minute', small.long, { alive: [aligned], epoch: 0 });
    }
    const slots = new Slots(windows);
    const apart = small.isBucket ? STEP_MS : (small.estimated?.tenthsApart ?? 10) * 100;
    const first = small.lastOfMinute === undefined ? BEGIN : BEGIN - (small.lastOfMinute + 1) * apart;
    const from = Array.from({ length: small.seconds + 2 }, (_, second) => first + second * apart + WITHIN);
    this.slots = from.map((least) => evenly(slots.at(exactly(least))));
    this.wide = from.map((least) => evenly(slots.at({ least, most: least + apart })));
    const range = { least: from[0] ?? 0, most: this.wide.at(-1)?.to ?? 0 };
    this.steps = [...windows].flatMap((window) => window.steps(range));
    const all = small.isBucket ? this.steps : this.slots.flatMap(({ instances }) => instances);
    this.instances = new Map(all.map((instance) => [instance.name, instance]));
    this.usedBefore = Math.max(0, ...this.steps.map(({ limit }) => limit - small.limit));
  }

  /** What is used of each window. */
  spentOf(sent: readonly number[]): Map<string, number> {
    const spent = new Map<string, number>();
    // What is left when the step before begins at the latest, and what was sent in that one.
    let [left, last] = [0, 0];
    for (const { name } of this.steps) {
      const second = this.slots.findIndex(({ instances }) => instances[0]?.name === name);
      const own = (sent[second] ?? 0) + (second === 0 ? this.usedBefore : 0);
      spent.set(name, left + last + own);
      [left, last] = [Math.max(0, left - 1) + last, own];
    }
    if (spent.size > 0) return spent;
    sent.forEach((count, second) => {
      for (const { name } of this.slots[second]?.instances ?? []) spent.set(name, (spent.get(name) ?? 0) + count);
    });
    return spent;
  }
}

/** When a request arrives that is sent in a slot. */
export function arrivalIn({ from }: Slot): TimeRange {
  return exactly(from + WITHIN);
}

/** Requests of one unit leave all of an even step that they may not use, so here it is its limit. */
function evenly(slot: Slot): Slot {
  return { ...slot, instances: slot.instances.map((one) => ({ ...one, limit: one.units ?? one.limit })) };
}
