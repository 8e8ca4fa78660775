import { parseArgs } from 'node:util';
import { ours } from './contenders/ours.ts';
import { contenders } from './contenders.ts';
import { type Job, runAll } from './crew.ts';
import { rowsFrom } from './rows.ts';
import type { Scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { markdownTable, sideBySide, textTable } from './table.ts';
import { complaints, verdict } from './targets.ts';
import { timeline } from './timeline.ts';

const { values } = parseArgs({
  options: {
    /** Runs only scenarios with this text in their name, or with this promise. */
    only: { type: 'string', default: '' },
    /** Runs stacks-quota only. */
    ours: { type: 'boolean', default: false },
    /** Runs all contenders in every scenario, not only in those for comparison. */
    all: { type: 'boolean', default: false },
    /** Runs the scenarios of which there are many alike, too. */
    deep: { type: 'boolean', default: false },
    /** Number of seeds per scenario. */
    seeds: { type: 'string', default: '1' },
    /** The first seed. */
    seed: { type: 'string', default: '1' },
    /** Runs this number of random scenarios instead of the set, and shows those that miss their promise. */
    random: { type: 'string' },
    /**
     * Runs the clients that do not share, beside ones that are told of each other and use each of these parts of a second; and those beside
     * strangers that repeat what is refused, beside ones that are told of all that has arrived and leave so many units.
     */
    bound: { type: 'boolean', default: false },
    /** Prints the requests second by second. */
    timeline: { type: 'boolean', default: false },
    /** Prints tables in Markdown. */
    markdown: { type: 'boolean', default: false },
  },
});

/** Parts of a second that clients which are told of each other use. */
const PARTS = [0.5, 0.6, 0.7, 0.8, 0.833, 0.9, 0.95, 1];

/** Units of each window that clients leave which are told of all that has arrived. */
const LEFT = [0, 1, 2, 4, 8, 12, 16, 18];

const startedAt = performance.now();
const measured = await runAll(jobs(), tellProgress);
const rows = rowsFrom(measured);
const own = rows.filter(({ contender }) => contender === ours.name);
const compared = rows.filter((row) => rows.some((other) => other.scenario === row.scenario && other !== row));

const shown = values.random === undefined ? rows : rows.filter((row) => complaints(row).length > 0);
if (values.timeline) console.log(`${measured.map(timeline).join('\n\n')}\n`);
console.log(values.markdown ? markdownTable(own) : textTable(shown));
if (compared.length > 0) console.log(`\n${sideBySide(compared)}`);
console.log(`\n${verdict(own)}`);
console.error(`\n${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);

function jobs(): Job[] {
  const seeds = Array.from(
    { length: Number(values.random ?? values.seeds) },
    (_, index) => Number(values.seed) + index,
  );
  if (values.random !== undefined) {
    return seeds.map((seed) => ({ scenario: `random world ${seed}`, contender: ours.name, seed }));
  }
  if (values.bound) return boundJobs(seeds);
  const isNamed = ({ name, promised }: Scenario): boolean => name.includes(values.only) || promised === values.only;
  const chosen = scenarios.filter((one) => isNamed(one) && (!one.isDeep || values.deep || values.only !== ''));
  if (chosen.length === 0) throw new Error(`No scenario is called ${values.only}.`);
  const contendersIn = ({ isCompared }: Scenario): typeof contenders =>
    !values.ours && (isCompared || values.all) ? contenders : [ours];
  return chosen.flatMap((scenario) =>
    contendersIn(scenario).flatMap((contender) =>
      seeds.map((seed) => ({ scenario: scenario.name, contender: contender.name, seed })),
    ),
  );
}

function boundJobs(seeds: readonly number[]): Job[] {
  const named = scenarios.filter(({ name }) => name.includes(values.only));
  const crowds = named.filter(({ clients = 1, isShared }) => clients > 1 && !isShared);
  const repeating = named.filter(
    ({ others, windows }) => !windows && (others?.manner === 'eager' || others?.manner === 'backlogged'),
  );
  return [
    ...besideOurs(
      crowds,
      PARTS.map((part) => `equal parts of ${part}`),
      seeds,
    ),
    ...besideOurs(
      repeating,
      LEFT.map((left) => `all the past, leaving ${left}`),
      seeds,
    ),
  ];
}

function besideOurs(worlds: readonly Scenario[], told: readonly string[], seeds: readonly number[]): Job[] {
  return worlds.flatMap(({ name }) =>
    [ours.name, ...told].flatMap((contender) => seeds.map((seed) => ({ scenario: name, contender, seed }))),
  );
}

function tellProgress(done: number, total: number): void {
  if (process.stderr.isTTY) process.stderr.write(done < total ? `\r${done} of ${total} ` : '\r\u001b[K');
}
