/**
 * Measures what sharing costs: processes that share a key, beside one client that makes all their calls; and how long calls of one client wait. In virtual time,
 * with the store in memory, so a run takes minutes, and the same seed gives exactly the same figures.
 *
 *     npm run bench:fleet                          # all worlds, three seeds
 *     npm run bench:fleet -- --only "in turn"      # worlds or tables whose names contain this
 *     npm run bench:fleet -- --seeds 10 --seed 4   # ten seeds, from the fourth on
 *     npm run bench:fleet -- --only "Light traffic" # one client alone, beside what full knowledge of the windows gives
 */
import { parseArgs } from 'node:util';
import { type Played, play } from './play.ts';
import { lightTable, type Row, tableOf } from './table.ts';
import type { World } from './world.ts';
import { light } from './worlds/light.ts';
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

const lightRows = [];
for (const { name, worlds } of light.filter((one) => `Light traffic: ${one.name}`.includes(values.only))) {
  const byShape = [];
  for (const world of worlds) byShape.push(await playAll(world, false));
  lightRows.push({ name, byShape });
}
if (lightRows.length > 0) console.log(lightTable(lightRows));

async function rowOf(world: World): Promise<Row> {
  return { world, one: await playAll(world, false), fleet: await playAll(world, true) };
}

async function playAll(world: World, isShared: boolean): Promise<Played[]> {
  const played = [];
  for (const seed of seeds) played.push(await play(world, seed, isShared));
  return played;
}
