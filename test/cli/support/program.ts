import { fileURLToPath } from 'node:url';
import { type Child, startChild } from '../../support/child.ts';

export { endAll } from '../../support/child.ts';

/** `npm run examples` tries the command line as it was built; else it runs from its source. */
const BIN = fileURLToPath(
  new URL(`../../../${process.env.EXAMPLES === 'built' ? 'dist/cli.js' : 'src/cli/bin.ts'}`, import.meta.url),
);

/** Runs the program by another one. */
type Wrap = (words: readonly string[]) => readonly string[];

/** Starts the program, with nothing in its environment but what is given. */
export function start(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  wrap: Wrap = (words) => words,
): Child {
  return startChild(wrap([process.execPath, BIN, ...args]), env, { hearsErrors: true });
}
