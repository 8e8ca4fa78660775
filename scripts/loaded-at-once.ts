import type { Metafile } from 'esbuild';

/** The outputs of a bundle that an entry point loads before it runs: its own and those it imports, but for `import()`. */
export function loadedAtOnce({ outputs }: Metafile, entry: string): ReadonlySet<string> {
  const loaded = new Set(Object.keys(outputs).filter((output) => outputs[output]?.entryPoint === entry));
  for (const output of loaded) {
    for (const { path, kind } of outputs[output]?.imports ?? []) if (kind === 'import-statement') loaded.add(path);
  }
  return loaded;
}
