import { type CallOptions, callback, sending } from '../options/client-options.ts';
import { optionsParser } from '../validation/arguments.ts';

/**
 * Options of all calls through one `fetch` of a client. While a body is streamed, only the time in which its reader waits counts
 * towards `timeoutMs`.
 */
export interface FetchOptions extends Pick<CallOptions, 'priority' | 'maxWaitMs' | 'timeoutMs' | 'cost'> {
  /** Fetches URLs that are not below the client's base URL, without the key and unpaced. Default: such a URL is a ConfigError. */
  readonly elsewhere?: typeof globalThis.fetch | undefined;
}

const fetchOptions = optionsParser<FetchOptions>('fetch options', {
  ...sending,
  elsewhere: callback<typeof globalThis.fetch>(),
});

/**
 * Checks the options of one `fetch`.
 *
 * @throws ConfigError that names the invalid option.
 */
export function checkFetchOptions(options: FetchOptions): FetchOptions {
  return fetchOptions(options);
}
