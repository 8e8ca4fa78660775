import './scripts/clean-environment.ts';
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defaultExclude, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { ENTRY_POINTS } from './scripts/entry-points.ts';
import { NODE_COMPILE_CACHE } from './test/support/child.ts';
import { DEEP } from './test/support/deep.ts';

/** The deep run has the files that go deeper in it: `*.deep.test.ts`, those with properties and those that ask. The others would only be repeated. */
const GOES_DEEPER = /from '(fast-check|[^']+\/deep\.ts)'/;

/** Files that replace modules or timers or plant values on `Object.prototype`, which others would find so. */
const ALONE = /\bvi\.(mock|doMock|resetModules|useFakeTimers)\(|spyOn\(performance|\/support\/planted\.ts'/;

/** Files with processes, sockets or Redis: they wait in real time, which the work of a fleet before them in the same process would hold up. */
const WITH_SOCKETS =
  /node:child_process|\/support\/(crew|child|server|browser)\.ts'|(?<!listeners)\.listen\(|\bpairOf\(/;

const files = ['test/**/*.test.ts', 'examples/**/*.test.ts']
  .flatMap((pattern) => globSync(pattern))
  .filter((path) => !DEEP || path.endsWith('.deep.test.ts') || GOES_DEEPER.test(readFileSync(path, 'utf8')));

type Room = 'alone' | 'with sockets' | 'together';

function roomOf(path: string): Room {
  const text = readFileSync(path, 'utf8');
  if (ALONE.test(text)) return 'alone';
  return WITH_SOCKETS.test(text) ? 'with sockets' : 'together';
}

/** What the longest files bring in: several processes, or the compiler with all of the source; a program, a Redis, a browser, a proxy, or tests that wait side by side. */
const LONGEST = [
  /\/support\/(crew|api-report)\.ts'|\/server\.ts'.*\/start\.ts'/s,
  /\/support\/(child|start|server|browser|pair)\.ts'|\bdescribe\.concurrent\b/,
];

/** Vitest knows durations only of a run before, and else sizes, by which small files that wait for processes came last, each alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const text = readFileSync(moduleId, 'utf8');
      const rank = LONGEST.findIndex((mark) => mark.test(text));
      return rank < 0 ? LONGEST.length : rank;
    };
    const ranks = new Map(files.map((file) => [file, rankOf(file)]));
    return (await super.sort(files)).sort((one, other) => (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0));
  }
}

const rooms = new Map(files.map((path) => [path, roomOf(path)]));
const filesOf = (room: Room): string[] => files.filter((path) => rooms.get(path) === room);

// What a file costs that runs alone, or a program that one starts, is mostly to compile the same packages anew.
process.env.NODE_COMPILE_CACHE ??= NODE_COMPILE_CACHE;

export default defineConfig({
  // Tests, examples and the README's snippets import the package by name, from its source.
  resolve: {
    alias: Object.entries(ENTRY_POINTS).map(([name, path]) => ({
      find: new RegExp(`^${name}$`),
      replacement: fileURLToPath(new URL(path, import.meta.url)),
    })),
  },
  test: {
    // Generous, because no test is about speed and machines are busy.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    projects: [
      { extends: true, test: { name: 'alone', include: filesOf('alone') } },
      // Others share their modules, which to load in a process of its own is most of what a short file costs.
      { extends: true, test: { name: 'together', isolate: false, include: filesOf('together') } },
      {
        extends: true,
        test: {
          name: 'with sockets',
          isolate: false,
          include: filesOf('with sockets'),
          // Only these start programs, so no other run waits until they are built.
          globalSetup: ['test/support/build-programs.ts'],
          // They mostly wait, so more of them run side by side, though each worker loads and compiles the modules anew; and after the others,
          // which do not wait and would hold them up.
          sequence: { groupOrder: 1 },
          maxWorkers: availableParallelism() + 2,
        },
      },
    ],
    exclude: [...defaultExclude, ...(DEEP ? [] : ['**/*.deep.test.ts'])],
    // As many as there are cores: more would compile the same functions again, and gain nothing where nothing waits.
    maxWorkers: availableParallelism(),
    sequence: { sequencer: LongestFirst },
    // A world in virtual time leaves much that is short-lived: with the space of 1 to 16 MiB that V8 begins with, it is collected, and copied, far more often.
    execArgv: ['--min-semi-space-size=32', '--max-semi-space-size=64'],
    setupFiles: ['test/support/properties.ts', 'test/support/unstub.ts'],
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    server: { deps: { inline: [/node_modules\/\.cache\/documents/] } },
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text', 'json-summary'] },
    reporters: ['default', ['json', { outputFile: `node_modules/.cache/vitest/${DEEP ? 'deep' : 'results'}.json` }]],
  },
});
