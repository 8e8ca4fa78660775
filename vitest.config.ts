import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defaultExclude, defineConfig } from 'vitest/config';
import { ENTRY_POINTS } from './scripts/entry-points.ts';
import { NODE_COMPILE_CACHE } from './test/support/child.ts';
import { DEEP } from './test/support/deep.ts';

/** The deep run has the files that go deeper in it: `*.deep.test.ts`, those with properties and those that ask. The others would only be repeated. */
const GOES_DEEPER = /from '(fast-check|[^']+\/deep\.ts)'/;

/**
 * Files that replace modules or timers or plant values on `Object.prototype`, which others would find so, and files with processes, sockets
 * or Redis: those take seconds anyhow, and what another file has left running would hold up what they wait for.
 */
const ALONE =
  /\bvi\.(mock|doMock|resetModules|use(Fake|Real)Timers)\(|spyOn\(performance|node:child_process|\/support\/(crew|child|server|browser|planted)\.ts'|(?<!listeners)\.listen\(/;

const files = ['test/**/*.test.ts', 'examples/**/*.test.ts']
  .flatMap((pattern) => globSync(pattern))
  .filter((path) => !DEEP || path.endsWith('.deep.test.ts') || GOES_DEEPER.test(readFileSync(path, 'utf8')));

const isAlone = (path: string): boolean => ALONE.test(readFileSync(path, 'utf8'));

// Each file that runs alone has a process of its own, and most of what that costs is to compile the same packages anew.
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
      // Tests share their modules, which to load in a process of its own is most of what a short file costs.
      {
        extends: true,
        // Only these start programs, so no other run waits until they are built.
        test: { name: 'alone', include: files.filter(isAlone), globalSetup: ['test/support/build-programs.ts'] },
      },
      { extends: true, test: { name: 'together', isolate: false, include: files.filter((path) => !isAlone(path)) } },
    ],
    exclude: [...defaultExclude, ...(DEEP ? [] : ['**/*.deep.test.ts'])],
    // One more than there are cores: tests with a real Redis, socket or process spend most of their time waiting.
    maxWorkers: availableParallelism() + 1,
    setupFiles: ['test/support/properties.ts'],
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    server: { deps: { inline: [/node_modules\/\.cache\/documents/] } },
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text', 'json-summary'] },
    reporters: ['default', ['json', { outputFile: `node_modules/.cache/vitest/${DEEP ? 'deep' : 'results'}.json` }]],
  },
});
