import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url));

export default defineConfig({
  // Tests, examples and the README's snippets import the package by name, from its source.
  resolve: {
    alias: [
      { find: /^stacks-quota$/, replacement: source('index.ts') },
      { find: /^stacks-quota\/otel$/, replacement: source('otel/index.ts') },
      { find: /^stacks-quota\/redis$/, replacement: source('redis/index.ts') },
      { find: /^stacks-quota\/testing$/, replacement: source('testing/index.ts') },
    ],
  },
  test: {
    // Generous, because no test is about speed and machines are busy.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    setupFiles: ['test/support/properties.ts'],
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    server: { deps: { inline: [/node_modules\/\.cache\/documents/] } },
    typecheck: { include: ['test/**/*.test-d.ts'], tsconfig: './tsconfig.json' },
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text', 'json-summary'] },
    reporters: ['default', ['json', { outputFile: 'node_modules/.cache/vitest/results.json' }]],
  },
});
