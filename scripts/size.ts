/**
 * What importing the client costs an application that bundles it, and what the command line adds: minified, gzipped, in bytes. A
 * bundler that splits code loads schemas when they are needed; `split` counts what is loaded at once.
 */
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';
import { loadedAtOnce } from './loaded-at-once.ts';

const CLIENT = 'src/index.ts';
const FETCH = 'src/client/fetch-client.ts';

const BUDGETS = [
  { what: 'own code, at once', entry: CLIENT, platform: 'browser', packages: 'external', split: true, budget: 74_210 },
  { what: 'at once', entry: CLIENT, platform: 'browser', packages: 'bundle', split: true, budget: 88_210 },
  { what: 'in one file', entry: CLIENT, platform: 'browser', packages: 'bundle', split: false, budget: 95_430 },
  { what: 'fetch alone, at once', entry: FETCH, platform: 'browser', packages: 'bundle', split: true, budget: 75_060 },
  {
    what: 'command line, own code',
    entry: 'src/cli/bin.ts',
    platform: 'node',
    packages: 'external',
    split: false,
    budget: 164_550,
  },
] as const;

/** Own code, each with all that it is made of: decision 0017 has these as a table. `npm run size -- --parts` prints them. */
const PARTS: Readonly<Record<string, BuildOptions>> = {
  'quota/pacer.ts': { entryPoints: ['src/quota/pacer.ts'] },
  'scheduler/scheduler.ts': { entryPoints: ['src/scheduler/scheduler.ts'] },
  'client/core.ts': { entryPoints: ['src/client/core.ts'] },
  'index.ts': { entryPoints: [CLIENT] },
  'index.ts, with a letter or two for each property': { entryPoints: [CLIENT], mangleProps: /../ },
  'createClient alone': { stdin: { contents: `export { createClient } from './${CLIENT}'`, resolveDir: '.' } },
  'createClient alone, with packages': {
    stdin: { contents: `export { createClient } from './${CLIENT}'`, resolveDir: '.' },
    packages: 'bundle',
  },
};

for (const { what, entry, platform, packages, split, budget } of BUDGETS) {
  const { gzipped } = await measure({ entryPoints: [entry], packages, splitting: split, platform });
  console.log(`${what}: ${gzipped} of ${budget} bytes`);
  if (gzipped > budget) process.exitCode = 1;
}

if (process.argv.includes('--parts')) {
  for (const [what, options] of Object.entries(PARTS)) {
    const { minified, gzipped } = await measure({
      packages: 'external',
      splitting: true,
      platform: 'browser',
      ...options,
    });
    console.log(`${what}: ${minified} bytes, ${gzipped} gzipped`);
  }
}

/** Bytes of what a bundle loads at once. */
async function measure(options: BuildOptions): Promise<{ minified: number; gzipped: number }> {
  const { metafile, outputFiles } = await build({
    ...options,
    bundle: true,
    metafile: true,
    outdir: '.',
    format: 'esm',
    minify: true,
    write: false,
  });
  const entry = options.stdin ? '<stdin>' : String(Object.values(options.entryPoints ?? {})[0]);
  const atOnce = loadedAtOnce(metafile, entry);
  const files = outputFiles.filter(({ path }) => [...atOnce].some((output) => path.endsWith(`/${output}`)));
  const sum = (sizeOf: (contents: Uint8Array) => number): number =>
    files.reduce((all, { contents }) => all + sizeOf(contents), 0);
  return { minified: sum(({ length }) => length), gzipped: sum((contents) => gzipSync(contents).length) };
}
