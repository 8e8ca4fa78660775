import { fileURLToPath, pathToFileURL } from 'node:url';

/** Where the package, the command line and the tests' own workers are built, by `build-programs.ts`. */
export const PROGRAMS: string = fileURLToPath(new URL('../../node_modules/.cache/programs', import.meta.url));

/** The URL of an entry point of the package as it is built there, by its name. */
export function builtEntry(name: string): string {
  return pathToFileURL(`${PROGRAMS}/${name}.js`).href;
}
