/**
 * What importing the client costs an application that bundles it, and what the command line adds: minified, gzipped, in bytes. A
 * bundler that splits code loads schemas when they are needed; `split` counts what is loaded at once.
 */
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { loadedAtOnce } from './loaded-at-once.ts';

const CLIENT = 'src/index.ts';
const FETCH = 'src/client/fetch-client.ts';

const BUDGETS = [
  { what: 'own code, at once', entry: CLIENT, platform: 'browser', packages: 'external', split: true, budget: 63_900 },
  { what: 'at once', entry: CLIENT, platform: 'browser', packages: 'bundle', split: true, budget: 78_100 },
  { what: 'in one file', entry: CLIENT, platform: 'browser', packages: 'bundle', split: false, budget: 85_300 },
  { what: 'fetch alone, at once', entry: FETCH, platform: 'browser', packages: 'bundle', split: true, budget: 66_100 },
  {
    what: 'command line, own code',
    entry: 'src/cli/bin.ts',
    platform: 'node',
    packages: 'external',
    split: false,
    budget: 144_600,
  },
] as const;

for (const { what, entry, platform, packages, split, budget } of BUDGETS) {
  const { metafile, outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    packages,
    splitting: split,
    metafile: true,
    outdir: '.',
    format: 'esm',
    platform,
    minify: true,
    write: false,
  });
  const atOnce = loadedAtOnce(metafile, entry);
  const files = outputFiles.filter(({ path }) => [...atOnce].some((output) => path.endsWith(`/${output}`)));
  const bytes = files.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0);
  console.log(`${what}: ${bytes} of ${budget} bytes`);
  if (bytes > budget) process.exitCode = 1;
}
