import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../support/deep.ts';
import { play, type World, worldsOf } from './support/worlds.ts';

/** A world in which `Room` knows no reason why a call failed, or in which more is refused than one client alone is. */
async function expectFair(world: World, isExact: boolean): Promise<void> {
  const shared = await play(world, true);
  const alone = await play(world, false);
  expect(shared.refused).toBeLessThanOrEqual(alone.refused);
  if (isExact) expect(shared.falsely).toEqual([]);
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
