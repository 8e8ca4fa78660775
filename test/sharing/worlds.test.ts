import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../support/deep.ts';
import { play, type World, worldsOf } from './support/worlds.ts';

/** How many requests may be refused until a shape is seen that no reading shows: an estimate of a second, or of few units (docs/sharing.md). */
function shownByRefusal({ limits, shapes, isKnown }: World): number {
  const periods = isKnown ? [] : (['second', 'minute', 'hour', 'day'] as const);
  const estimated = periods.filter((period) => shapes[period] === 'sliding-counter');
  const unseen = estimated.filter((period) => period === 'second' || (limits[period] ?? 0) <= 3);
  return unseen.reduce((sum, period) => sum + (limits[period] ?? 0), 0);
}

/** A world in which `Room` knows no reason why a call failed, or in which more is refused than one client alone is. */
async function expectFair(world: World, isExact: boolean): Promise<void> {
  const shared = await play(world, true);
  const alone = await play(world, false);
  const mayBeRefused = shownByRefusal(world);
  expect(shared.refused).toBeLessThanOrEqual(alone.refused + mayBeRefused);
  // After a refusal all calls wait as it says, whatever room there is.
  if (isExact && mayBeRefused === 0) expect(shared.falsely).toEqual([]);
}

describe('processes that share windows of one to ten units, of any shape, known or not,', () => {
  it('are refused no more than one client alone, and no call of theirs fails while every window has room by the rules', async () => {
    await fc.assert(
      fc.asyncProperty(worldsOf(['second', 'minute', 'month']), (world) => expectFair(world, true)),
      { numRuns: runs(30, 500) },
    );
  }, 600_000);

  it('are refused no more where hours and days bound them', async () => {
    await fc.assert(
      fc.asyncProperty(worldsOf(['second', 'minute', 'hour', 'day', 'month']), (world) => expectFair(world, false)),
      { numRuns: runs(15, 300) },
    );
  }, 600_000);
});
