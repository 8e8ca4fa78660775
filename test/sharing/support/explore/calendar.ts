import { aligned } from '../../../../src/quota/models/aligned.ts';
import { type Slot, Slots } from '../../../../src/sharing/slots.ts';
import type { TimeRange } from '../../../../src/sharing/timeline.ts';
import { SharedWindows } from '../../../../src/sharing/windows.ts';
import { BEGIN, exactly } from '../small.ts';
import type { Small } from './rules.ts';

/** An instant of any slot, from its beginning. */
const WITHIN = 50;

/** The slots that stand for the seconds of a small world, and the windows that they count in. */
export class Calendar {
  readonly slots: readonly Slot[];
  /** The windows by name, with their limits; the windows of a slot are among them. */
  readonly limits: ReadonlyMap<string, number>;

  constructor(small: Small) {
    const windows = new SharedWindows();
    windows.open('second', small.limit, { alive: [small.estimated?.takenFor ?? aligned], epoch: 0 });
    windows.open('minute', small.long, { alive: [aligned], epoch: 0 });
    const slots = new Slots(windows);
    const apart = (small.estimated?.tenthsApart ?? 10) * 100;
    const first = small.lastOfMinute === undefined ? BEGIN : BEGIN - (small.lastOfMinute + 1) * apart;
    this.slots = Array.from({ length: small.seconds + 2 }, (_, second) =>
      slots.at(exactly(first + second * apart + WITHIN)),
    );
    this.limits = new Map(this.slots.flatMap(({ instances }) => instances.map(({ name, limit }) => [name, limit])));
  }

  /** What was sent in each window. */
  spentOf(sent: readonly number[]): Map<string, number> {
    const spent = new Map<string, number>();
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
