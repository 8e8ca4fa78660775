import { ConfigError } from '../errors.ts';

const ADVICE =
  'on Cloudflare Workers, create a client in the function that handles the request, or one for all requests in a Durable Object';

/**
 * Binds a client to the request, or the Durable Object, that creates it on Cloudflare Workers. Timers and sockets belong to one
 * request there, so that a client shared by several would wait for ever. An `AbortSignal` belongs to one, too: it cannot be
 * created outside a request, nor read in another. Other runtimes have no such bounds, and the check is one read.
 *
 * @returns a check to be made before each call. It throws ConfigError in another request.
 * @throws ConfigError outside a request.
 */
export function bindToRequest(): () => void {
  const { signal } = within('is created outside a request', () => new AbortController());
  const read = (): boolean => signal.aborted;
  return () => void within('belongs to another request', read);
}

function within<T>(otherwise: string, access: () => T): T {
  try {
    return access();
  } catch {
    throw new ConfigError('client', `${otherwise}: ${ADVICE}`);
  }
}
