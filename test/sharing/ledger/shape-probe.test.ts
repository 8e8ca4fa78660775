import { describe, expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { SHAPES } from '../../../src/quota/models/all.ts';
import { firstRequest } from '../../../src/quota/models/first-request.ts';
import type { Shape } from '../../../src/quota/models/model.ts';
import { ShapeProbe } from '../../../src/sharing/ledger/shape-probe.ts';
import { type Slot, Slots } from '../../../src/sharing/slots/slots.ts';
import { SharedWindows } from '../../../src/sharing/slots/windows.ts';
import { BEGIN, exactly, reading } from '../support/small.ts';

const OPEN = [aligned, firstRequest];

function probing(alive: readonly Shape[] = OPEN): { probe: ShapeProbe; windows: SharedWindows; slots: Slots } {
  const windows = new SharedWindows({ isDated: true });
  windows.open('second', 20, { alive, epoch: 0 });
  return { probe: new ShapeProbe(windows), windows, slots: new Slots(windows) };
}

/** The slots of a second from an instant on: tenths, while its shape is open. */
function following(slots: Slots, at: number): Slot[] {
  return slots.after(exactly(BEGIN + at), 12);
}

const begins = (slots: readonly Slot[]): number[] => slots.map(({ from }) => from - BEGIN);

describe('a probe of the shape of a second', () => {
  it('leaves the beginning of each second empty, unless there is nothing else', () => {
    const { probe, slots } = probing();
    expect(begins(probe.filter(following(slots, 750)))).toEqual([800, 900, 1_400, 1_500, 1_600, 1_700, 1_800, 1_900]);
    expect(begins(probe.filter(following(slots, 950).slice(0, 3)))).toEqual([1_000, 1_100, 1_200]);
    const wide = slots.after({ least: BEGIN + 650, most: BEGIN + 850 }, 12);
    expect(begins(probe.filter(wide)).filter((at) => at < 1_400)).toEqual([700]);
  });

  it('is on while a second may be the calendar’s or opened by a request, for the first six seconds of each twenty', () => {
    const round = Math.ceil(BEGIN / 20_000) * 20_000 - BEGIN;
    const isOn = (one: ShapeProbe, at: number): boolean => one.isOn(BEGIN + round + at);
    expect(isOn(probing(SHAPES).probe, 0)).toBe(false);
    expect(isOn(probing([aligned]).probe, 0)).toBe(false);
    const { probe, windows, slots } = probing();
    for (let second = 0; second < 6; second++) {
      expect(isOn(probe, second * 1_000)).toBe(true);
      // However often it asks in each.
      for (const at of [0, 100]) probe.filter(following(slots, round + second * 1_000 + at));
    }
    expect([5_100, 19_900, 20_000].map((at) => isOn(probe, at))).toEqual([false, false, true]);
    windows.open('second', 20, { alive: [aligned], epoch: 0 });
    expect(isOn(probe, 20_100)).toBe(false);
    windows.open('second', 20, { alive: OPEN, epoch: 1 });
    expect(isOn(probe, 20_200)).toBe(true);
  });

  it('is on in each eighth round alone after three that showed nothing, until the shape is open anew', () => {
    const { probe, windows, slots } = probing();
    const first = Math.ceil(BEGIN / 160_000) * 160_000 - BEGIN;
    const isOn = (round: number): boolean => {
      const at = first + round * 20_000;
      const isNow = probe.isOn(BEGIN + at);
      if (isNow) probe.filter(following(slots, at));
      return isNow;
    };
    const rounds = Array.from({ length: 17 }, (_, round) => round);
    expect(rounds.filter(isOn)).toEqual([0, 1, 2, 8, 16]);
    windows.open('second', 20, { alive: [aligned], epoch: 0 });
    expect(isOn(17)).toBe(false);
    windows.open('second', 20, { alive: OPEN, epoch: 1 });
    expect([18, 19].map(isOn)).toEqual([true, true]);
  });

  it('is on while a second may slide, too, once no look will tell', () => {
    const { probe, windows } = probing(SHAPES);
    probe.replaceLooks();
    expect(probe.isOn(BEGIN)).toBe(true);
    windows.open('second', 20, { alive: SHAPES.filter(({ isCalendar }) => !isCalendar), epoch: 0 });
    expect(probe.isOn(BEGIN)).toBe(false);
  });

  it('is of the process that was first in a second: by one unit of its end and one of the beginning of the next', () => {
    const { probe, slots } = probing();
    probe.read(reading({ period: 'second', used: 1 }), exactly(BEGIN + 400));
    const asked = [450, 460, 470].map((at) => probe.slot(following(slots, at), exactly(BEGIN + at)));
    expect(asked.map((slot) => slot && slot.from - BEGIN)).toEqual([900, 1_000, undefined]);
  });

  it('is by the next slot where all slots are too wide for what is left of the second', () => {
    const { probe, slots } = probing();
    probe.read(reading({ period: 'second', used: 1 }), exactly(BEGIN + 400));
    const wide = slots.after({ least: BEGIN + 650, most: BEGIN + 1_150 }, 8);
    const asked = [650, 660, 670].map((at) => probe.slot(wide, exactly(BEGIN + at)));
    expect(asked.map((slot) => slot && slot.from - BEGIN)).toEqual([700, 1_000, undefined]);
  });

  it.each([
    ['another was first', { used: 2 }, 400],
    ['its second had just begun', { used: 1 }, 100],
    ['it is the reading of a minute', { period: 'minute', used: 1 }, 400],
  ] as const)('is not of a process where %s', (_, rest, at) => {
    const { probe } = probing();
    probe.read(reading({ period: 'second', ...rest }), exactly(BEGIN + at));
    expect(probe.isDue(exactly(BEGIN + at + 20))).toBe(false);
  });

  it('is not of a process whose request may have been counted in the next second', () => {
    const { probe } = probing();
    probe.read(reading({ period: 'second', used: 1 }), { least: BEGIN + 400, most: BEGIN + 1_000 });
    expect(probe.isDue(exactly(BEGIN + 420))).toBe(false);
  });

  it('is over with the second', () => {
    const { probe } = probing();
    probe.read(reading({ period: 'second', used: 1 }), exactly(BEGIN + 400));
    expect([999, 1_000].map((at) => probe.isDue(exactly(BEGIN + at)))).toEqual([true, false]);
  });

  it('is left two units, as far as there are any', () => {
    const { probe, windows } = probing();
    const kept = (limit: number): number[] => {
      windows.open('second', limit, { alive: OPEN, epoch: 0 });
      return [...windows].flatMap((window) =>
        window
          .instances(exactly(BEGIN))
          .slice(0, 1)
          .map((each) => probe.kept(each)),
      );
    };
    expect([20, 2, 1].map(kept)).toEqual([[2], [1], [0]]);
  });
});
