/**
 * Plants mistakes in the source, one at a time, and shows which no test of the room finds: `npm run test:mutation -- quota`, or
 * `-- src/quota/window`, or `-- src/quota/window/shape/probing.ts`. Each folder has a report of its own below `reports/mutation`, so that a run
 * goes on where another ended: a mistake is planted again only if its file or a test has changed. `--table` prints what the reports
 * say as a table, and plants nothing. `scripts/mutation/README.md` lists mistakes that make no difference.
 */
import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Stryker } from '@stryker-mutator/core';

type Options = ConstructorParameters<typeof Stryker>[0];

interface Mistake {
  readonly location: { readonly start: { readonly line: number; readonly column: number } };
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly status: string;
}

const REPORTS = 'reports/mutation';

/** The tests that are to find a room's mistakes. All of them run in virtual time. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  quota: ['test/quota/**/*.test.ts'],
  scheduler: ['test/scheduler/**/*.test.ts', 'test/bulk/**/*.test.ts'],
  http: [
    'test/http/**/*.test.ts',
    'test/client/**/*.test.ts',
    'test/fetch/{answers,fetch,fetch-with,not-sent,redirects,retries,signal}.test.ts',
  ],
  sharing: ['test/sharing/**/*.test.ts'],
  redis: ['test/redis/{blocks,connection,redis-store,nonsense,share-options,differential}.test.ts'],
};

/** The tests that find a folder's mistakes as well: what the pacer tells its parts is seen by its callers. */
const CALLERS: Readonly<Record<string, readonly string[]>> = {
  'src/quota': ['test/client/**/*.test.ts', 'test/scheduler/**/*.test.ts'],
  'src/quota/forecast': [
    'test/scheduler/outlook/estimate.test.ts',
    'test/client/{deadlines-of-*,full-queue,month-state}.test.ts',
  ],
  'src/scheduler': [
    'test/{client,trace,pool}/**/*.test.ts',
    'test/fetch/{answers,fetch,redirects,retries,signal}.test.ts',
  ],
};

/** What explores small worlds in full, or simulates hours: minutes where each branch is counted. And what waits for sockets. */
const TOO_LONG: readonly string[] = [
  'test/quota/{interleavings,efficiency}.test.ts',
  'test/sharing/{bucket,bursts,crowd,even,explore,fleet*,rotation,share.contract,store-away,traffic*}.test.ts',
  'test/sharing/trips/trips.test.ts',
  'test/http/hostile-server.test.ts',
];

/** The room whose own tests are left out, too, where they take more than 50 ms: they simulate whole fleets. */
const ONLY_SHORT = 'src/sharing';

const given = process.argv.slice(2);
/** Tests that were named: no others are to find the mistakes. */
const named = given.filter((path) => path.startsWith('test/'));
const asked = given.filter((path) => !path.startsWith('test/'));
if (asked.length === 0) {
  console.error(`Name rooms (${Object.keys(TESTS).join(', ')}), folders or files: npm run test:mutation -- quota`);
  process.exit(2);
}

if (asked.includes('--table')) printTable();
else for (const [folder, paths] of byFolder(asked.flatMap(filesOf))) await plantIn(folder, paths);

function filesOf(name: string): readonly string[] {
  if (name.endsWith('.ts')) return [name];
  return globSync(`${name in TESTS ? `src/${name}` : name}/**/*.ts`).sort();
}

function byFolder(paths: readonly string[]): Map<string, string[]> {
  return Map.groupBy(paths, dirname);
}

/** Plants each mistake in some files of a folder, runs the room's tests against it, and prints those that were not found. */
async function plantIn(folder: string, paths: readonly string[]): Promise<void> {
  const incrementalFile = reportOf(folder);
  const globs = named.length > 0 ? named : [...(TESTS[folder.split('/')[1] ?? ''] ?? []), ...(CALLERS[folder] ?? [])];
  process.env.MUTATION_TESTS = globs.flatMap((glob) => globSync(glob, { exclude: TOO_LONG })).join(',');
  process.env.MUTATION_FOLDER = folder.startsWith(ONLY_SHORT) ? '' : folder.replace('src', 'test');
  mkdirSync(REPORTS, { recursive: true });
  await new Stryker({
    testRunner: 'in-process',
    plugins: [resolve('scripts/mutation/runner.ts')],
    mutate: [...paths],
    coverageAnalysis: 'perTest',
    ignoreStatic: true,
    // The words of a message are no rule.
    mutator: { excludedMutations: ['StringLiteral'] },
    incremental: true,
    incrementalFile,
    tempDirName: 'reports/planted',
    concurrency: 1,
    reporters: [],
    logLevel: 'error' as NonNullable<Options['logLevel']>,
    fileLogLevel: 'off' as NonNullable<Options['fileLogLevel']>,
    allowConsoleColors: false,
    timeoutMS: 30_000,
    timeoutFactor: 4,
  }).runMutationTest();
  for (const path of paths) {
    const mistakes = mistakesIn(path);
    const missed = missedOf(mistakes);
    const endless = mistakes.filter(({ status }) => status === 'Timeout').length;
    const found = percent(mistakes.length - missed.length, mistakes.length);
    console.log(`${found} ${path}: ${mistakes.length} planted, ${endless} found by a time-out`);
    for (const { location, mutatorName, replacement = '', status } of missed) {
      const { line, column } = location.start;
      const shown = replacement.replaceAll(/\s+/g, ' ').slice(0, 80);
      const how = status === 'Survived' ? mutatorName : `${mutatorName}, never run`;
      console.log(`       ${path}:${line}:${column} ${how}: ${shown}`);
    }
  }
}

/** The mistakes of a file by its report. */
function mistakesIn(path: string): readonly Mistake[] {
  const report = reportOf(dirname(path));
  if (!existsSync(report)) return [];
  const { files } = JSON.parse(readFileSync(report, 'utf8')) as {
    files: Record<string, { readonly mutants: readonly Mistake[] } | undefined>;
  };
  return files[path]?.mutants.filter(({ status }) => status !== 'Ignored' && status !== 'CompileError') ?? [];
}

function missedOf(mistakes: readonly Mistake[]): readonly Mistake[] {
  return mistakes.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
}

/** One row for each file that has a report, and one for each room. */
function printTable(): void {
  console.log('| File | planted | found |\n|---|--:|--:|');
  for (const room of Object.keys(TESTS)) {
    const rows = filesOf(room)
      .map((path) => ({ path, mistakes: mistakesIn(path) }))
      .filter(({ mistakes }) => mistakes.length > 0);
    if (rows.length === 0) continue;
    printRow(
      `**${room}**, ${rows.length} files`,
      rows.flatMap(({ mistakes }) => mistakes),
    );
    for (const { path, mistakes } of rows) printRow(path.replace(/^src\/|\.ts$/g, ''), mistakes);
  }
}

function printRow(name: string, mistakes: readonly Mistake[]): void {
  const found = mistakes.length - missedOf(mistakes).length;
  console.log(`| ${name} | ${mistakes.length} | ${percent(found, mistakes.length).trim()} |`);
}

function reportOf(folder: string): string {
  return `${REPORTS}/${folder.replaceAll('/', '-')}.json`;
}

function percent(part: number, whole: number): string {
  return `${((part / Math.max(1, whole)) * 100).toFixed(1).padStart(5)} %`;
}
