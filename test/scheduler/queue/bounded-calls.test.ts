import { expect, it } from 'vitest';
import { BoundedCalls } from '../../../src/scheduler/queue/bounded-calls.ts';
import type { PendingCall } from '../../../src/scheduler/queue/pending-call.ts';
import type { WaitingCall } from '../../../src/scheduler/queue/waiting-call.ts';
import { virtualClock } from '../../../src/testing/index.ts';

/** What is known of calls of which no estimate says that they are late. */
function outlookOf() {
  return {
    recheckAt: Infinity,
    isPaused: false,
    lateErrors: (): ReadonlyMap<PendingCall, Error> => new Map(),
    overdueError: () => new Error('overdue'),
  };
}

it('looks at calls again without an answer for as long as one waits, and sets no timer when none does', async () => {
  const clock = virtualClock();
  const looks: number[] = [];
  const outlook = {
    ...outlookOf(),
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
    ...outlookOf(),
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

it('rejects calls at their instants, whatever their order, and none that was sent', async () => {
  const clock = virtualClock();
  const rejected: (readonly [number, WaitingCall, string])[] = [];
  const bounded = new BoundedCalls(outlookOf(), clock, (waiting, { message }) => {
    rejected.push([clock.now(), waiting, message]);
    bounded.delete(waiting.call);
  });
  const [slow, sent, soon] = [{ call: {} }, { call: {} }, { call: {} }] as WaitingCall[] as [
    WaitingCall,
    WaitingCall,
    WaitingCall,
  ];
  bounded.add(slow, 5_000);
  bounded.add(sent, 200);
  bounded.add(soon, 300);
  await clock.advance(100);
  bounded.delete(sent.call);
  await clock.advance(10_000);
  expect(rejected).toEqual([
    [300, soon, 'overdue'],
    [5_000, slow, 'overdue'],
  ]);
  expect(clock.timers).toBe(0);
});

it('rejects no call during a pause without an end, and those whose instant has passed when that ends', async () => {
  const clock = virtualClock();
  const outlook = outlookOf();
  const rejectedAt: number[] = [];
  const bounded = new BoundedCalls(outlook, clock, ({ call }) => {
    rejectedAt.push(clock.now());
    bounded.delete(call);
  });
  bounded.add({ call: {} } as WaitingCall, 300);
  outlook.isPaused = true;
  bounded.add({ call: {} } as WaitingCall, 400);
  await clock.advance(1_000);
  expect(rejectedAt).toEqual([]);
  outlook.isPaused = false;
  bounded.onWake();
  await clock.advance(0);
  expect(rejectedAt).toEqual([1_000, 1_000]);
});
