/**
 * Measures a quota that several processes share through Redis: latency, use of the quota, refusals, round trips, and the
 * effects of failures, beside rate-limiter-flexible and bottleneck.
 *
 * Each run has processes of its own: the workers, a redis-server, and a service on the loopback that counts exactly and
 * answers after 5 to 15 ms (`service.ts`). Each run starts with an empty Redis. The service's clock is set so that a run ends
 * with a minute, and all subjects of a scenario get the same arrivals. The runs of a scenario alternate between its subjects.
 * stacks-quota is told no limit; the other libraries are told the true limits.
 *
 * What is measured begins after 10 s of settling: see `spanOf`. "added" is the time of a call less the median time of
 * requests that the same processes make without any client during the run. "served / possible" compares the requests that
 * the service served with those that its limits allow (`possibleIn`), and "of the seconds with room" with those that the
 * seconds allow until their minute is used up (`roomIn`). A trip is an EVALSHA or EVAL that Redis has run. Refused and failed
 * calls are those of the whole run.
 *
 *     npm run bench:redis                                   # every scenario, for hours
 *     npm run bench:redis -- --list                         # their names
 *     npm run bench:redis -- --only light --only bursts     # those whose names contain one of these
 *     npm run bench:redis -- --only "one busy" --starts 20 --seconds 40 --subject stacks-quota
 *     npm run bench:redis -- --only light --at-once 3       # three runs side by side, for traffic that leaves CPU time idle
 *
 * Needs redis-server, and a machine with nothing else to do: latencies contain every wait for the CPU.
 */
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { Scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import type { Subject } from './subject.ts';
import { tableOf } from './table.ts';
import { type Measured, runTrial } from './trial.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [''] },
    /** Only subjects of exactly this name. */
    subject: { type: 'string', multiple: true },
    seconds: { type: 'string' },
    starts: { type: 'string' },
    seed: { type: 'string', default: '1' },
    'at-once': { type: 'string', default: '1' },
    list: { type: 'boolean', default: false },
  },
});

const chosen = scenarios
  .filter(({ name }) => values.only.some((text) => name.includes(text)))
  .map((scenario) => ({
    ...scenario,
    subjects: scenario.subjects.filter(({ name }) => values.subject?.includes(name) ?? true),
    seconds: Number(values.seconds ?? scenario.seconds),
    starts: Number(values.starts ?? scenario.starts ?? 1),
  }))
  .filter(({ subjects }) => subjects.length > 0);
if (values.list) for (const { name, seconds } of chosen) console.log(`${name} (${seconds} s)`);
else await runAll();

async function runAll(): Promise<void> {
  const load = loadavg()[0]?.toFixed(1);
  console.log(
    `Node ${process.version}, ${availableParallelism()} CPUs, load ${load}, ${values['at-once']} runs at a time\n`,
  );
  const enter = gate(Number(values['at-once']));
  const tables = chosen.map((scenario) => measure(scenario, enter));
  for (const table of tables) console.log(await table);
}

/** Runs all subjects of a scenario in turn, as often as it says. */
async function measure(scenario: Scenario, enter: Gate): Promise<string> {
  const { name, subjects, starts = 1 } = scenario;
  const rounds = Array.from({ length: starts }, (_, round) => round);
  const runs = await Promise.all(
    rounds.flatMap((round) =>
      subjects.map(async (subject): Promise<readonly [Subject, Measured]> => {
        const measured = await enter(() => {
          process.stderr.write(`${new Date().toISOString()} ${name}: ${subject.name}\n`);
          return runTrial(scenario, subject, Number(values.seed) + round);
        });
        return [subject, measured];
      }),
    ),
  );
  const rows = subjects.map((subject) => ({
    subject,
    runs: runs.filter(([of]) => of === subject).map(([, measured]) => measured),
  }));
  return tableOf(scenario, rows);
}

type Gate = <Value>(work: () => Promise<Value>) => Promise<Value>;

/** Runs at most `atOnce` works at a time, in the order in which they came. */
function gate(atOnce: number): Gate {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
