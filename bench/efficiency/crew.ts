import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { contenderNamed } from './contenders.ts';
import { scenarioNamed } from './scenarios.ts';
import { type Measured, runTrial } from './trial.ts';

/** One trial: names of the scenario and the contender, and a seed. */
export interface Job {
  readonly scenario: string;
  readonly contender: string;
  readonly seed: number;
}

/** Size of the young generation: simulations allocate many short-lived objects. */
const YOUNG_MB = 64;

/** Runs jobs on all cores, long ones first, and returns their results in order. `tell` is called with the number of finished jobs. */
export async function runAll(jobs: readonly Job[], tell: (done: number, total: number) => void): Promise<Measured[]> {
  const results: Measured[] = new Array(jobs.length);
  const callsOf = ({ scenario }: Job): number => scenarioNamed(scenario).bulk;
  const waiting = [...jobs.entries()].sort(([, a], [, b]) => callsOf(b) - callsOf(a)).values();
  let done = 0;
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL(import.meta.url), { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
      let given: [place: number, job: Job] | undefined;
      const give = (): void => {
        given = waiting.next().value;
        if (given) worker.postMessage(given[1]);
        else void worker.terminate().then(() => resolve());
      };
      worker.on('message', (measured: Measured) => {
        if (given) results[given[0]] = measured;
        tell(++done, jobs.length);
        give();
      });
      worker.on('error', (error) => reject(new Error(`Failed: ${JSON.stringify(given?.[1])}`, { cause: error })));
      give();
    });
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), jobs.length) }, work));
  return results;
}

if (!isMainThread) {
  parentPort?.on('message', async ({ scenario, contender, seed }: Job) => {
    parentPort?.postMessage(await runTrial(scenarioNamed(scenario), contenderNamed(contender), seed));
  });
}
