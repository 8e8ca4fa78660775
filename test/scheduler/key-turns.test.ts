import { describe, expect, it } from 'vitest';
import type { Lease } from '../../src/quota/admission.ts';
import type { Books } from '../../src/quota/books.ts';
import { KeyTurns } from '../../src/scheduler/key-turns.ts';
import { virtualClock } from '../../src/testing/index.ts';

const LEASE = {} as Lease;

/** Turns of a key whose source the test answers, while a lease is by the books of key 1. */
function turns(source: () => number | Promise<number>, keyOf: Books['keyOf'] = () => 1) {
  const clock = virtualClock();
  const seen = { asked: 0, turned: 0 };
  let key: number | undefined = 1;
  const books = {
    get key() {
      return key;
    },
    keyOf,
    turnTo(number: number) {
      const isOther = number !== key;
      key = number;
      return isOther;
    },
  } as unknown as Books;
  const ring = {
    ask: () => {
      seen.asked++;
      return source();
    },
    secretOf: () => undefined,
  };
  const keyTurns = new KeyTurns({ ring, books, clock, onTurn: () => seen.turned++ });
  return { clock, seen, books, keyTurns };
}

describe('a key that is always the same', () => {
  it('is never asked for while calls wait, nor before one is refused', async () => {
    const { keyTurns, seen } = turns(() => 1);
    expect(await keyTurns.keyFor(LEASE, false)).toBe(1);
    expect([keyTurns.mayChange, keyTurns.dueAt]).toEqual([false, Infinity]);
    expect(await keyTurns.hasTurned(1)).toBe(false);
    expect(seen).toEqual({ asked: 1, turned: 0 });
  });
});

describe('a key whose source may give another', () => {
  it('is asked for after a second, then after twice as long each time up to a minute, and from the start with each request', async () => {
    const { clock, keyTurns } = turns(async () => 1);
    const gaps: number[] = [];
    const wait = async (): Promise<void> => {
      await keyTurns.ask();
      gaps.push(keyTurns.dueAt - clock.now());
    };
    for (let time = 0; time < 8; time++) await wait();
    expect(gaps).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1_000));
    await keyTurns.keyFor(LEASE, false);
    expect(keyTurns.dueAt - clock.now()).toBe(1_000);
    await wait();
    expect(gaps.at(-1)).toBe(2_000);
  });

  it('is asked for after a second again when it has changed', async () => {
    let key = 1;
    const { clock, keyTurns, seen } = turns(async () => key);
    for (let time = 0; time < 5; time++) await keyTurns.ask();
    expect(seen.turned).toBe(0);
    key = 2;
    await keyTurns.ask();
    expect(seen.turned).toBe(1);
    await keyTurns.ask();
    expect(keyTurns.dueAt - clock.now()).toBe(1_000);
  });

  it('is the one that was given last, though an older answer comes later', async () => {
    const answers: ((key: number) => void)[] = [];
    const { keyTurns, books, seen } = turns(() => new Promise((resolve) => answers.push(resolve)));
    const asked = [keyTurns.ask(), keyTurns.ask()];
    answers[1]?.(2);
    await asked[1];
    answers[0]?.(3);
    expect(await asked[0]).toBe(3);
    expect([books.key, seen.turned]).toEqual([2, 1]);
  });

  it('is waited for no longer than a second before a call is refused, and leaves no timer', async () => {
    let answer: number | undefined = 1;
    const { clock, keyTurns } = turns(() => (answer === undefined ? new Promise(() => {}) : Promise.resolve(answer)));
    await keyTurns.ask();
    expect(await keyTurns.hasTurned(1)).toBe(false);
    expect([clock.now(), clock.timers]).toEqual([0, 0]);
    answer = 2;
    expect(await keyTurns.hasTurned(1)).toBe(true);
    answer = undefined;
    expect(await clock.run(keyTurns.hasTurned(2))).toBe(false);
    expect([clock.now(), clock.timers]).toEqual([1_000, 0]);
  });

  it.each(['throws', 'rejects'])('ends nothing where its source %s while calls wait', async (how) => {
    let isBroken = false;
    const { keyTurns, seen } = turns(() => {
      if (isBroken && how === 'throws') throw new Error('no key');
      return isBroken ? Promise.reject(new Error('no key')) : Promise.resolve(1);
    });
    await keyTurns.ask();
    isBroken = true;
    keyTurns.askWhileWaiting();
    expect(await keyTurns.hasTurned(1)).toBe(false);
    expect(seen.asked).toBe(3);
  });
});

describe('a request', () => {
  it.each([
    ['at once', (key: number) => key],
    ['later', async (key: number) => key],
  ])('is not sent with another key than the one it was admitted for: a source that answers %s', async (_, given) => {
    let key = 1;
    const { keyTurns, seen } = turns(() => given(key));
    expect(await keyTurns.keyFor(LEASE, false)).toBe(1);
    key = 2;
    await expect(async () => keyTurns.keyFor(LEASE, false)).rejects.toMatchObject({ code: 'KEY_CHANGED' });
    expect(seen.turned).toBe(1);
  });

  it('that was sent back, and whose books are gone, is not sent without asking', async () => {
    const { keyTurns, seen } = turns(
      async () => 2,
      () => undefined,
    );
    await expect(async () => keyTurns.keyFor(LEASE, true)).rejects.toMatchObject({ code: 'KEY_CHANGED' });
    expect(seen.asked).toBe(1);
  });

  it('that was sent back for another key is sent with the one it was admitted for then, without asking again', async () => {
    const { keyTurns, seen } = turns(async () => 2);
    expect(await keyTurns.keyFor(LEASE, true)).toBe(1);
    expect(seen.asked).toBe(0);
  });
});
