import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../options/credentials.ts';
import { Problem } from './problem.ts';

/** Values of `sec-fetch-site` for requests that a page of this proxy makes, or the user of the browser. Programs send no such header. */
const OWN_SITES: readonly (string | undefined)[] = [undefined, 'same-origin', 'none'];

/**
 * Checks that a request may come in.
 *
 * A browser lets any page send requests to this machine, and a page whose host name is rebound to 127.0.0.1 may even read the answers.
 * So the host must be this machine (or the request must carry the token), and a browser must say that the request is its user's own.
 *
 * @returns the path and query that the request is for.
 * @throws Problem that says what is wrong.
 */
export function checkRequest(
  { method = 'GET', url: target = '', headers }: IncomingMessage,
  token: string | undefined,
): string {
  const { origin } = headers;
  const host = headers.host?.toLowerCase();
  if (token === undefined && !isThisMachine(host)) {
    throw new Problem(421, 'host', 'The header host must name this machine: localhost, 127.0.0.1 or [::1].');
  }
  const site = headers['sec-fetch-site'];
  if (!OWN_SITES.includes(site?.toString()) || (origin !== undefined && originHost(origin) !== host)) {
    throw new Problem(
      403,
      'cross-site',
      'Pages of other sites may not use this proxy. Open its address in the browser itself.',
    );
  }
  if (token !== undefined && !isAuthorized(headers.authorization, token)) {
    throw new Problem(401, 'token', 'Send the token of this proxy: authorization: Bearer <token>.', {
      'www-authenticate': 'Basic realm="stacks-quota proxy", charset="UTF-8"',
    });
  }
  if (method === 'CONNECT' || method === 'TRACE' || method === 'TRACK') {
    throw new Problem(405, 'method', `${method} is not supported.`);
  }
  // Without an answer of its own it would be sent as a GET, use quota, and be answered with 200, which no caller of a WebSocket understands.
  if (headers.upgrade?.toLowerCase() === 'websocket') {
    throw new Problem(501, 'upgrade', 'WebSockets are not supported: connect to the service itself.');
  }
  // Of several, Node undoes `chunked`, and the service would not be told of the others.
  if ((headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked') {
    throw new Problem(501, 'coding', 'Only the transfer coding chunked is supported.');
  }
  return pathOf(target, host);
}

/** The target in the form `/path?query`. A whole URL is accepted for this proxy only. */
function pathOf(target: string, host: string | undefined): string {
  const url = /^http:\/\//i.test(target) && URL.canParse(target) ? new URL(target) : undefined;
  const isOwn = url !== undefined && url.host === host && !url.username && !url.password;
  const path = isOwn ? url.pathname + url.search : target;
  // Two slashes would begin the name of a host.
  if (/^\/(?![\\/])/.test(path)) return path;
  throw new Problem(400, 'target', 'Ask for a path such as /extended/v1/info, at the URL of this proxy.');
}

function isThisMachine(host = ''): boolean {
  return isLoopback(host.replace(/:\d*$/, ''));
}

/** The host of an `Origin`; undefined for `null`, which is that of a page in a sandbox. */
function originHost(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/** Accepts `Bearer <token>` and `Basic` with the token as the password. */
function isAuthorized(authorization: string | undefined, token: string): boolean {
  const [, scheme = '', given = ''] = /^(bearer|basic) +(\S+)$/i.exec(authorization ?? '') ?? [];
  const said = scheme.toLowerCase() === 'basic' ? passwordOf(given) : given;
  return timingSafeEqual(digest(said), digest(token));
}

function passwordOf(credentials: string): string {
  const text = Buffer.from(credentials, 'base64').toString();
  return text.slice(text.indexOf(':') + 1);
}

/** Digests have the same length, so that the comparison takes the same time for each guess. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
