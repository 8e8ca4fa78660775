import { parseArgs } from 'node:util';
import { ours } from './contenders/ours.ts';
import { contenders } from './contenders.ts';
import { runAll } from './crew.ts';
import { scenarios } from './scenarios.ts';
import { markdownTable, rowsFrom, textTable, verdict } from './table.ts';

const { values } = parseArgs({
  options: {
    /** Only scenarios whose name, or whose promise, contains this. */
    only: { type: 'string', default: '' },
    /** Ours alone. */
    ours: { type: 'boolean', default: false },
    /** So many different worlds for each scenario. */
    seeds: { type: 'string', default: '1' },
    /** The first of them. */
    seed: { type: 'string', default: '1' },
    markdown: { type: 'boolean', default: false },
  },
});

const chosen = scenarios.filter(({ name, promised }) => name.includes(values.only) || promised === values.only);
const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => Number(values.seed) + index);
const jobs = chosen.flatMap(({ name: scenario }) =>
  (values.ours ? [ours] : contenders).flatMap(({ name: contender }) =>
    seeds.map((seed) => ({ scenario, contender, seed })),
  ),
);

const startedAt = performance.now();
let done = 0;
const measured = await runAll(jobs, () => {
  if (process.stderr.isTTY) process.stderr.write(`\r${++done}/${jobs.length} `);
});
if (process.stderr.isTTY) process.stderr.write('\r          \r');
const rows = rowsFrom(measured, scenarios);
console.log(values.markdown ? markdownTable(rows) : textTable(rows));
console.log();
console.log(verdict(rows.filter(({ contender }) => contender === ours.name)));
console.error(`${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
