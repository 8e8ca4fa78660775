import type { MockServiceOptions } from '../../testing/index.ts';
import { UsageError } from '../exit.ts';
import { textIn } from '../flags.ts';

/**
 * Reads the bodies of further endpoints: a JSON object by method and path, such as `{ "GET /v2/info": { "burn_block_height": 5 } }`.
 *
 * @throws UsageError if the file cannot be read, or is no such object.
 */
export async function readRoutes(path: string): Promise<NonNullable<MockServiceOptions['routes']>> {
  const bodies = parsed(path, await textIn('--routes', path));
  return Object.fromEntries(Object.entries(bodies).map(([name, body]) => [name, () => body]));
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
