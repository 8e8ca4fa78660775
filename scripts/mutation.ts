/**
 * Plants mistakes in the source, one at a time, and shows which no test of the room finds: `npm run test:mutation -- quota`, or
 * `-- src/quota/window/probing.ts`. Each file has a report of its own below `reports/mutation`, so that a run goes on where another
 * ended: a mistake is planted again only if its file or a test has changed.
 */
import { globSync, mkdirSync } from 'node:fs';
import { Stryker } from '@stryker-mutator/core';

type Options = ConstructorParameters<typeof Stryker>[0];
type Mistakes = Awaited<ReturnType<Stryker['runMutationTest']>>;

const REPORTS = 'reports/mutation';

/** The tests that are to find a room's mistakes. All of them run in virtual time. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  quota: ['test/quota/**/*.test.ts'],
  scheduler: ['test/scheduler/**/*.test.ts', 'test/bulk/**/*.test.ts'],
  http: ['test/http/**/*.test.ts', 'test/client/**/*.test.ts', 'test/fetch/fetch.test.ts'],
  sharing: ['test/sharing/**/*.test.ts'],
  redis: ['test/redis/{redis-store,nonsense,share-options,differential}.test.ts'],
};

const asked = process.argv.slice(2);
if (asked.length === 0) {
  console.error(`Name rooms (${Object.keys(TESTS).join(', ')}) or files: npm run test:mutation -- quota`);
  process.exit(2);
}

let [found, planted] = [0, 0];
for (const path of asked.flatMap((name) => (name in TESTS ? globSync(`src/${name}/**/*.ts`).sort() : [name]))) {
  const mistakes = (await plantedIn(path)).filter(({ status }) => status !== 'Ignored' && status !== 'CompileError');
  const missed = mistakes.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  found += mistakes.length - missed.length;
  planted += mistakes.length;
  console.log(`${percent(mistakes.length - missed.length, mistakes.length)} ${path}: ${mistakes.length} planted`);
  for (const { location, mutatorName, replacement = '', status } of missed) {
    const { line, column } = location.start;
    const shown = replacement.replaceAll(/\s+/g, ' ').slice(0, 60);
    console.log(
      `       ${path}:${line}:${column} ${mutatorName}${status === 'Survived' ? '' : ', never run'}: ${shown}`,
    );
  }
}
console.log(`${percent(found, planted)} of ${planted} planted mistakes are found`);

/** Plants each mistake in a file and runs the room's tests against it. */
async function plantedIn(path: string): Promise<Mistakes> {
  const room = path.split('/')[1] ?? '';
  process.env.MUTATION_TESTS = TESTS[room]?.join(',') ?? '';
  mkdirSync(REPORTS, { recursive: true });
  return new Stryker({
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    mutate: [path],
    coverageAnalysis: 'perTest',
    ignoreStatic: true,
    // The words of a message are no rule.
    mutator: { excludedMutations: ['StringLiteral'] },
    incremental: true,
    incrementalFile: `${REPORTS}/${path.replaceAll('/', '-')}.json`,
    tempDirName: 'reports/planted',
    vitest: { configFile: 'vitest.mutation.config.ts', related: false },
    reporters: [],
    logLevel: 'error' as NonNullable<Options['logLevel']>,
    fileLogLevel: 'off' as NonNullable<Options['fileLogLevel']>,
    allowConsoleColors: false,
    timeoutMS: 20_000,
  }).runMutationTest();
}

function percent(part: number, whole: number): string {
  return `${((part / Math.max(1, whole)) * 100).toFixed(1).padStart(5)} %`;
}
