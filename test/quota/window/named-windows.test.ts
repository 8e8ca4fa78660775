import { describe, expect, it } from 'vitest';
import type { QuotaSnapshot } from '../../../src/quota/headers/snapshot.ts';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { type ShareLimit, type WindowNews, wholeShareLimit } from '../../../src/quota/share-limit.ts';
import { AnsweredRequests } from '../../../src/quota/usage/answered.ts';
import { Concurrency } from '../../../src/quota/usage/concurrency.ts';
import { type Flight, InFlight } from '../../../src/quota/usage/in-flight.ts';
import { type AnswerFacts, NamedWindows } from '../../../src/quota/window/named-windows.ts';
import { PriorityReserve } from '../../../src/quota/window/reserve/priority-reserve.ts';
import { charge, knownClock, untilOf } from '../support/builders.ts';

const DAY_MS = 86_400_000;

type Stacks = QuotaSnapshot['stacks'];

/** Of which endpoint an answer is. */
interface Of {
  readonly endpoint?: string;
}

function world(share: Partial<ShareLimit> = {}, isProbing = () => false) {
  const flights = new InFlight(new Concurrency(10), 9_000_000);
  const told: WindowNews[] = [];
  const windows = new NamedWindows({
    ...{ clock: knownClock(), flights, costs: { cheapest: 1, isProbing }, priorityReserve: new PriorityReserve() },
    answered: new AnsweredRequests(),
    shareLimit: { ...wholeShareLimit, read: (news) => told.push(news), ...share },
  });
  /** Takes in an answer to a request of one unit that was sent at an instant. */
  const read = (stacks: Stacks, sentAt = 0, { endpoint = 'GET /a', ...more }: Partial<AnswerFacts> & Of = {}): void => {
    const facts = { sentAt, receivedAt: sentAt + 100, own: 1, settledSince: 0, limited: false, ...more };
    windows.read(endpoint, quotaOf(stacks), facts);
  };
  const settle = (stacks: Stacks, limited: boolean): void => {
    const facts = { sentAt: 200, receivedAt: 300, own: 1, settledSince: 0, limited };
    windows.settle(quotaOf(stacks), 1, facts);
  };
  const periods = (): string[] => Array.from(windows, ({ period }) => period);
  return { windows, flights, told, read, settle, periods };
}

function quotaOf(stacks: Stacks): QuotaSnapshot {
  return { receivedAt: 0, stacks, malformed: [], unrecognised: {} };
}

const left = (limit: number, remaining: number) => ({ limit, remaining });

describe('the windows that the service names', () => {
  it('are those of which an answer states the limit and what remains', () => {
    const { windows, periods, read } = world();
    read({ minute: { limit: 5 }, hour: { remaining: 5 }, day: left(9, 8) });
    expect([windows.size, windows.revision, periods()]).toEqual([1, 1, ['day']]);
    read({ day: left(9, 7), second: left(2, 1) });
    expect([windows.size, windows.revision, periods()]).toEqual([2, 2, ['day', 'second']]);
  });

  it('are told by an answer that states what remains of each of them, and by none while none is known', () => {
    const { windows, read } = world();
    const all = { day: left(9, 8), second: left(2, 1) };
    expect(windows.areTold(quotaOf(all))).toBe(false);
    read(all);
    expect(windows.areTold(quotaOf(all))).toBe(true);
    expect(windows.areTold(quotaOf({ day: left(9, 0), second: { limit: 2 } }))).toBe(false);
    expect(windows.areTold(quotaOf({}))).toBe(false);
  });

  it('show no other consumer where a reading may count a request of unknown cost', () => {
    let isUnknown = true;
    const { windows, read } = world({}, () => isUnknown);
    read({ minute: left(100, 99) });
    read({ minute: left(100, 70) }, 1_000);
    expect([...windows][0]?.capacity.spent(1_200)).toBeLessThan(3);
    isUnknown = false;
    read({ minute: left(100, 70) }, 2_000);
    expect([...windows][0]?.capacity.spent(2_200)).toBeGreaterThanOrEqual(30);
  });

  it('have a lowest limit among the short ones, unless the share grants their units', () => {
    const { windows, read } = world();
    expect(windows.shortestLimit).toBe(0);
    read({ minute: left(500, 499) });
    expect(windows.shortestLimit).toBe(0);
    read({ second: left(20, 19) });
    expect(windows.shortestLimit).toBe(20);
    const shared = world({ covers: (period) => period === 'second' });
    shared.read({ second: left(20, 19) });
    expect(shared.windows.shortestLimit).toBe(0);
  });

  it('tell by the minute that others have left the second, which showed them full when it was read', () => {
    /** When the next request goes, after readings four seconds apart: all but the last show the second nearly full. */
    const goesAt = (minute: readonly number[]): number => {
      const { windows, read } = world();
      minute.forEach((used, index) => {
        const second = left(20, index === minute.length - 1 ? 19 : 1);
        read({ second, minute: left(1_000, 1_000 - used) }, 50_000 + 4_000 * index + 5);
      });
      windows.onSent({ units: 1 } as Flight, 50_005 + 4_000 * (minute.length - 1));
      return [...windows][0]?.check(charge(), 50_105 + 4_000 * (minute.length - 1))?.until ?? 0;
    };
    const busy = [0, 160, 320, 30, 110, 190];
    const quiet = [...busy.slice(0, -1), 111];
    expect(goesAt(quiet)).toBeLessThan(goesAt(busy));
  });

  it('have a longest one', () => {
    const { windows, read } = world();
    expect(windows.longestMs).toBeUndefined();
    read({ second: left(20, 19), month: left(9, 8), hour: left(9, 8) });
    expect(windows.longestMs).toBe(31 * DAY_MS);
  });

  it('are told to the share as they were read, with the shapes that they may have', () => {
    const { told, read } = world();
    read({ minute: left(10, 7) }, 50);
    expect(told).toMatchObject([{ period: 'minute', limit: 10, used: 3, sentAt: 50, receivedAt: 150 }]);
    expect(told[0]?.shapes.alive).toHaveLength(5);
  });

  it('take what is under way at the first reading as sent after it, and later as held', () => {
    const { windows, flights, read } = world();
    for (let sent = 0; sent < 3; sent++) flights.take(charge(), 0);
    read({ minute: left(10, 6) });
    const [window] = windows;
    expect(window?.capacity.spent(100)).toBe(4);
    read({ minute: left(10, 3) }, 200);
    expect(window?.capacity.spent(300)).toBe(4);
  });
});

