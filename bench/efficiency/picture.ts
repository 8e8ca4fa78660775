/** Draws `docs/efficiency.svg` from a run of stacks-quota and of ky with retries. The run is in virtual time, so each gives the same picture. */
import { writeFileSync } from 'node:fs';
import { kyRetry } from './contenders/ky.ts';
import { ours } from './contenders/ours.ts';
import { runAll } from './crew.ts';
import { svg } from './plot.ts';

const SCENARIO = 'aligned: 20/s and 500/min';
const TITLES = ['stacks-quota', 'ky with retries'];

const measured = await runAll(
  [ours, kyRetry].map(({ name: contender }) => ({ scenario: SCENARIO, contender, seed: 1 })),
  () => {},
);
const picture = svg({
  headline: 'Same calls, same time, no 429s',
  caption: '1,750 calls at once, allowed 20 a second and 500 a minute',
  panels: measured.map((run, index) => ({ title: TITLES[index] ?? run.contender, measured: run })),
  limit: 20,
  pause: 'the 500 of this minute are used up',
});
writeFileSync('docs/efficiency.svg', picture);
for (const { contender, limited, tookMs } of measured) {
  console.log(`${contender}: ${limited} refused, ${Math.round(tookMs / 1_000)} s`);
}
