import type { Outgoing } from './call.ts';
import { Failure } from './failure.ts';
import { cancel } from './read-body.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Headers that describe a body, and are dropped with it. */
const OF_BODIES = /^content-(?:encoding|language|location|type|length)$/i;

/**
 * The target of a redirect within the origin. The API key and the call never follow to another origin.
 *
 * @returns `undefined` if the answer is to be taken as it is.
 * @throws Failure if the redirect must not be followed; the body of the answer is then cancelled.
 */
export function redirectOf(
  response: Response,
  url: string,
  mode: RequestRedirect,
  redact: (text: string) => string,
): URL | undefined {
  if (mode === 'manual') return undefined;
  const header = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
  if (header === null && response.type !== 'opaqueredirect') return undefined;
  // Each character of a header is a byte, and a URL is UTF-8.
  const location = header?.replace(/[\x80-\xff]/g, escape);
  const target = location !== undefined && URL.canParse(location, url) ? new URL(location, url) : undefined;
  // fetch rejects a URL with credentials.
  const isOwn = target?.origin === new URL(url).origin && target.username === '' && target.password === '';
  const isUsable = isOwn && !isEcho(target, redact);
  if (mode === 'follow' && isUsable) {
    // As in `fetch`, the URL of an answer has no fragment.
    target.hash = '';
    return target;
  }
  void cancel(response.body);
  // A URL such as `file:` has no origin.
  const place = target ? redact(target.host ? target.origin : target.protocol) : header && 'what is no URL';
  throw new Failure('REDIRECT', place ? new Error(`to ${place}`) : undefined);
}

/** Whether a URL contains the API key: events and answers show the URLs of requests. */
function isEcho({ href, origin }: URL, redact: (text: string) => string): boolean {
  const place = href.replace(origin, '');
  return redact(place) !== place;
}

/** The redirected request. As in `fetch`, 303 changes the method to GET, and so do 301 and 302 after a POST. */
export function redirected(request: Outgoing, status: number, url: URL): Outgoing {
  const { method, headers = {}, body: _body, ...rest } = request;
  const becomesGet = status === 303 ? method !== 'GET' && method !== 'HEAD' : status <= 302 && method === 'POST';
  if (!becomesGet) return { ...request, url: url.href };
  const kept = Object.entries(headers).filter(([name]) => !OF_BODIES.test(name));
  return { ...rest, method: 'GET', url: url.href, headers: Object.fromEntries(kept) };
}
