import { Failure, type Outgoing } from './transport.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Headers that tell of a body, and go where it goes. */
const OF_BODIES = /^content-(?:encoding|language|location|type|length)$/i;

/**
 * Where an answer sends the request, within its origin: the key never follows to another, and neither does the call.
 *
 * @returns `undefined` if the answer is to be taken as it is.
 * @throws Failure where it may not be followed. Its body is then cancelled.
 */
export function redirectOf(response: Response, url: URL, mode: RequestRedirect): URL | undefined {
  if (mode === 'manual') return undefined;
  const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
  if (location === null && response.type !== 'opaqueredirect') return undefined;
  const target = location !== null && URL.canParse(location, url) ? new URL(location, url) : undefined;
  // fetch sends nothing to a URL with a password in it.
  const isUsable = target?.origin === url.origin && target.username === '' && target.password === '';
  if (mode === 'follow' && isUsable) return target;
  drop(response);
  throw new Failure('REDIRECT', false);
}

/** The request as a redirect has it: as `fetch` does, 303 makes it a GET, and so do 301 and 302 of a POST. */
export function redirected(request: Outgoing, status: number, url: URL): Outgoing {
  const { method, headers = {}, body: _body, ...rest } = request;
  const becomesGet = status === 303 ? method !== 'GET' && method !== 'HEAD' : status <= 302 && method === 'POST';
  if (!becomesGet) return { ...request, url };
  const kept = Object.entries(headers).filter(([name]) => !OF_BODIES.test(name));
  return { ...rest, method: 'GET', url, headers: Object.fromEntries(kept) };
}

/** Cancels a body that will not be read, so that it releases its connection. */
export function drop(response: Response): void {
  response.body?.cancel().catch(() => {});
}
