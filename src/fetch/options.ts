import { type CallOptions, sending } from '../options/client-options.ts';
import { type Arguments, callback, flag, optionsParser } from '../validation/arguments.ts';

/**
 * Options of all calls through one `fetch` of a client. While a body is streamed, only the time in which its reader waits counts
 * towards `timeoutMs`.
 */
export interface FetchOptions
  extends Pick<CallOptions, 'priority' | 'maxWaitMs' | 'maxQueueMs' | 'timeoutMs' | 'cost'> {
  /** Fetches URLs that are not below the client's base URL, without the key and unpaced. Default: such a URL is a ConfigError. */
  readonly elsewhere?: typeof globalThis.fetch | undefined;
  /**
   * Sends the body of a request as it is read, with back-pressure, instead of reading it into memory first. Such a request is sent
   * once: the answer to it may be a refusal. Default: false.
   */
  readonly streamBody?: boolean | undefined;
  /** Replaces the API key in the body of a success by asterisks, too, should the service echo it. Default: false. */
  readonly maskKey?: boolean | undefined;
}

const ARGUMENTS: Arguments<FetchOptions> = {
  ...sending,
  elsewhere: callback<typeof globalThis.fetch>(),
  streamBody: flag,
  maskKey: flag,
};

/** The names of the options. */
export const FETCH_OPTIONS: readonly string[] = Object.keys(ARGUMENTS);

/**
 * Checks the options of one `fetch`.
 *
 * @throws ConfigError that names the invalid option.
 */
export const checkFetchOptions: (options: unknown) => FetchOptions = optionsParser<FetchOptions>(
  'fetch options',
  ARGUMENTS,
);
