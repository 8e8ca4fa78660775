import { readFile } from 'node:fs/promises';
import type { MockServiceOptions } from '../../testing/index.ts';
import { UsageError } from '../exit.ts';

/**
 * Reads the bodies of further endpoints: a JSON object by method and path, such as `{ "GET /v2/info": { "burn_block_height": 5 } }`.
 *
 * @throws UsageError if the file cannot be read, or is no such object.
 */
export async function readRoutes(path: string): Promise<NonNullable<MockServiceOptions['routes']>> {
  const bodies = parsed(path, await textOf(path));
  return Object.fromEntries(Object.entries(bodies).map(([name, body]) => [name, () => body]));
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw new UsageError(`--routes ${path} cannot be read: ${error.code}.`);
  }
}

function parsed(path: string, text: string): object {
  let bodies: unknown;
  try {
    bodies = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--routes ${path} is no JSON: ${(error as Error).message}.`);
  }
  if (typeof bodies === 'object' && bodies !== null && !Array.isArray(bodies)) return bodies;
  throw new UsageError(`--routes ${path} must be an object such as {"GET /v2/info": {"burn_block_height": 5}}.`);
}
