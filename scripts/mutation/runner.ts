/**
 * Runs tests for Stryker in the process that has the planted mistakes, over and over: a mistake costs what the tests take that it is held
 * against, mostly a few milliseconds, and neither starts a process nor loads a module.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { ENTRY_POINTS } from '../entry-points.ts';
import type { Test, testsOf } from './vitest.ts';

/** How often code with each mistake was run, by its number. */
type Hits = Record<string, number>;

/** What the instrumented source reads and writes. */
interface Planted {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: { static: Hits; perTest: Record<string, Hits> };
}

interface MistakeRun {
  readonly testFilter?: readonly string[];
  readonly hitLimit?: number;
  readonly activeMutant: { readonly id: string };
}

/** A test waits for a promise that never settles if the process has been idle for this much longer than without a mistake. */
const IDLE_MS = 1_000;

/** A test never ends if it takes this much more of the processor's time than without a mistake, and this many times as much. */
const BUSY_MS = 2_000;
const BUSY_TIMES = 10;

/** How often that is looked at, in milliseconds. */
const LOOK_MS = 50;

/** A test of another folder is left out if it takes more time of the processor than this, in milliseconds. */
const LONG_MS = 50;

/** What a test took, in milliseconds: neither grows on a machine that has other work. */
interface Taken {
  /** Of the processor's time. */
  readonly busy: number;
  /** While nothing was to be done. */
  readonly idle: number;
}

/** What each test took, beside the planted source: Stryker measures in one process, and plants in another. */
const TIMES = 'times.json';

/** Tests may replace the global one. */
const utilization = performance.eventLoopUtilization.bind(performance);

const STAND_IN = new URL('./vitest.ts', import.meta.url).href;
const here = pathToFileURL(`${process.cwd()}/`).href;

const planted: Planted = {};
/** Loads modules anew with each number: a mistake may have left its mark on what a module remembers. */
let version = 0;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === STAND_IN || (specifier === 'vitest' && context.parentURL !== STAND_IN))
      return next(STAND_IN, context);
    const entry = ENTRY_POINTS[specifier];
    const found = next(entry ? pathToFileURL(resolve(entry)).href : specifier, context);
    const isOwn = found.url.startsWith(here) && !found.url.includes('/node_modules/');
    return isOwn ? { ...found, url: `${found.url}?${version}` } : found;
  },
});

// `expect` asks the worker of vitest for its settings, and what a test has left running may fail later.
Object.assign(globalThis, {
  __stryker__: planted,
  __vitest_worker__: { config: { expect: {} }, ctx: {}, environment: {}, rpc: {} },
});
process.on('unhandledRejection', () => undefined);
process.on('uncaughtException', () => undefined);
// The process that plants mistakes was ended, and reads no more answers.
process.once('disconnect', () => process.exit());
process.env.NODE_ENV = 'test';

class InProcessRunner {
  #tests = new Map<string, Test>();
  /** Whether modules may remember what a mistake made of it. */
  #isSpoilt = false;
  /** What each test took without a mistake. */
  #taken = new Map<string, Taken>();

  capabilities(): { reloadEnvironment: boolean } {
    return { reloadEnvironment: true };
  }

