import { expect, it } from 'vitest';
import { Alarm } from '../src/alarm.ts';
import { virtualClock } from '../src/testing/index.ts';

it('an alarm rings once at the instant that it was set to last, and then is not set', async () => {
  const clock = virtualClock();
  const rung: [at: number, now: number][] = [];
  const alarm = new Alarm(clock, (at) => void rung.push([at, clock.now()]));
  alarm.set(1_000);
  alarm.set(3_000);
  alarm.set(3_000);
  expect([alarm.at, clock.timers]).toEqual([3_000, 1]);
  await clock.advance(10_000);
  expect([rung, alarm.at, clock.timers]).toEqual([[[3_000, 3_000]], Infinity, 0]);
});

it('an alarm that is cleared does not ring, and one of the past rings at once', async () => {
  const clock = virtualClock();
  const rung: number[] = [];
  const alarm = new Alarm(clock, (at) => void rung.push(at));
  alarm.set(1_000);
  alarm.set(Infinity);
  expect([alarm.at, clock.timers]).toEqual([Infinity, 0]);
  await clock.advance(2_000);
  expect(rung).toEqual([]);
  alarm.set(-Infinity);
  await clock.advance(0);
  expect(rung).toEqual([-Infinity]);
});

it('an alarm may be set again while it rings', async () => {
  const clock = virtualClock();
  const rung: number[] = [];
  const alarm = new Alarm(clock, (at) => {
    rung.push(at);
    if (at < 3_000) alarm.set(at + 1_000);
  });
  alarm.set(1_000);
  await clock.advance(10_000);
  expect(rung).toEqual([1_000, 2_000, 3_000]);
});
