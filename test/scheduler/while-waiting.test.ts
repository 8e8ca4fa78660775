import { expect, it } from 'vitest';
import { WhileWaiting } from '../../src/scheduler/while-waiting.ts';
import { virtualClock } from '../../src/testing/index.ts';

it('what is due only while calls wait is not done before it is due, though that was put off meanwhile', async () => {
  const clock = virtualClock();
  const acted: number[] = [];
  let due = 1_000;
  const act = (): void => {
    acted.push(clock.now());
    due = Infinity;
  };
  new WhileWaiting({ clock, isWaiting: () => true, dueAt: () => due, act }).start();
  due = 3_000;
  await clock.advance(5_000);
  expect([acted, clock.timers]).toEqual([[3_000], 0]);
});
