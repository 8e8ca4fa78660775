import { expect, it } from 'vitest';
import { Duties } from '../../src/scheduler/duties.ts';
import { virtualClock } from '../../src/testing/index.ts';

const HOUR_MS = 3_600_000;

/** Duties for a queue in which as many calls wait as the test says. */
function duties() {
  const clock = virtualClock();
  const said = { length: 0, keyDueAt: Infinity, triesAt: Infinity };
  const asked: number[] = [];
  const woken: number[] = [];
  const queue = {
    get length() {
      return said.length;
    },
    wake: () => void woken.push(clock.now()),
  };
  const books = {
    present: {
      get triesAt() {
        return said.triesAt;
      },
    },
  };
  const keyTurns = {
    get dueAt() {
      return said.keyDueAt;
    },
    askWhileWaiting() {
      asked.push(clock.now());
      said.keyDueAt = clock.now() + 1_000;
    },
  };
  return { clock, said, asked, woken, duties: new Duties({ clock, queue, books, keyTurns }) };
}

it('duties ask for the key when it is due, but only while calls wait', async () => {
  const { clock, said, asked, duties: all } = duties();
  said.keyDueAt = 500;
  expect(clock.timers).toBe(0);
  said.length = 1;
  all.start();
  await clock.advance(2_600);
  expect(asked).toEqual([500, 1_500, 2_500]);
  said.length = 0;
  await clock.advance(10_000);
  expect([asked.length, clock.timers]).toEqual([3, 0]);
});

it('duties wake the queue for a trial once an hour at most, however soon one may be made', async () => {
  const { clock, said, woken, duties: all } = duties();
  Object.assign(said, { triesAt: 5_000, length: 1 });
  all.start();
  await clock.advance(2 * HOUR_MS + 6_000);
  expect(woken).toEqual([5_000, HOUR_MS + 5_000, 2 * HOUR_MS + 5_000]);
});

it('duties leave no timer when no call is left', () => {
  const { clock, said, duties: all } = duties();
  Object.assign(said, { triesAt: 5_000, keyDueAt: 500, length: 1 });
  all.start();
  expect(clock.timers).toBe(1);
  all.stop();
  expect(clock.timers).toBe(0);
});

it('what was put off meanwhile is not done before it is due', async () => {
  const { clock, said, asked, duties: all } = duties();
  Object.assign(said, { keyDueAt: 1_000, length: 1 });
  all.start();
  said.keyDueAt = 3_000;
  await clock.advance(3_500);
  expect(asked).toEqual([3_000]);
});

it('what is due sooner by the time that another call begins to wait is done then', async () => {
  const { clock, said, asked, duties: all } = duties();
  Object.assign(said, { triesAt: 5_000, length: 1 });
  all.start();
  said.keyDueAt = 1_000;
  all.start();
  await clock.advance(1_500);
  expect(asked).toEqual([1_000]);
});
