import { describe, expect, it } from 'vitest';
import { slidingLog } from '../../../src/quota/models/sliding-log.ts';
import { covers, isOver, Slots } from '../../../src/sharing/slots/slots.ts';
import { SharedWindows } from '../../../src/sharing/slots/windows.ts';
import { BEGIN, calendar, exactly } from '../support/small.ts';

const slots = new Slots(calendar({ second: 10, minute: 100 }));

describe('slots', () => {
  it('are seconds, each in one second and one minute of the calendar', () => {
    const slot = slots.at(exactly(BEGIN + 3_400));
    expect(slot).toMatchObject({ from: BEGIN + 3_000, to: BEGIN + 4_000 });
    expect(slot.instances.map(({ name }) => name)).toEqual([`second:${BEGIN / 1_000 + 3}`, `minute:${BEGIN / 1_000}`]);
  });

  it('are tenths of seconds while a second may slide, because it is counted in steps', () => {
    const windows = new SharedWindows({ isDated: true });
    windows.open('second', 10, { alive: [slidingLog], epoch: 0 });
    const fine = new Slots(windows);
    const slot = fine.at(exactly(BEGIN + 3_450));
    expect([fine.quantum, slot.to - slot.from]).toEqual([100, 100]);
    // Not the name of a second, for other processes may know better already.
    expect(slot.name).not.toBe(slots.at(exactly(BEGIN + 3_450)).name);
  });

  it('are as wide as what is unknown of the arrival, and count in every window that they touch', () => {
    const slot = slots.at({ least: BEGIN - 20, most: BEGIN + 20 });
    expect(slot).toMatchObject({ from: BEGIN - 1_000, to: BEGIN + 1_000 });
    expect(slot.instances).toHaveLength(4);
  });

  it('that follow are one second each where a request surely arrives within one', () => {
    const following = slots.after({ least: BEGIN + 100, most: BEGIN + 200 }, 3);
    expect(following.map(({ from, to }) => [from - BEGIN, to - BEGIN])).toEqual([
      [1_000, 2_000],
      [2_000, 3_000],
      [3_000, 4_000],
    ]);
  });

  it('that follow are wider where a request may arrive within more than a second: one would be of no use', () => {
    const following = slots.after({ least: BEGIN, most: BEGIN + 900 }, 3);
    expect(following.map(({ from, to }) => to - from)).toEqual([2_000, 2_000, 2_000]);
  });

  it('cover an arrival only if all of it lies in them', () => {
    const slot = slots.at(exactly(BEGIN));
    expect(covers(slot, { least: BEGIN, most: BEGIN + 999 })).toBe(true);
    expect(covers(slot, { least: BEGIN, most: BEGIN + 1_000 })).toBe(false);
    expect(covers(slot, { least: BEGIN - 1, most: BEGIN })).toBe(false);
  });

  it('are over when nothing surely arrives in them any more, and when the clock was set back before them', () => {
    const slot = slots.at(exactly(BEGIN));
    expect(isOver(slot, { least: BEGIN + 900, most: BEGIN + 999 })).toBe(false);
    expect(isOver(slot, { least: BEGIN + 900, most: BEGIN + 1_000 })).toBe(true);
    expect(isOver(slot, exactly(BEGIN - 9_000))).toBe(false);
    expect(isOver(slot, exactly(BEGIN - 60_000))).toBe(true);
  });
});
