/** What importing the client costs an application that bundles it: minified, gzipped, in bytes. */
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const BUDGETS = [
  { what: 'own code', packages: 'external', budget: 25_000 },
  { what: 'with all dependencies', packages: 'bundle', budget: 53_000 },
] as const;

for (const { what, packages, budget } of BUDGETS) {
  const bundle = await build({
    entryPoints: ['src/index.ts'],
    bundle: true,
    packages,
    format: 'esm',
    platform: 'browser',
    minify: true,
    write: false,
  });
  const bytes = bundle.outputFiles.reduce((sum, file) => sum + gzipSync(file.contents).length, 0);
  console.log(`${what}: ${bytes} of ${budget} bytes`);
  if (bytes > budget) process.exitCode = 1;
}
