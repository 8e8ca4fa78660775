import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defaultExclude, defineConfig } from 'vitest/config';
import { DEEP } from './test/support/deep.ts';

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url));

const tests = ['test/**/*.test.ts', 'examples/**/*.test.ts'];
/** The deep run has the files that go deeper in it: `*.deep.test.ts`, those with properties and those that ask. The others would only be repeated. */
const deepTests = () =>
  tests
    .flatMap((pattern) => globSync(pattern))
    .filter((path) => path.endsWith('.deep.test.ts') || GOES_DEEPER.test(readFileSync(path, 'utf8')));
const GOES_DEEPER = /from '(fast-check|[^']+\/deep\.ts)'/;

export default defineConfig({
  // Tests, examples and the README's snippets import the package by name, from its source.
  resolve: {
    alias: [
      { find: /^stacks-quota$/, replacement: source('index.ts') },
      { find: /^stacks-quota\/otel$/, replacement: source('otel/index.ts') },
      { find: /^stacks-quota\/redis$/, replacement: source('redis/index.ts') },
      { find: /^stacks-quota\/testing\/msw$/, replacement: source('testing/msw.ts') },
      { find: /^stacks-quota\/testing$/, replacement: source('testing/index.ts') },
    ],
  },
  test: {
    // Generous, because no test is about speed and machines are busy.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    include: DEEP ? deepTests() : tests,
    exclude: [...defaultExclude, ...(DEEP ? [] : ['**/*.deep.test.ts'])],
    // All cores: on two of them it would be one.
    maxWorkers: '100%',
    setupFiles: ['test/support/properties.ts'],
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    server: { deps: { inline: [/node_modules\/\.cache\/documents/] } },
    typecheck: { include: ['test/**/*.test-d.ts'], tsconfig: './tsconfig.json' },
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text', 'json-summary'] },
    reporters: ['default', ['json', { outputFile: `node_modules/.cache/vitest/${DEEP ? 'deep' : 'results'}.json` }]],
  },
});
