import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/clock.ts';
import { inTime } from '../../../src/sharing/trips/in-time.ts';
import { virtualClock } from '../../../src/testing/index.ts';

describe('work that is awaited no longer than so long', () => {
  it('settles as it does, and leaves no timer', async () => {
    const clock = virtualClock();
    expect(await inTime(clock, 50, Promise.resolve(7))).toBe(7);
    await expect(inTime(clock, 50, Promise.reject(new Error('READONLY')))).rejects.toThrow('READONLY');
    expect(clock.timers).toBe(0);
  });

  it('is given up with the code TIMEOUT', async () => {
    const clock = virtualClock();
    const given = expect(inTime(clock, 50, new Promise(() => {}))).rejects.toMatchObject({ code: 'TIMEOUT' });
    await clock.advance(50);
    await given;
    expect(clock.timers).toBe(0);
  });

  it('gets a little more time where the event loop stood still: its answer may be there, and only not be read yet', async () => {
    // A timer that fires late is all that shows a process that it was stopped.
    let now = 0;
    const timers: { ms: number; fire: () => void }[] = [];
    const clock: Clock = {
      now: () => now,
      wall: () => now,
      timer: (ms, fire) => {
        timers.push({ ms, fire });
        return () => {};
      },
    };
    let answer: (value: string) => void = () => {};
    const work = inTime(clock, 50, new Promise<string>((resolve) => (answer = resolve)));
    now = 3_000;
    timers[0]?.fire();
    expect(timers[1]?.ms).toBe(10);
    answer('in time');
    expect(await work).toBe('in time');
  });

  it('gets none where its timer fired when it should, however late in the life of its process', async () => {
    for (const lateMs of [0, 10]) {
      const clock = virtualClock();
      await clock.advance(60_000);
      let late = 0;
      const given = expect(
        inTime(
          { ...clock, now: () => clock.now() + late, timer: (ms, fire) => clock.timer(ms, fire) },
          50,
          new Promise(() => {}),
        ),
      ).rejects.toMatchObject({ code: 'TIMEOUT' });
      late = lateMs;
      await clock.advance(50);
      expect(clock.timers).toBe(0);
      await given;
    }
  });

  it('gets more time once only', async () => {
    const clock = virtualClock();
    let now = 0;
    const stalled: Clock = { ...clock, now: () => now, timer: (ms, fire) => clock.timer(ms, fire) };
    const given = expect(inTime(stalled, 50, new Promise(() => {}))).rejects.toMatchObject({ code: 'TIMEOUT' });
    now = 3_000;
    await clock.advance(50);
    await clock.advance(10);
    await given;
    expect(clock.timers).toBe(0);
  });
});
