import { fileURLToPath } from 'node:url';

/** Where the package, the command line and the tests' own workers are built, by `build-programs.ts`. */
export const PROGRAMS: string = fileURLToPath(new URL('../../node_modules/.cache/programs', import.meta.url));
