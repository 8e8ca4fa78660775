import { expect, it } from 'vitest';
import { TrialTurn } from '../../src/sharing/trial-turn.ts';
import { virtualClock } from '../../src/testing/index.ts';

const HOUR_MS = 3_600_000;

/** A process whose turn comes half a minute after a trial is due, and how often its calls were woken. */
function turnOf(waiting = 1) {
  const clock = virtualClock();
  const world = { clock, woken: 0, waiting };
  const member = { clock, random: () => 0.5, waiting: () => world.waiting, wake: () => void world.woken++ };
  return Object.assign(world, { turn: new TrialTurn(member) });
}

it('an hourly trial goes at a random time within a minute after it is due, and calls that wait ask again then', async () => {
  const world = turnOf();
  expect(world.turn.hasCome(0)).toBe(false);
  await world.clock.advance(20_000);
  expect(world.turn.hasCome(20_000)).toBe(false);
  await world.clock.advance(9_999);
  expect([world.turn.hasCome(29_999), world.woken]).toEqual([false, 0]);
  await world.clock.advance(1);
  // Once, however often the calls have asked.
  expect([world.turn.hasCome(30_000), world.woken]).toEqual([true, 1]);
});

it('an hourly trial may go for a minute after its time, and is then given another', () => {
  const { turn } = turnOf();
  turn.hasCome(0);
  expect([30_000, 90_000].map((now) => turn.hasCome(now))).toEqual([true, true]);
  expect([90_001, 120_000, 120_001].map((now) => turn.hasCome(now))).toEqual([false, false, true]);
  expect([HOUR_MS, HOUR_MS + 30_000].map((now) => turn.hasCome(now))).toEqual([false, true]);
});

it('an hourly trial sets no timer where no call waits, nor after it was cancelled', async () => {
  const idle = turnOf(0);
  expect(idle.turn.hasCome(0)).toBe(false);
  await idle.clock.advance(60_000);
  expect(idle.woken).toBe(0);
  const cancelled = turnOf();
  cancelled.turn.cancel();
  cancelled.turn.hasCome(0);
  cancelled.turn.cancel();
  await cancelled.clock.advance(60_000);
  expect(cancelled.woken).toBe(0);
});
