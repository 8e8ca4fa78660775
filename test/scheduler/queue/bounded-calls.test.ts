import { expect, it } from 'vitest';
import { BoundedCalls } from '../../../src/scheduler/queue/bounded-calls.ts';
import type { WaitingCall } from '../../../src/scheduler/queue/waiting-call.ts';
import { virtualClock } from '../../../src/testing/index.ts';

it('looks at calls again without an answer for as long as one waits, and sets no timer when none does', async () => {
  const clock = virtualClock();
  const looks: number[] = [];
  const outlook = {
    recheckAt: 100,
    lateErrors: () => {
      looks.push(clock.now());
      outlook.recheckAt += 100;
      return new Map();
    },
  };
  let timers = 0;
  const timer: typeof clock.timer = (ms, ring) => {
    timers++;
    const cancel = clock.timer(ms, ring);
    return () => {
      timers--;
      cancel();
    };
  };
  const bounded = new BoundedCalls(outlook, { ...clock, timer, now: () => clock.now() }, () => {});
  const waiting = { call: {} } as WaitingCall;
  bounded.add(waiting, 500);
  await clock.advance(250);
  expect(looks).toEqual([100, 200]);
  const set = timers;
  bounded.delete(waiting.call);
  expect(timers).toBe(set - 1);
  await clock.advance(1_000);
  expect(looks).toHaveLength(2);
});

it('asks nothing where no call waits, and sets one timer for calls that are looked at again at one time', () => {
  const clock = virtualClock();
  let looks = 0;
  const outlook = {
    recheckAt: 100,
    lateErrors: () => {
      looks++;
      return new Map();
    },
  };
  let timers = 0;
  const timer: typeof clock.timer = (ms, ring) => {
    timers++;
    return clock.timer(ms, ring);
  };
  const bounded = new BoundedCalls(outlook, { ...clock, timer, now: () => clock.now() }, () => {});
  bounded.rejectLate();
  expect([looks, timers]).toEqual([0, 0]);
  bounded.add({ call: {} } as WaitingCall, 500);
  bounded.add({ call: {} } as WaitingCall, 500);
  bounded.rejectLate();
  expect([looks, timers]).toEqual([1, 1]);
});
