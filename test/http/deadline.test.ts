import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import { type Deadline, Deadlines } from '../../src/http/deadline.ts';
import { virtualClock } from '../../src/testing/index.ts';

const USUAL_MS = 1_000;
const never = (): Promise<never> => new Promise(() => undefined);

/** Deadlines in virtual time; each that ends is noted with its instant. */
function deadlines() {
  const clock = virtualClock();
  const all = new Deadlines(clock, USUAL_MS);
  const ended: (readonly [name: string, at: number])[] = [];
  const set = (name: string, ms = USUAL_MS, caller?: AbortSignal): Deadline => {
    const deadline = all.set(ms, caller);
    deadline.signal.addEventListener('abort', () => ended.push([name, clock.now()]));
    return deadline;
  };
  return { clock, set, ended };
}

describe('deadlines of the usual length', () => {
  it('share one timer, which rings for each of them', async () => {
    const { clock, set, ended } = deadlines();
    set('first');
    set('second');
    await clock.advance(400);
    set('third');
    expect(clock.timers).toBe(1);
    await clock.advance(3_000);
    expect(ended).toEqual([
      ['first', 1_000],
      ['second', 1_000],
      ['third', 1_400],
    ]);
    expect(clock.timers).toBe(0);
  });

  it('leave the timer to the others when one has ended, and none when all have', async () => {
    const { clock, set, ended } = deadlines();
    const [first, second] = [set('first'), set('second'), set('third')];
    first.end();
    await clock.advance(1_500);
    expect(ended.map(([name]) => name)).toEqual(['second', 'third']);
    second.end();
    const last = set('last');
    expect(clock.timers).toBe(1);
    last.end();
    expect(clock.timers).toBe(0);
    set('again');
    expect(clock.timers).toBe(1);
  });

  it('end although their timer rings a little early', () => {
    const rings: (() => void)[] = [];
    let now = 0;
    const timer: Clock['timer'] = (_, fire) => {
      rings.push(fire);
      return () => undefined;
    };
    const deadline = new Deadlines({ now: () => now, wall: () => now, timer }, USUAL_MS).set(USUAL_MS, undefined);
    now = USUAL_MS - 0.5;
    for (const ring of rings.splice(0)) ring();
    expect(deadline.signal.aborted).toBe(true);
    expect(rings).toEqual([]);
  });
});

describe('a deadline of another length', () => {
  it('has a timer of its own, until it ends', async () => {
    const { clock, set, ended } = deadlines();
    set('usual');
    set('short', 50);
    const over = set('over', 70);
    expect(clock.timers).toBe(3);
    over.end();
    expect(clock.timers).toBe(2);
    await clock.advance(100);
    expect(ended).toEqual([['short', 50]]);
  });
});

describe('a deadline', () => {
  it('rejects what was started, as a request that may have been sent', async () => {
    const { clock, set } = deadlines();
    const deadline = set('it');
    await clock.advance(250);
    expect(deadline.leftMs).toBe(750);
    const work = expect(deadline.during(never)).rejects.toMatchObject({ code: 'TIMEOUT', isUnsent: false });
    await clock.advance(750);
    await work;
  });

  it('starts nothing once it is over', async () => {
    const { set } = deadlines();
    const deadline = set('it');
    deadline.expire();
    let started = 0;
    const work = deadline.during(async () => started++);
    await expect(work).rejects.toBe(deadline.signal.reason);
    expect(started).toBe(0);
  });

  it("rejects with the reason of the caller's signal, to which it listens until it ends", async () => {
    const { set } = deadlines();
    const caller = new AbortController();
    const reason = new Error('enough');
    const [aborted, over] = [set('aborted', USUAL_MS, caller.signal), set('over', 50, caller.signal)];
    over.end();
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1);
    const work = expect(aborted.during(never)).rejects.toBe(reason);
    caller.abort(reason);
    await work;
    expect(over.signal.aborted).toBe(false);
  });
});
