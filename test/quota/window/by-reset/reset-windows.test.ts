import { describe, expect, it } from 'vitest';
import type { QuotaSnapshot } from '../../../../src/quota/headers/snapshot.ts';
import { ServerClock } from '../../../../src/quota/time/server-clock.ts';
import { Concurrency } from '../../../../src/quota/usage/concurrency.ts';
import { InFlight } from '../../../../src/quota/usage/in-flight.ts';
import { ResetWindows } from '../../../../src/quota/window/by-reset/reset-windows.ts';
import { charge, knownClock, readingsOf } from '../../support/builders.ts';

const { limit: _, used: __, held: ___, ...ANSWER } = readingsOf(0, 100)(0, 0);

function world(): { windows: ResetWindows; flights: InFlight } {
  const flights = new InFlight(new Concurrency(10), 9_000);
  return { windows: new ResetWindows(knownClock(), flights), flights };
}

function says(more: Partial<QuotaSnapshot>): QuotaSnapshot {
  return { receivedAt: 100, date: 0, stacks: {}, malformed: [], unrecognised: {}, ...more };
}

const headrooms = (windows: ResetWindows): number[] => Array.from(windows, (window) => window.headroom(0));

describe('windows that only ratelimit-* describes', () => {
  it('are told apart by their limits', () => {
    const { windows } = world();
    windows.read('GET /a', says({ limit: 10, remaining: 4, resetAt: 60_000 }), ANSWER);
    windows.read('GET /a', says({ limit: 10, remaining: 3, resetAt: 60_000 }), ANSWER);
    windows.read('GET /b', says({ limit: 20, remaining: 9, resetAt: 60_000 }), ANSWER);
    expect(Array.from(windows, ({ limit, remaining }) => [limit, remaining])).toEqual([
      [10, 3],
      [20, 9],
    ]);
    expect(windows.size).toBe(2);
  });

  it.each([
    ['no limit', { remaining: 4, resetAt: 60_000 }],
    ['no remaining', { limit: 10, resetAt: 60_000 }],
  ])('are not made of an answer with %s', (_, more) => {
    const { windows } = world();
    windows.read('GET /a', says(more), ANSWER);
    expect(windows.size).toBe(0);
  });

  it('are sixteen at most: a limit more is no window, and those that are known are read on', () => {
    const { windows } = world();
    for (let limit = 1; limit <= 20; limit++)
      windows.read('GET /a', says({ limit, remaining: 1, resetAt: 60_000 }), ANSWER);
    expect(windows.size).toBe(16);
    windows.read('GET /a', says({ limit: 16, remaining: 1, resetAt: 60_000 }), ANSWER);
    expect(Array.from(windows).at(-1)).toMatchObject({ limit: 16, remaining: 1 });
  });

  it('count a request that is under way as held, not as used by others', () => {
    const { windows, flights } = world();
    windows.read('GET /a', says({ limit: 10, remaining: 10, resetAt: 60_000 }), ANSWER);
    flights.take(charge(), 200);
    windows.read('GET /a', says({ limit: 10, remaining: 8, resetAt: 60_000 }), ANSWER);
    expect(headrooms(windows)).toEqual([8]);
  });

  it('count an answer that describes a tighter one of the same endpoint, and an answer without a reading', () => {
    const { windows } = world();
    windows.read('GET /a', says({ limit: 20, remaining: 15, resetAt: 60_000 }), ANSWER);
    windows.read('GET /a', says({ limit: 10, remaining: 9, resetAt: 60_000 }), ANSWER);
    expect(headrooms(windows)).toEqual([14, 9]);
    windows.book('GET /a', 200, 200, 1);
    windows.book('GET /b', 200, 200, 1);
    expect(headrooms(windows)).toEqual([13, 8]);
  });

  it('are forgotten where an answer has more left than they could have: it describes the tightest, so that limit was raised', () => {
    const { windows } = world();
    windows.read('GET /a', says({ limit: 5, remaining: 0, resetAt: 60_000 }), ANSWER);
    windows.read('GET /b', says({ limit: 5, remaining: 4, resetAt: 60_000 }), ANSWER);
    const { revision } = windows;
    windows.read('GET /a', says({ limit: 50, remaining: 49, resetAt: 61_000 }), ANSWER);
    expect(Array.from(windows, ({ limit, requests }) => [limit, requests.has('GET /a')])).toEqual([
      [5, false],
      [50, true],
    ]);
    windows.read('GET /b', says({ limit: 50, remaining: 48, resetAt: 61_000 }), ANSWER);
    expect(Array.from(windows, ({ limit }) => limit)).toEqual([50]);
    expect(windows.revision).toBeGreaterThan(revision);
  });

  it('end by the time that is left at the answer, by its date or, without one, by when it was received', () => {
    const windows = new ResetWindows(new ServerClock(), new InFlight(new Concurrency(10), 9_000));
    windows.read('GET /a', says({ limit: 10, remaining: 0, resetAt: 50_000 }), ANSWER);
    windows.read(
      'GET /b',
      { receivedAt: 5_000, limit: 20, remaining: 0, resetAt: 60_000, stacks: {}, malformed: [], unrecognised: {} },
      ANSWER,
    );
    expect(Array.from(windows, ({ end }) => end.to)).toEqual([51_100, 56_100]);
  });

  it('let one request go first past their end', () => {
    const { windows, flights } = world();
    windows.read('GET /a', says({ limit: 10, remaining: 0, resetAt: 60_000 }), ANSWER);
    const flight = flights.take(charge(), 61_000);
    windows.onSent(flight, 61_000);
    const [window] = windows;
    expect(window?.check(charge(), 61_001)?.until).toBe(64_000);
  });
});

