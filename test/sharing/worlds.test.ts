import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../support/deep.ts';
import { play, type World, worldsOf } from './support/worlds.ts';

/** How many requests may be refused until a shape is seen that no reading shows: an estimate of a second, or of few units (docs/sharing-protocol.md). */
function shownByRefusal({ limits, shapes, isKnown }: World): number {
  const periods = isKnown ? [] : (['second', 'minute', 'hour', 'day'] as const);
  const estimated = periods.filter((period) => shapes[period] === 'sliding-counter');
  const unseen = estimated.filter((period) => period === 'second' || (limits[period] ?? 0) <= 3);
  return unseen.reduce((sum, period) => sum + (limits[period] ?? 0), 0);
}

/** A world in which `Room` knows no reason why a call failed, or in which more is refused than one client alone is. */
async function expectFair(world: World): Promise<void> {
  const shared = await play(world, true);
  const alone = await play(world, false);
  const mayBeRefused = shownByRefusal(world);
  expect(shared.refused).toBeLessThanOrEqual(alone.refused + mayBeRefused);
  // After a refusal all calls wait as it says, whatever room there is.
  if (mayBeRefused === 0) expect(shared.falsely).toEqual([]);
}

describe('processes that share windows of one to ten units, of any shape, known or not,', () => {
  it.each([
    ['seconds, minutes and months', ['second', 'minute', 'month'], runs(4, 500)],
    ['hours and days, too,', ['second', 'minute', 'hour', 'day', 'month'], runs(2, 300)],
  ] as const)(
    'are refused no more than one client alone, and no call fails while every window has room by the rules: where %s bound them',
    async (_, periods, numRuns) => {
      await fc.assert(fc.asyncProperty(worldsOf(periods), expectFair), { numRuns });
    },
    600_000,
  );
});
