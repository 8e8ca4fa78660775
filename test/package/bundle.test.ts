import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { loadedAtOnce } from '../../scripts/loaded-at-once.ts';

interface Bundle {
  /** The sources and packages of which code is loaded at once. */
  readonly atOnce: readonly string[];
  /** Those of which code is in the bundle at all. */
  readonly all: readonly string[];
}

/** Bundles a program for browsers, with code that is loaded later in files of its own. */
async function bundle(program: string): Promise<Bundle> {
  const { metafile } = await build({
    stdin: { contents: program, resolveDir: process.cwd(), sourcefile: 'program.ts' },
    bundle: true,
    splitting: true,
    metafile: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    outdir: 'dist',
  });
  const partsOf = (output: string): string[] => Object.keys(metafile.outputs[output]?.inputs ?? {});
  return {
    atOnce: [...loadedAtOnce(metafile, 'program.ts')].flatMap(partsOf),
    all: Object.keys(metafile.outputs).flatMap(partsOf),
  };
}

const some = (paths: readonly string[], part: string): boolean => paths.some((path) => path.includes(part));

it('a program with createClient loads schemas only when a body is not well-formed', async () => {
  const { atOnce, all } = await bundle(
    `import { createClient } from './src/index.ts'; globalThis.client = createClient();`,
  );
  for (const part of ['node_modules/zod/', 'src/endpoints/schemas.ts']) {
    expect([part, some(all, part), some(atOnce, part)]).toEqual([part, true, false]);
  }
  expect(some(atOnce, 'src/endpoints/well-formed.ts')).toBe(true);
});

it('a program with createFetchClient holds no schema, no address and no typed call', async () => {
  const { atOnce, all } = await bundle(
    `import { createFetchClient } from './src/client/fetch-client.ts'; globalThis.client = createFetchClient();`,
  );
  for (const part of ['node_modules/zod/', 'node_modules/@noble/', 'src/endpoints/', 'src/walk/']) {
    expect([part, some(all, part)]).toEqual([part, false]);
  }
  expect(some(atOnce, 'src/fetch/fetch.ts')).toBe(true);
});