describe('an answer', () => {
  const spent = ({ windows }: ReturnType<typeof world>): number =>
    Array.from(windows)[0]?.capacity.spent(300) ?? Number.NaN;

  it('is booked in each window, unless it is a refusal of which the window tells by itself', () => {
    for (const [stacks, limited, units] of [
      [{ minute: left(10, 4) }, false, 5],
      [{ minute: left(10, 4) }, true, 4],
      [{ minute: { limit: 10 } }, true, 5],
      [{ hour: left(10, 4) }, true, 5],
    ] as const) {
      const all = world();
      all.read({ minute: left(10, 6) });
      all.settle(stacks, limited);
      expect(spent(all)).toBe(units);
    }
  });

  it('of a cache costs the window nothing, though the next answer counts it', () => {
    const areSeen = (cached: number): boolean => {
      const { windows, read } = world();
      read({ minute: left(100, 99) });
      windows.onCached(cached);
      read({ minute: left(100, 60) }, 1_000);
      // Some units are reserved for other consumers.
      const [window] = windows;
      return window?.check(charge({ units: 59 }), 2_000) !== undefined;
    };
    expect([areSeen(0), areSeen(50)]).toEqual([true, false]);
  });
});

describe('a long window that was thought to be full', () => {
  /** Not at a boundary, where it might be full or not. */
  const LATER = 7_230_000;

  const full = () => {
    const all = world();
    all.read({ month: left(10, 0), second: left(5, 0) }, LATER);
    return all;
  };

  it('begins anew where a request that was sent all the same was served', () => {
    const { windows, read } = full();
    read({ month: left(10, 9) }, 5_000, { isExempt: true });
    expect(windows.revision).toBe(3);
    expect(
      Array.from(windows)
        .find(({ period }) => period === 'month')
        ?.headroom(5_100),
    ).toBe(9);
  });

  it.each([
    ['was sent as any other', { month: left(10, 9) }, {}],
    ['was refused', { month: left(10, 9) }, { isExempt: true, limited: true }],
    ['was told that it is full', { month: left(10, 0) }, { isExempt: true }],
    ['is of a short window', { second: left(5, 4) }, { isExempt: true }],
  ])('does not where the request %s', (_, stacks, more) => {
    const { windows, read } = full();
    read(stacks, LATER + 300, more);
    expect(windows.revision).toBe(2);
  });

  it('does not where it had room', () => {
    const { windows, read } = world();
    read({ month: left(10, 1) }, LATER);
    read({ month: left(10, 9) }, LATER + 300, { isExempt: true });
    expect(windows.revision).toBe(1);
  });
});

