import type { IncomingMessage } from 'node:http';
import { OWN_PREFIX } from './call-headers.ts';
import { Problem } from './problem.ts';

/** Headers of one connection, which end at the proxy (RFC 9110, 7.6.1). */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Request headers that the proxy, or its `fetch`, sets for itself. */
const OF_THE_REQUEST: ReadonlySet<string> = new Set(['host', 'content-length', 'expect', 'accept-encoding', 'via']);

/** Codings that are asked for, and those that every `fetch` decodes. */
const ASKED = 'gzip, deflate, br';
const CODINGS: readonly string[] = ['gzip', 'deflate', 'br', 'x-gzip'];

/** The first bytes of a body in the coding zstd, which `fetch` decodes from Node 24 on. No UTF-8 text begins so. */
const ZSTD: readonly number[] = [0x28, 0xb5];

/** The headers that carry a key. */
const KEY = /^x-(hiro-)?api-key$/;

/**
 * The headers of a request, as the service gets them.
 *
 * @param pseudonym - the name of this proxy in `via`.
 * @throws Problem if there is a key among them, because calls with another key would have another quota; or if the request has come
 * through this proxy before.
 */
export function requestHeaders(
  { rawHeaders, headers, httpVersion }: IncomingMessage,
  hasToken: boolean,
  pseudonym: string,
): Record<string, string> {
  if (headers.via?.includes(pseudonym)) {
    throw new Problem(508, 'loop', 'The URL of the service is that of this proxy.');
  }
  const named = listed(headers.connection);
  const isLeft = (name: string): boolean =>
    OF_THE_CONNECTION.has(name) ||
    OF_THE_REQUEST.has(name) ||
    named.includes(name) ||
    name.startsWith(OWN_PREFIX) ||
    // The token is for the proxy.
    (hasToken && name === 'authorization');
  // `__proto__` is a name as any other.
  const passed: Record<string, string> = Object.create(null);
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    if (KEY.test(name)) throw new Problem(400, 'key', `The proxy adds the key: leave ${name} out of the request.`);
    if (isLeft(name)) continue;
    const value = rawHeaders[at + 1] ?? '';
    const before = passed[name];
    passed[name] = before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`;
  }
  const via = headers.via === undefined ? '' : `${headers.via}, `;
  passed['accept-encoding'] = ASKED;
  passed.via = `${via}${httpVersion} ${pseudonym}`;
  return passed;
}

/**
 * The headers of an answer, as the caller gets them: a list of names and values in turn.
 *
 * @param path - what the caller asked for.
 * @param piece - the first piece of the body.
 */
export function responseHeaders(response: Response, path: string, piece?: Uint8Array): string[] {
  const { headers, status, url } = response;
  const named = listed(headers.get('connection'));
  // The body was decoded, so it has another length.
  const isDecoded = listed(headers.get('content-encoding')).every((coding) =>
    coding === 'zstd' ? ZSTD.some((byte, at) => piece?.[at] !== byte) : CODINGS.includes(coding),
  );
  const isLeft = (name: string): boolean =>
    OF_THE_CONNECTION.has(name) ||
    named.includes(name) ||
    (isDecoded && name === 'content-encoding') ||
    // `fetch` leaves out the body of a 205, and a caller would wait for it.
    ((isDecoded || status === 205) && name === 'content-length');
  const passed: string[] = [];
  for (const [name, value] of headers) {
    if (!isLeft(name)) passed.push(name, name === 'location' ? ownLocation(value, url, path) : value);
  }
  return passed;
}

/** A redirect within the service leads through the proxy again. */
function ownLocation(value: string, url: string, path: string): string {
  // Its bytes are UTF-8 to browsers and to `fetch`, each of which is one character of a header.
  const location = Buffer.from(value, 'latin1').toString();
  if (!URL.canParse(location, url)) return value;
  const target = new URL(location, url);
  const { origin, pathname } = new URL(url);
  const base = pathname.slice(0, pathname.length - new URL(path, origin).pathname.length);
  // Two slashes would begin the name of a host.
  const isOwn =
    target.origin === origin &&
    target.pathname.startsWith(`${base}/`) &&
    !target.pathname.startsWith('//', base.length);
  return isOwn ? target.pathname.slice(base.length) + target.search + target.hash : target.href;
}

function listed(value: string | null | undefined): string[] {
  return (value ?? '').toLowerCase().split(/\s*,\s*/);
}
