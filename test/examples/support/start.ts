import { fileURLToPath } from 'node:url';
import { type Child, type Ending, startChild } from '../../support/child.ts';

export { type Child as Example, endAll } from '../../support/child.ts';

/** `npm run examples` tries the examples with the package as it was built; else with what is built of its source for the tests. */
export const isBuilt: boolean = process.env.EXAMPLES === 'built';

const PRELOADED = isBuilt ? [] : ['--import', new URL('./from-source.ts', import.meta.url).href];

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Starts an example, with nothing in its environment but what is given, and nothing to read. */
export function start(name: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Child {
  const child = startChild([process.execPath, ...PRELOADED, `examples/${name}`, ...args], env, { cwd: ROOT });
  child.process.stdin.end();
  return child;
}

/** Runs an example to its end. */
export function run(name: string, args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ending> {
  return start(name, args, env).ending;
}
