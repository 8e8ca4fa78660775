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
    turnAway: (calls: ReadonlyMap<PendingCall, unknown>) =>
      new Map(Array.from(calls.keys(), (call) => [call, new Error('overdue')])),
  };
}

function waitingSince(calledAt: number): WaitingCall {
  return { call: { trace: { calledAt } } } as WaitingCall;
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
  const waiting = waitingSince(0);
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
  bounded.add(waitingSince(0), 500);
  bounded.add(waitingSince(0), 500);
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
  const [slow, sent, soon] = [waitingSince(0), waitingSince(0), waitingSince(0)];
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

it('does not count the time of a pause without an end', async () => {
  const clock = virtualClock();
  const outlook = outlookOf();
  const rejectedAt: number[] = [];
  const bounded = new BoundedCalls(outlook, clock, ({ call }) => {
    rejectedAt.push(clock.now());
    bounded.delete(call);
  });
  bounded.add(waitingSince(0), 300);
  await clock.advance(100);
  outlook.isPaused = true;
  bounded.onWake();
  await clock.advance(500);
  bounded.onWake();
  bounded.add(waitingSince(600), 400);
  await clock.advance(400);
  outlook.isPaused = false;
  bounded.onWake();
  bounded.onWake();
  await clock.advance(10_000);
  expect(rejectedAt).toEqual([1_200, 1_400]);
});

it('gives a call that waits anew what is left of its time, but no less than a quarter of a second', async () => {
  const clock = virtualClock();
  const rejectedAt: number[] = [];
  const bounded = new BoundedCalls(outlookOf(), clock, ({ call }) => {
    rejectedAt.push(clock.now());
    bounded.delete(call);
  });
  await clock.advance(1_000);
  bounded.add(waitingSince(0), 300);
  bounded.add(waitingSince(0), 2_000);
  await clock.advance(10_000);
  expect(rejectedAt).toEqual([1_250, 2_000]);
});

// Each call has an instant of its own, and each timer took a millisecond: of 100,000 calls some were rejected ten seconds late.
it('rejects all calls whose time is over with one timer', async () => {
  const clock = virtualClock();
  let late = 0;
  let timers = 0;
  const slow = {
    ...clock,
    now: () => clock.now() + late,
    timer: (ms: number, ring: () => void) => {
      timers++;
      return clock.timer(ms, ring);
    },
  };
  let rejected = 0;
  const bounded = new BoundedCalls(outlookOf(), slow, () => rejected++);
  for (let nth = 0; nth < 1_000; nth++) bounded.add(waitingSince(0), 300 + nth / 1_000);
  late = 50;
  await clock.advance(300);
  expect([rejected, timers]).toEqual([1_000, 1]);
});

it('rejects no call that an earlier rejection let go', async () => {
  const clock = virtualClock();
  const rejected: WaitingCall[] = [];
  const [first, second] = [waitingSince(0), waitingSince(0)];
  const bounded = new BoundedCalls(outlookOf(), clock, (waiting) => {
    rejected.push(waiting);
    Object.assign(second, { isOver: true });
  });
  bounded.add(first, 300);
  bounded.add(second, 300);
  await clock.advance(300);
  expect(rejected).toEqual([first]);
});
