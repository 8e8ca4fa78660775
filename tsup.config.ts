import { defineConfig } from 'tsup';
import { adaptPackages } from './scripts/adapt-packages.ts';
import { ENTRY_POINTS } from './scripts/entry-points.ts';

/** The files of `dist`, by the names that users import. */
const library = Object.fromEntries(
  Object.entries(ENTRY_POINTS).map(([name, source]) => [name.replace(/^stacks-quota\/?/, '') || 'index', source]),
);

export default defineConfig({
  entry: { ...library, cli: 'src/cli/bin.ts' },
  format: ['esm'],
  target: 'node22',
  platform: 'node',
  // Nobody imports the command line. `Symbol.asyncDispose` is in no `lib` that projects have by default.
  dts: { entry: library, banner: '/// <reference lib="esnext.disposable" />\n' },
  clean: true,
  removeNodeProtocol: false,
  esbuildPlugins: [adaptPackages],
  external: ['msw', '@opentelemetry/api', 'redis'],
});
