/** What importing the client costs an application that bundles it, and what the command line adds: minified, gzipped, in bytes. */
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const BUDGETS = [
  { what: 'own code', entry: 'src/index.ts', platform: 'browser', packages: 'external', budget: 38_000 },
  { what: 'with all dependencies', entry: 'src/index.ts', platform: 'browser', packages: 'bundle', budget: 65_500 },
  { what: 'command line, own code', entry: 'src/cli/bin.ts', platform: 'node', packages: 'external', budget: 62_000 },
] as const;

for (const { what, entry, platform, packages, budget } of BUDGETS) {
  const bundle = await build({
    entryPoints: [entry],
    bundle: true,
    packages,
    format: 'esm',
    platform,
    minify: true,
    write: false,
  });
  const bytes = bundle.outputFiles.reduce((sum, file) => sum + gzipSync(file.contents).length, 0);
  console.log(`${what}: ${bytes} of ${budget} bytes`);
  if (bytes > budget) process.exitCode = 1;
}
