import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { ENTRY_POINTS } from './entry-points.ts';

/** The folders of the packages whose code ends up in `dist`: what the entry points import, but for what users install by themselves. */
export async function bundledPackages(): Promise<readonly string[]> {
  const { peerDependencies, dependencies = {} } = JSON.parse(readFileSync('package.json', 'utf8'));
  const { metafile } = await build({
    entryPoints: [...Object.values(ENTRY_POINTS), 'src/cli/bin.ts'],
    external: Object.keys({ ...peerDependencies, ...dependencies }),
    bundle: true,
    splitting: true,
    metafile: true,
    write: false,
    format: 'esm',
    platform: 'node',
    outdir: 'dist',
  });
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
  const folders = used.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(folders)].sort();
}
