import { describe, expect, it } from 'vitest';
import { KeyRecognition } from '../../src/http/key-recognition.ts';
import type { Period } from '../../src/quota/time/periods.ts';

type Limits = Partial<Record<Period, number>>;

const FULL: Limits = { minute: 500, month: 1_000 };
const LESS: Limits = { minute: 500 };

/** Observes answers that name these limits. */
function recognition() {
  const all = new KeyRecognition();
  const observe = (limits: Limits, { key = 1, endpoint = 'GET /a' } = {}): boolean => {
    const named = Object.entries(limits).map(([period, limit]) => [period, { limit }]);
    return all.observe(endpoint, key, {
      receivedAt: 0,
      stacks: Object.fromEntries(named),
      malformed: [],
      unrecognised: {},
    });
  };
  return { all, observe };
}

/** What each of these answers to one key and endpoint shows. */
function shownBy(...answers: readonly Limits[]): readonly boolean[] {
  const { observe } = recognition();
  return answers.map((limits) => observe(limits));
}

describe('a key is ignored', () => {
  it('once two answers in a row name fewer windows than those before, and is told so once', () => {
    const { all, observe } = recognition();
    expect([observe(FULL), all.isIgnored]).toEqual([false, false]);
    expect([observe(LESS), all.isIgnored]).toEqual([false, false]);
    expect([observe(LESS), all.isIgnored]).toEqual([true, true]);
    expect([observe(LESS), all.isIgnored]).toEqual([false, true]);
  });

  it('no more after an answer as before, from which it counts anew', () => {
    const { all, observe } = recognition();
    for (const limits of [FULL, LESS, LESS]) observe(limits);
    expect([observe(FULL), all.isIgnored]).toEqual([false, false]);
    expect([LESS, LESS].map((limits) => observe(limits))).toEqual([false, true]);
    expect(shownBy(FULL, LESS, FULL, LESS)).toEqual([false, false, false, false]);
  });

  it('where a limit shrinks to a tenth, and not where it shrinks to more', () => {
    expect(shownBy(FULL, { ...FULL, minute: 50 }, { ...FULL, minute: 50 })).toEqual([false, false, true]);
    expect(shownBy(FULL, { ...FULL, minute: 51 }, { ...FULL, minute: 51 })).toEqual([false, false, false]);
  });

  it.each<[string, Limits]>([
    ['a limit has grown', { minute: 501 }],
    ['another window is named', { minute: 500, day: 9 }],
    ['nothing is named', {}],
  ])('not where %s, though a window is missing', (_, limits) => {
    expect(shownBy(FULL, limits, limits)).toEqual([false, false, false]);
  });

  it('by answers of one endpoint alone', () => {
    const { observe } = recognition();
    observe(FULL);
    const endpoint = 'GET /b';
    expect([LESS, LESS].map((limits) => observe(limits, { endpoint }))).toEqual([false, false]);
  });

  it('not where none was sent', () => {
    const { all, observe } = recognition();
    expect([FULL, LESS, LESS].map((limits) => observe(limits, { key: 0 }))).toEqual([false, false, false]);
    expect(all.isIgnored).toBe(false);
  });

  it('no more once another was sent, whose answers are compared with its own', () => {
    for (const limits of [LESS, {}]) {
      const { all, observe } = recognition();
      for (const one of [FULL, LESS, LESS]) observe(one);
      expect([observe(limits, { key: 2 }), all.isIgnored]).toEqual([false, false]);
      expect([LESS, LESS].map((one) => observe(one, { key: 2 }))).toEqual([false, false]);
    }
  });
});
