import { fileURLToPath } from 'node:url';
import { type Child, startChild } from '../../support/child.ts';
import { PROGRAMS } from '../../support/programs.ts';

export { endAll } from '../../support/child.ts';

/** `npm run examples` tries the command line as it is published. */
const BIN =
  process.env.EXAMPLES === 'built'
    ? fileURLToPath(new URL('../../../dist/cli.js', import.meta.url))
    : `${PROGRAMS}/cli.js`;

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
