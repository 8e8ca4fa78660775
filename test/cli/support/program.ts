import { fileURLToPath } from 'node:url';
import { createMockService, type MockService, type MockServiceOptions } from 'stacks-quota/testing';
import { type Child, endAll as endPrograms, startChild } from '../../support/child.ts';
import { PROGRAMS } from '../../support/programs.ts';

/** The key that the service of {@link listening} knows. */
export const KEY = 'key-of-the-cli-process-tests';

/** `npm run examples` tries the command line as it is published. */
const BIN =
  process.env.EXAMPLES === 'built'
    ? fileURLToPath(new URL('../../../dist/cli.js', import.meta.url))
    : `${PROGRAMS}/cli.js`;

/** Runs the program by another one. */
type Wrap = (words: readonly string[]) => readonly string[];

const services: (() => Promise<void>)[] = [];

/** A service on a real port, and the environment of a program that calls it. */
export async function listening(
  options?: MockServiceOptions,
): Promise<{ readonly service: MockService; readonly env: Record<string, string> }> {
  const service = createMockService({ keys: [KEY], ...options });
  const { url, close } = await service.listen();
  services.push(close);
  return { service, env: { LANG: 'C.UTF-8', STACKS_API_URL: url, STACKS_API_KEY: KEY } };
}

/** Ends every program that still runs, and every service. */
export async function endAll(): Promise<void> {
  await endPrograms();
  for (const close of services.splice(0)) await close();
}

/** Starts the program, with nothing in its environment but what is given. */
export function start(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  wrap: Wrap = (words) => words,
): Child {
  return startChild(wrap([process.execPath, BIN, ...args]), env, { hearsErrors: true });
}
