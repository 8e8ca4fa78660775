/**
 * A client for `fetch` alone, without the typed calls.
 *
 * @module stacks-quota/fetch
 */

import type { ClientOptions } from '../options/client-options.ts';
import type { FetchClient } from './client.ts';
import { createCore } from './core.ts';

export type { FetchClient } from './client.ts';

/**
 * Makes a client of the service for `client.fetch` alone. A bundle of it holds neither typed calls nor schemas nor the check of
 * addresses; all else is as with `createClient` of `stacks-quota`.
 *
 * @example
 * ```ts
 * import { createFetchClient } from 'stacks-quota/fetch';
 *
 * const client = createFetchClient();
 * const response = await client.fetch('/extended/v2/blocks?limit=1');
 * ```
 *
 * @throws ConfigError if an option cannot be used.
 */
export function createFetchClient(options: ClientOptions = {}): FetchClient {
  return createCore(options).client;
}
