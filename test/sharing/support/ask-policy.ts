import type { Asked, Outcome } from '../../../src/sharing/ledger/room.ts';
import { type Slot, Slots } from '../../../src/sharing/slots/slots.ts';
import type { Instance } from '../../../src/sharing/slots/window.ts';
import type { SharedWindows } from '../../../src/sharing/slots/windows.ts';
import { BEGIN, exactly } from './small.ts';

/** The timeline shows what our clock shows. */
export const NOW: number = BEGIN + 100;

/** An ask for five units of the present slot and the three after it. */
export function asked(windows: SharedWindows, rest: Partial<Asked> = {}): Asked {
  const slots = new Slots(windows);
  const all = [slots.at(exactly(NOW)), ...slots.after(exactly(NOW), 3)];
  return { want: 5, need: 1, slots: all, kept: () => 0, also: [], isSparing: false, isNear: false, ...rest };
}

/** An answer that grants so much of each slot. */
export function outcome(granted: readonly number[], { slots }: Asked, used: (instance: Instance) => number): Outcome {
  return { granted: (slot: Slot) => granted[slots.indexOf(slot)] ?? 0, used, surely: (time) => time, others: 0 };
}

/** All of an instance is used. */
export const full = ({ limit }: Instance): number => limit;
