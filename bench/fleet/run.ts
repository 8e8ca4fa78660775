/**
 * Measures what sharing costs: processes that share a key, beside one client that makes all their calls. In virtual time,
 * with the store in memory, so a run takes minutes, and the same seed gives exactly the same figures.
 *
 *     npm run bench:fleet                          # all worlds, three seeds
 *     npm run bench:fleet -- --only "in turn"      # worlds or tables whose names contain this
 *     npm run bench:fleet -- --seeds 10 --seed 4   # ten seeds, from the fourth on
 */
import { parseArgs } from 'node:util';
import { play } from './play.ts';
import { type Row, tableOf } from './table.ts';
import type { World } from './world.ts';
import { groups } from './worlds.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    seeds: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
  },
});
const seeds = Array.from({ length: Number(values.seeds) }, (_, nth) => Number(values.seed) + nth);

for (const [title, worlds] of Object.entries(groups)) {
  const chosen = worlds.filter(({ name }) => `${title}: ${name}`.includes(values.only));
  if (chosen.length === 0) continue;
  const rows: Row[] = [];
  for (const world of chosen) rows.push(await rowOf(world));
  console.log(`${tableOf(title, rows)}\n`);
}

async function rowOf(world: World): Promise<Row> {
  const one = [];
  const fleet = [];
  for (const seed of seeds) {
    one.push(await play(world, seed, false));
    fleet.push(await play(world, seed, true));
  }
  return { world, one, fleet };
}
