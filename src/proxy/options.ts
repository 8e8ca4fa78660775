import { type Clock, systemClock } from '../clock.ts';
import { ConfigError } from '../errors.ts';
import { argument, optionsParser, unchecked } from '../validation/arguments.ts';

/** Options of a proxy. All have defaults. */
export interface ProxyOptions {
  /**
   * The secret that every request must carry, 16 to 512 visible ASCII characters: `authorization: Bearer <token>`, or as the
   * password of `Basic`, which browsers ask for. Without one, the proxy answers only requests for this machine
   * (`Host: localhost`, `127.0.0.1` or `[::1]`), and listens on the loopback alone. Default: none.
   */
  readonly token?: string | undefined;
  /** Used instead of the system's clock and timers; pass the client's. Default: {@link systemClock}. */
  readonly clock?: Clock | undefined;
}

/** The message never quotes the token. */
const proxyOptions = optionsParser<{ token?: string; clock?: Clock }>('proxy options', {
  token: unchecked<string>(),
  clock: argument<Clock>((clock) => typeof clock?.timer === 'function', 'a clock'),
});

/**
 * Checks the options of a proxy.
 *
 * @throws ConfigError that names the invalid option.
 */
export function readProxyOptions(options: ProxyOptions): { readonly token: string | undefined; readonly clock: Clock } {
  const { token, clock = systemClock } = proxyOptions(options);
  if (token !== undefined && !(typeof token === 'string' && /^[\x21-\x7e]{16,512}$/.test(token))) {
    throw new ConfigError('token', 'must be 16 to 512 visible ASCII characters, without spaces');
  }
  return { token, clock };
}
