import { ConfigError, quote } from '../errors.ts';
import type { Outgoing } from '../http/call.ts';
import { checkHeader } from '../options/client-options.ts';
import { signal as checkSignal } from '../validation/arguments.ts';
import { FETCH_OPTIONS } from './options.ts';

/** The first argument of `fetch`. */
export type FetchInput = Parameters<typeof globalThis.fetch>[0];

/** The second argument, which may be `null` as it may for `fetch`. */
export function checkedInit(init: RequestInit | null | undefined): RequestInit | undefined {
  if (init === undefined || init === null) return undefined;
  if (typeof init === 'object' || typeof init === 'function') return init;
  throw new ConfigError('init', `must be an object such as { method: 'POST' }, not ${quote(init)}`);
}

/** `fetch` ignores properties that it does not know: options of `fetchWith` among them are a mistake. */
function checkNoFetchOptions(init: object = {}): void {
  const names = Object.keys(init);
  if (names.includes('label'))
    throw new ConfigError('label', 'is no option of fetch: client.get and client.request have it');
  const isOurs = (name: string): boolean =>
    name === 'priority' ? typeof Reflect.get(init, name) === 'number' : FETCH_OPTIONS.includes(name);
  const name = names.find(isOurs);
  if (name === undefined) return;
  throw new ConfigError(name, `is no option of fetch: client.fetchWith({ ${name} }) returns a fetch that has it`);
}

/** The URL of a call; a relative one is resolved below the base URL. `undefined` if it is invalid. */
export function resolveUrl(input: FetchInput, baseUrl: string): URL | undefined {
  const text = urlText(input).trim();
  const isAbsolute = /^[a-z][a-z0-9+.-]*:/i.test(text) || /^[\\/]{2}/.test(text);
  const absolute = isAbsolute ? text : baseUrl + (/^[\\/]/.test(text) ? '' : '/') + text;
  return URL.canParse(absolute, baseUrl) ? new URL(absolute, baseUrl) : undefined;
}

function urlText(input: FetchInput): string {
  if (typeof input === 'string') return input;
  if (isUrl(input)) return input.href;
  if (isRequest(input)) return input.url;
  throw new ConfigError('input', `must be a URL, a string or a Request, not ${quote(input)}`);
}

/** The parts of a `Request` without a body that a call needs. */
type SimpleRequest = Pick<Request, 'method' | 'headers' | 'redirect'> & { readonly body: null };

/** Reads a request without a `Request`, if that would add nothing but defaults: creating one takes longer than all the rest here. */
export function simpleFrom(input: FetchInput, init: RequestInit = {}): SimpleRequest | undefined {
  const { method = 'GET', headers, signal: _, redirect = 'follow', ...rest } = init;
  const isSimple =
    !isRequest(input) &&
    Object.getPrototypeOf(init) === Object.prototype &&
    Object.keys(rest).length === 0 &&
    /^(GET|HEAD) (follow|manual)$/.test(`${method} ${redirect}`);
  return isSimple ? { method, headers: checkedHeaders(headers), redirect, body: null } : undefined;
}

/** Creates the `Request` that `fetch` would, with the same checks and defaults. */
export function requestFrom(input: FetchInput, url: URL, init: RequestInit | undefined): Request {
  checkNoFetchOptions(init);
  checkedHeaders(init?.headers);
  // A Request listens to its signal until it is garbage-collected; this one needs no signal. Where init is a Request, its fields
  // are getters, which are not copied.
  const silent: RequestInit = isRequest(init) ? init : { ...init, signal: null };
  if (!isRequest(input)) return new Request(url, silent);
  // A Request of another realm or package is no instance of this class, but has the same fields.
  const request = new Request(input instanceof Request ? input : new Request(url, input as Request), silent);
  for (const [name, value] of request.headers) checkHeader(name, value);
  return request;
}

/** The error of `fetch` would quote an invalid header, which may contain a secret. */
function checkedHeaders(given: RequestInit['headers']): Headers {
  let headers: Headers;
  try {
    headers = new Headers(given);
  } catch {
    throw new ConfigError(
      'headers',
      'must be valid names and Latin-1 values, without line breaks and other control characters',
    );
  }
  for (const [name, value] of headers) checkHeader(name, value);
  return headers;
}

export function outgoing(
  request: Request | SimpleRequest,
  url: URL,
  init: RequestInit | undefined,
  body: Outgoing['body'],
): Outgoing {
  url.hash = '';
  const basic = { method: request.method, url: url.href, headers: Object.fromEntries(request.headers) };
  if (!('cache' in request)) return basic;
  const { cache, credentials, integrity, keepalive, mode, referrer, referrerPolicy } = request;
  const rest = { cache, credentials, integrity, keepalive, mode, referrer, referrerPolicy, ...dispatcherOf(init) };
  return { ...basic, init: rest, ...(body ? { body } : {}) };
}

/** undici's option `dispatcher` (proxy, pool), which is not in the standard. */
function dispatcherOf(init: object = {}): object {
  return 'dispatcher' in init && init.dispatcher !== undefined ? { dispatcher: init.dispatcher } : {};
}

/** The caller's own signal: the signal of a derived Request stops following it once that Request is garbage-collected. */
export function signalOf(input: FetchInput, init: RequestInit | undefined): AbortSignal | undefined {
  const given = init?.signal === undefined && isRequest(input) ? input.signal : init?.signal;
  return checkSignal(given ?? undefined, 'signal');
}

function isUrl(input: unknown): input is URL {
  return typeof (input as Partial<URL> | null)?.href === 'string';
}

/** Whether a value is a Request, possibly of another realm or package. */
export function isRequest(input: unknown): input is Request {
  return typeof (input as Partial<Request> | null)?.url === 'string';
}