  async dryRun(): Promise<object> {
    await this.#load();
    const tests: object[] = [];
    for (const [id, test] of this.#tests) {
      planted.currentTestId = id;
      const taken = takenFrom();
      const failure = await failureOf(test);
      planted.currentTestId = undefined;
      this.#taken.set(id, taken());
      const common = { id, name: test.name, timeSpentMs: taken().busy, fileName: resolve(id.split('#')[0] ?? '') };
      if (failure !== undefined) {
        console.error(`left out, it fails when all is right: ${id}: ${failure}`);
        delete planted.mutantCoverage?.perTest[id];
      }
      tests.push({ ...common, status: failure === undefined ? 0 : 2 });
    }
    writeFileSync(TIMES, JSON.stringify([...this.#taken]));
    return { status: 'complete', tests, mutantCoverage: planted.mutantCoverage };
  }

  async mutantRun({ testFilter, hitLimit, activeMutant }: MistakeRun): Promise<object> {
    if (this.#tests.size === 0 || this.#isSpoilt) await this.#load();
    if (this.#taken.size === 0 && existsSync(TIMES)) this.#taken = new Map(JSON.parse(readFileSync(TIMES, 'utf8')));
    const msOf = (id: string): number => this.#taken.get(id)?.busy ?? 0;
    const ids = (testFilter ?? [...this.#tests.keys()])
      .filter((id) => msOf(id) < LONG_MS || dirname(id.split('#')[0] ?? '') === process.env.MUTATION_FOLDER)
      .sort((a, b) => msOf(a) - msOf(b));
    // A module may remember its last answer, given without the mistake to the very test that would find it. In reverse, another came before.
    const again = ids.filter((id) => msOf(id) < LONG_MS).toReversed();
    let nrOfTests = 0;
    for (const id of [...ids, ...again]) {
      nrOfTests++;
      let failure = await this.#fails(id, activeMutant.id, hitLimit);
      if (failure === undefined) continue;
      // A module may remember what was answered with the mistake: then the test fails without it, too, by this one or an earlier one.
      if ((await this.#fails(id)) !== undefined) {
        this.#isSpoilt = true;
        if (failure !== 'timeout') {
          await this.#load();
          failure = await this.#fails(id, activeMutant.id, hitLimit);
          this.#isSpoilt = true;
        }
      }
      if (failure === 'timeout') return { status: 'timeout' };
      if (failure !== undefined) return { status: 'killed', killedBy: [id], failureMessage: failure, nrOfTests };
    }
    return { status: 'survived', nrOfTests };
  }

  /** How a test fails with a mistake, or without any; undefined: it passes. */
  async #fails(id: string, mistake?: string, hitLimit?: number): Promise<string | undefined> {
    const test = this.#tests.get(id);
    if (!test) return undefined;
    Object.assign(planted, { activeMutant: mistake, hitCount: 0, hitLimit });
    const failure = await failureOf(test, this.#taken.get(id));
    const isEndless = hitLimit !== undefined && (planted.hitCount ?? 0) > hitLimit;
    Object.assign(planted, { activeMutant: undefined, hitCount: undefined, hitLimit: undefined });
    return isEndless ? 'timeout' : failure;
  }

  async #load(): Promise<void> {
    version++;
    this.#isSpoilt = false;
    this.#tests.clear();
    const { testsOf: read }: { testsOf: typeof testsOf } = await import(STAND_IN);
    await import(pathToFileURL(resolve('test/support/properties.ts')).href);
    for (const path of (process.env.MUTATION_TESTS ?? '')
      .split(',')
      .flatMap((glob) => globSync(glob))
      .sort()) {
      const url = pathToFileURL(resolve(path)).href;
      for (const test of await read(() => import(`${url}?${version}`)))
        this.#tests.set(`${relative(process.cwd(), path)}#${test.name}`, test);
    }
  }
}

/** How a test fails; 'timeout': it would never end, by what it takes and `usual`. Undefined: it passes. */
async function failureOf(test: Test, usual: Taken = { busy: 15_000, idle: 15_000 }): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const taken = takenFrom();
    const stuck = new Promise<string>((stop) => {
      timer = setInterval(() => {
        const { busy, idle } = taken();
        if (idle > 2 * usual.idle + IDLE_MS || busy > BUSY_TIMES * usual.busy + BUSY_MS) stop('timeout');
      }, LOOK_MS);
    });
    return await Promise.race([test.run().then(() => undefined), stuck]);
  } catch (error) {
    return String(error instanceof Error ? error.message : error).slice(0, 200);
  } finally {
    clearInterval(timer);
  }
}

/** Measures from now on. */
function takenFrom(): () => Taken {
  const busyAtFirst = process.cpuUsage();
  const { idle: idleAtFirst } = utilization();
  return () => {
    const { user, system } = process.cpuUsage(busyAtFirst);
    return { busy: (user + system) / 1_000, idle: utilization().idle - idleAtFirst };
  };
}

/** Read by Stryker. */
export const strykerPlugins: readonly object[] = [
  { kind: 'TestRunner', name: 'in-process', injectableClass: InProcessRunner },
];