const LIMIT = 100;

/** Answers that each come before the next request is sent, 200 ms later. */
function listener() {
  const windows = new ResetWindows(knownClock(), new InFlight(new Concurrency(10), 9_000));
  let sentAt = 0;
  const hear = (
    endpoint: string,
    used: number,
    { limit = LIMIT, at = sentAt, resetAt = 60_000, limited = false } = {},
  ): void => {
    const receivedAt = sentAt + 50;
    const answer = { sentAt: at, receivedAt, own: 1, settledSince: 0, limited };
    const quota = { receivedAt, date: 0, limit, remaining: limit - used, resetAt, stacks: {} };
    windows.read(endpoint, { ...quota, malformed: [], unrecognised: {} }, answer);
    sentAt += 200;
  };
  return { windows, hear };
}

function coveredBy({ windows }: { windows: ResetWindows }): boolean[][] {
  return Array.from(windows, (window) =>
    ['GET /a', 'GET /b', 'GET /c'].map((endpoint) => window.requests.has(endpoint)),
  );
}

describe('endpoints with equal limits', () => {
  it('have one window while answers of one may count the requests of the other', () => {
    const heard = listener();
    for (const [at, endpoint] of ['GET /a', 'GET /b', 'GET /b', 'GET /a'].entries()) heard.hear(endpoint, at + 1);
    expect(coveredBy(heard)).toEqual([[true, true, false]]);
  });

  it('have a window each as soon as an answer counts less than the requests of both, and those with one ceiling have one', () => {
    const heard = listener();
    for (const used of [1, 2, 3, 4]) heard.hear('GET /a', used);
    for (const used of [1, 2]) heard.hear('GET /b', used);
    heard.hear('GET /c', 3);
    heard.hear('GET /c', 4);
    expect(coveredBy(heard)).toEqual([
      [true, false, false],
      [false, true, true],
    ]);
    expect(Array.from(heard.windows, (window) => window.headroom(0))).toEqual([LIMIT - 4, LIMIT - 4]);
  });

  it('keep a window each where an answer counts what others used', () => {
    const heard = listener();
    for (const used of [1, 2, 3, 4]) heard.hear('GET /a', used);
    for (const used of [1, 40, 41, 42, 43]) heard.hear('GET /b', used);
    expect(heard.windows.size).toBe(2);
  });

  it('keep the window they have where sixteen are known', () => {
    const heard = listener();
    for (let limit = 1; limit <= 15; limit++) heard.hear(`GET /${limit}`, 1, { limit });
    for (const used of [1, 2, 3, 4]) heard.hear('GET /a', used);
    for (const used of [1, 2]) heard.hear('GET /b', used);
    expect(heard.windows.size).toBe(16);
    expect(coveredBy(heard).at(-1)).toEqual([true, true, false]);
  });
});

describe('endpoints with a window each', () => {
  it('keep them where requests were under way together before: what was counted of an endpoint goes with it', () => {
    const heard = listener();
    // Each of these was sent before any other was answered.
    for (const used of [1, 2, 3, 4]) for (const endpoint of ['GET /a', 'GET /b']) heard.hear(endpoint, used, { at: 0 });
    expect(heard.windows.size).toBe(1);
    for (const used of [5, 6, 7, 8, 9]) for (const endpoint of ['GET /b', 'GET /a']) heard.hear(endpoint, used);
    expect(heard.windows.size).toBe(2);
    expect(Array.from(heard.windows, ({ requests }) => requests.countedBefore(60_000))).toEqual([9, 9]);
  });

  it('keep them although answers of one count the requests of both', () => {
    const heard = listener();
    for (const used of [1, 2, 3, 4]) heard.hear('GET /a', used);
    for (const used of [1, 6, 7, 8]) heard.hear('GET /b', used);
    expect(Array.from(heard.windows, (window) => window.headroom(0))).toEqual([LIMIT - 4, LIMIT - 8]);
  });

  it('are told from before by a revision', () => {
    const heard = listener();
    const revisions = [heard.windows.revision];
    for (const [endpoint, used] of [
      ['GET /a', 1],
      ['GET /a', 2],
      ['GET /a', 3],
      ['GET /b', 1],
    ] as const) {
      heard.hear(endpoint, used);
      revisions.push(heard.windows.revision);
    }
    expect(revisions).toEqual([0, 1, 1, 1, 2]);
  });
});

describe('a request that was answered after another was sent', () => {
  it('may be missing from what the answer of that one counts', () => {
    const { windows } = world();
    windows.read('GET /a', says({ limit: 10, remaining: 10, resetAt: 60_000 }), ANSWER);
    windows.book('GET /a', 50, 300, 1);
    windows.read('GET /a', says({ limit: 10, remaining: 9, resetAt: 60_000 }), { ...ANSWER, sentAt: 200 });
    expect(headrooms(windows)).toEqual([8]);
  });

  it('may be missing there, too, where its own answer is of an earlier instance, or names its end otherwise', () => {
    const { windows } = world();
    windows.read('GET /a', says({ limit: 10, remaining: 10, resetAt: 60_000 }), ANSWER);
    const earlier = { ...ANSWER, sentAt: 50, receivedAt: 300 };
    windows.read('GET /a', says({ limit: 10, remaining: 1, resetAt: 59_000 }), earlier);
    windows.read('GET /a', says({ limit: 10, remaining: 9, resetAt: 60_000 }), { ...ANSWER, sentAt: 200 });
    expect(headrooms(windows)).toEqual([8]);
  });
});