describe('a window that is no longer named', () => {
  it('is forgotten ten minutes after it was named last, while others are', () => {
    const { periods, read, windows } = world();
    read({ minute: left(10, 9), day: left(10, 9) });
    read({ minute: left(10, 9) }, 600_000);
    expect(periods()).toEqual(['minute', 'day']);
    read({ minute: left(10, 9) }, 600_001);
    expect([periods(), windows.revision]).toEqual([['minute'], 3]);
    read({ day: left(10, 9) }, 600_002);
    expect(periods()).toEqual(['minute', 'day']);
  });

  it('is forgotten after ten of its lengths, where answers of the endpoint that named it last leave it out', () => {
    const { periods, read } = world();
    read({ second: left(10, 9), minute: left(10, 9) });
    read({ minute: left(10, 9) }, 10_000);
    expect(periods()).toEqual(['second', 'minute']);
    read({ minute: left(10, 9) }, 10_001);
    expect(periods()).toEqual(['minute']);
  });

  it('is not so soon, where those of another endpoint do, which may have no such limit', () => {
    const { periods, read } = world();
    read({ second: left(10, 9), minute: left(10, 9) });
    for (const at of [10_001, 600_000]) read({ minute: left(10, 9) }, at, { endpoint: 'GET /b' });
    expect(periods()).toEqual(['second', 'minute']);
    read({ minute: left(10, 9) }, 600_001, { endpoint: 'GET /b' });
    expect(periods()).toEqual(['minute']);
  });

  it('is forgotten once', () => {
    const { read, windows } = world();
    read({ minute: left(10, 9), day: left(10, 9), month: left(10, 9) });
    read({ minute: left(10, 9), month: left(10, 9) }, 600_000);
    for (const at of [600_001, 600_002]) read({ minute: left(10, 9) }, at);
    expect([windows.size, windows.revision]).toEqual([2, 4]);
  });

  it('is not, where no window is named at all', () => {
    const { periods, read } = world();
    read({ minute: left(10, 9), day: left(10, 9) });
    read({ minute: left(10, 9) }, 300_000);
    read({}, 900_000);
    expect(periods()).toEqual(['minute', 'day']);
  });
});

describe('the reset that ratelimit-* names', () => {
  it('is that of the window whose limit it has, and of no other', () => {
    const { windows, read } = world();
    read({ second: left(20, 19), minute: left(500, 499) });
    const answer = { sentAt: 0, receivedAt: 100, own: 1, settledSince: 0, limited: false };
    expect(windows.describes(500, 60_000, answer)).toBe(true);
    expect(windows.describes(20, 1_000, answer)).toBe(true);
    expect(windows.describes(100, 60_000, answer)).toBe(false);
    expect(windows.describes(500, 999_000, answer)).toBe(false);
  });

  it('is a change where it rules a shape out, so that a call that waits asks again', () => {
    const { windows, read } = world();
    const answer = { sentAt: 20_000, receivedAt: 20_100, own: 1, settledSince: 0, limited: false };
    read({ minute: left(500, 499) }, 20_000);
    const before = windows.revision;
    windows.describes(500, 60_000, answer);
    expect(windows.revision).toBe(before + 1);
    windows.describes(500, 60_000, answer);
    expect(windows.revision).toBe(before + 1);
  });

  it('is when a full one is tried, if there is one', () => {
    const untilBy = (resetAt: number | undefined): number => {
      const { windows, read } = world();
      read({ minute: left(500, 0) });
      expect(
        windows.describes(500, resetAt, { sentAt: 0, receivedAt: 100, own: 1, settledSince: 0, limited: false }),
      ).toBe(true);
      return Math.max(...Array.from(windows, (window) => untilOf(window, charge(), 200)));
    };
    expect(untilBy(30_500)).toBeCloseTo(30_500, -2);
    expect(untilBy(undefined)).toBeGreaterThan(60_000);
  });
});

describe('a reading', () => {
  it('is a change where it rules a shape out or has another limit, so that deadlines are reckoned anew', () => {
    const { windows, read } = world();
    const changed = (stacks: Stacks, sentAt: number): number => {
      const before = windows.revision;
      read(stacks, sentAt);
      return windows.revision - before;
    };
    read({ minute: left(10, 1) }, 30_000);
    expect(changed({ minute: left(10, 1) }, 30_200)).toBe(0);
    // No bucket drains so fast.
    expect(changed({ minute: left(10, 10) }, 31_000)).toBe(1);
    expect(changed({ minute: left(11, 11) }, 31_200)).toBe(1);
  });
});

describe('what others found out of a window', () => {
  const shapesOf = ({ windows }: ReturnType<typeof world>) =>
    Array.from(windows, ({ candidates }) => candidates.alive.map(({ shape }) => shape.name));

  it('is believed of one that is known, and of one that is named later', () => {
    const all = world();
    all.read({ minute: left(10, 9) });
    all.windows.adopt('minute', { alive: [aligned], epoch: 1 });
    all.windows.adopt('hour', { alive: [aligned], epoch: 1 });
    all.read({ hour: left(10, 9), second: left(3, 2) });
    expect(shapesOf(all)).toEqual([['aligned'], expect.objectContaining({ length: 5 }), ['aligned']]);
  });

  it('is a change where it rules a shape out, so that deadlines are reckoned anew', () => {
    const { windows, read } = world();
    read({ minute: left(10, 9) });
    const before = windows.revision;
    windows.adopt('minute', { alive: [aligned], epoch: 1 });
    expect(windows.revision).toBe(before + 1);
    windows.adopt('minute', { alive: [aligned], epoch: 1 });
    expect(windows.revision).toBe(before + 1);
  });
});
