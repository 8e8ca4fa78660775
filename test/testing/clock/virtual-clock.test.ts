import ky from 'ky';
import { describe, expect, it, vi } from 'vitest';
import { virtualClock } from '../../../src/testing/index.ts';

describe('virtualClock', () => {
  it('stands at 0 and shows the start of 2026 until it is moved', () => {
    const clock = virtualClock();
    expect(clock.now()).toBe(0);
    expect(new Date(clock.wall()).toISOString()).toBe('2026-01-01T00:00:00.000Z');
  });

  it('fires timers in the order of their instants, and equal instants in the order they were set', async () => {
    const clock = virtualClock();
    const fired: string[] = [];
    for (const [name, ms] of [
      ['c', 30],
      ['a', 10],
      ['b1', 20],
      ['b2', 20],
      ['b3', 20],
    ] as const) {
      clock.timer(ms, () => fired.push(`${name}@${clock.now()}`));
    }
    await clock.advance(25);
    expect(fired).toEqual(['a@10', 'b1@20', 'b2@20', 'b3@20']);
    expect(clock.now()).toBe(25);
    await clock.advance(5);
    expect(fired.at(-1)).toBe('c@30');
  });

  it('fires a timer that is set by another within the same move', async () => {
    const clock = virtualClock();
    const fired: number[] = [];
    clock.timer(10, () => clock.timer(10, () => fired.push(clock.now())));
    await clock.advance(20);
    expect(fired).toEqual([20]);
  });

  it('lets promises settle between two timers', async () => {
    const clock = virtualClock();
    const seen: string[] = [];
    clock.timer(1, async () => {
      for (let step = 0; step < 50; step++) await null;
      seen.push('settled');
    });
    clock.timer(1, () => seen.push('next timer'));
    await clock.advance(1);
    expect(seen).toEqual(['settled', 'next timer']);
  });

  it('never fires a cancelled timer, however many there are', async () => {
    const clock = virtualClock();
    const fired: number[] = [];
    const cancels = Array.from({ length: 5_000 }, (_, ms) => clock.timer(ms, () => fired.push(ms)));
    for (const [ms, cancel] of cancels.entries()) if (ms % 1_000 !== 7) cancel();
    expect(clock.timers).toBe(5);
    await clock.advance(5_000);
    expect(fired).toEqual([7, 1_007, 2_007, 3_007, 4_007]);
    cancels[7]?.();
    expect(clock.timers).toBe(0);
  });

  it('crosses a month in one move', async () => {
    const clock = virtualClock();
    const done = clock.run(() => clock.sleep(31 * 86_400_000));
    await done;
    expect(new Date(clock.wall()).toISOString()).toBe('2026-02-01T00:00:00.000Z');
  });

  it('runs work to its end, passing through every timer it sets', async () => {
    const clock = virtualClock();
    const answer = await clock.run(async () => {
      await Promise.all([clock.sleep(5), clock.sleep(700)]);
      await clock.sleep(300);
      return 'done';
    });
    expect(answer).toBe('done');
    expect(clock.now()).toBe(1_000);
  });

  it('hands on the error that the work ends with', async () => {
    const clock = virtualClock();
    const work = clock.run(async () => {
      await clock.sleep(5);
      throw new Error('of its own');
    });
    await expect(work).rejects.toThrow('of its own');
  });

  it('says that work is stuck when nothing can wake it any more', async () => {
    const [idle, endless] = [virtualClock(), virtualClock()];
    endless.timer(Infinity, () => {});
    // Together: each waits for what may settle in real time.
    await Promise.all(
      [idle, endless].map((clock) => expect(clock.run(new Promise(() => {}))).rejects.toThrow(/stuck at 0 ms/)),
    );
  });

  it('rejects a sleep with the reason of its signal, and leaves no timer behind', async () => {
    const clock = virtualClock();
    const abort = new AbortController();
    const asleep = clock.sleep(1_000, abort.signal);
    const reason = new Error('no longer wanted');
    abort.abort(reason);
    await expect(asleep).rejects.toBe(reason);
    await expect(clock.sleep(1, abort.signal)).rejects.toBe(reason);
    expect(clock.timers).toBe(0);
  });

  it('sets the wall clock without touching the monotonic one', async () => {
    const clock = virtualClock({ wall: 1_000 });
    await clock.advance(10);
    clock.setWall(0);
    expect([clock.now(), clock.wall()]).toEqual([10, 0]);
    await clock.advance(10);
    expect([clock.now(), clock.wall()]).toEqual([20, 10]);
  });

  it('refuses to be moved backwards, without end, or by what is no number', async () => {
    const clock = virtualClock();
    await expect(clock.advance(-1)).rejects.toThrow(RangeError);
    await expect(clock.advance(Number.NaN)).rejects.toThrow(RangeError);
    await expect(clock.advance('5' as never)).rejects.toThrow('Time cannot be advanced by 5 ms.');
    await expect(clock.advance(Infinity)).rejects.toThrow('Time cannot be advanced by Infinity ms.');
    expect(() => clock.timer(Number.NaN, () => {})).toThrow(RangeError);
    await expect(clock.sleep(undefined as never)).rejects.toThrow('a number of milliseconds, not undefined');
    for (const wall of [Number.NaN, Infinity, undefined as never])
      expect(() => clock.setWall(wall)).toThrow(RangeError);
    expect([clock.timers, clock.wall()]).toEqual([0, Date.UTC(2026, 0)]);
  });

  it.for(['setImmediate', 'MessageChannel'])('lets things settle where there is no %s', async (missing) => {
    if (missing === 'MessageChannel') vi.stubGlobal('setImmediate', undefined);
    vi.stubGlobal(missing, undefined);
    vi.resetModules();
    const { virtualClock: elsewhere } = await import('../../../src/testing/clock/virtual-clock.ts');
    vi.unstubAllGlobals();
    const clock = elsewhere();
    const seen: string[] = [];
    clock.timer(1, async () => seen.push(await new Response('text').text()));
    clock.timer(1, () => seen.push('next timer'));
    await clock.advance(1);
    expect(seen).toEqual(['text', 'next timer']);
  });

  it('lets a whole exchange of ky with a body stream finish before the next timer', async () => {
    const clock = virtualClock();
    const seen: string[] = [];
    const body = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        pull(controller) {
          controller.enqueue(new TextEncoder().encode('{"ok":true}'));
          controller.close();
        },
      }).pipeThrough(new TransformStream());
    const api = ky.create({ timeout: false, retry: 0, fetch: async () => new Response(body()) });
    clock.timer(1, async () => {
      seen.push(JSON.stringify(await api.get('https://api.mock.test/').json()));
    });
    clock.timer(1, async () => {
      seen.push(await new Response('text').text());
    });
    clock.timer(1, () => seen.push('next timer'));
    await clock.advance(1);
    expect(seen).toEqual(['{"ok":true}', 'text', 'next timer']);
  });
});
