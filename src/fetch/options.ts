import { type CallOptions, callback, sending } from '../options/client-options.ts';
import { optionsParser } from '../validation/arguments.ts';

/**
 * What the calls through one `fetch` of a client can be told. Of a body that is read as it comes, only the time in which
 * its reader waits counts towards `timeoutMs`.
 */
export interface FetchOptions extends Pick<CallOptions, 'priority' | 'maxWaitMs' | 'timeoutMs' | 'cost'> {
  /** Fetches what is not below the client's base URL: without the key and unpaced. Default: that is a ConfigError. */
  readonly elsewhere?: typeof globalThis.fetch | undefined;
}

const fetchOptions = optionsParser<FetchOptions>('fetch options', {
  ...sending,
  elsewhere: callback<typeof globalThis.fetch>(),
});

/**
 * Checks the options of one `fetch`.
 *
 * @throws ConfigError that names the option that cannot be used.
 */
export function checkFetchOptions(options: FetchOptions): FetchOptions {
  return fetchOptions(options);
}
