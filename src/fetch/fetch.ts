import { ConfigError, quote } from '../errors.ts';
import type { Call, Reply, Run } from '../http/call.ts';
import { untilAborted } from '../http/cancellation.ts';
import { redactedHeaders } from '../http/redaction.ts';
import { checkHeader, type Settings } from '../options/client-options.ts';
import type { EndpointNames } from './endpoint-name.ts';
import { checkFetchOptions, FETCH_OPTIONS, type FetchOptions } from './options.ts';

type Fetch = typeof globalThis.fetch;
type Input = Parameters<Fetch>[0];

/** Dependencies of `client.fetch`. */
export interface CreateFetchOptions extends Pick<Settings, 'baseUrl' | 'maxWaitMs' | 'maxQueueMs' | 'timeoutMs'> {
  readonly run: Run;
  /** See {@link Scheduler.announce}. */
  readonly announce: () => () => void;
  readonly names: EndpointNames;
  /** Removes the key from a text. */
  readonly redact: (text: string) => string;
}

/** Statuses of responses without a body. */
const BODYLESS: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

/** Creates `client.fetchWith`, which returns functions with the signature of `fetch`. Their requests share the client's queue. */
export function createFetch({
  run,
  announce,
  names,
  baseUrl,
  maxWaitMs,
  maxQueueMs,
  timeoutMs,
  redact,
}: CreateFetchOptions): (options?: FetchOptions) => Fetch {
  const base = new URL(baseUrl);
  const basePath = base.pathname.replace(/\/$/, '');
  const isUnder = (url: URL | undefined): url is URL =>
    url?.origin === base.origin &&
    !url.username &&
    !url.password &&
    (url.pathname === basePath || url.pathname.startsWith(`${basePath}/`));

  return (options = {}) => {
    const { elsewhere, priority = 0, cost, streamBody = false, maskKey, ...bounds } = checkFetchOptions(options);
    return async (input, given) => {
      const init = checkedInit(given);
      const url = resolveUrl(input, baseUrl);
      if (!isUnder(url)) {
        if (elsewhere) return elsewhere(input, init);
        throw elsewhereError(url, baseUrl);
      }
      const request = simpleFrom(input, init) ?? requestFrom(input, url, init);
      const signal = signalOf(input, init);
      signal?.throwIfAborted();
      const makeCall = (body: Call['request']['body'], isAnnounced?: true): Promise<Reply> =>
        run({
          request: outgoing(request, url, init, body),
          ask: {
            endpoint: names.of(request.method, url.pathname.slice(basePath.length)),
            query: url.search.slice(1),
            cost,
            priority,
            maxWaitMs: bounds.maxWaitMs ?? maxWaitMs,
            isOneShot: streamBody && body !== undefined,
          },
          signal,
          maxQueueMs: bounds.maxQueueMs ?? maxQueueMs,
          timeoutMs: bounds.timeoutMs ?? timeoutMs,
          wants: 'stream',
          redirect: request.redirect,
          takesRefusals: true,
          masksKey: maskKey,
          isAnnounced,
        });
      const isRead = request.body !== null && !streamBody;
      const reply = await (isRead
        ? withBody(request as Request, signal, announce, (body) => makeCall(body, true))
        : makeCall(request.body ?? undefined));
      if (reply.stream) inputOf.set(reply.stream, input);
      return responseFrom(reply, redact);
    };
  };
}

/** The second argument, which may be `null` as it may for `fetch`. */
function checkedInit(init: RequestInit | null | undefined): RequestInit | undefined {
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
function resolveUrl(input: Input, baseUrl: string): URL | undefined {
  const text = urlText(input).trim();
  const isAbsolute = /^[a-z][a-z0-9+.-]*:/i.test(text) || /^[\\/]{2}/.test(text);
  const absolute = isAbsolute ? text : baseUrl + (/^[\\/]/.test(text) ? '' : '/') + text;
  return URL.canParse(absolute, baseUrl) ? new URL(absolute, baseUrl) : undefined;
}

function urlText(input: Input): string {
  if (typeof input === 'string') return input;
  if (isUrl(input)) return input.href;
  if (isRequest(input)) return input.url;
  throw new ConfigError('input', `must be a URL, a string or a Request, not ${quote(input)}`);
}

/** The message shows only the origins of both URLs: the rest may contain a secret. */
function elsewhereError(url: URL | undefined, baseUrl: string): ConfigError {
  if (!url) return new ConfigError('input', 'must be a valid URL or a path such as /extended/v1/info');
  if (url.username || url.password) return new ConfigError('input', 'must not have a user name or a password');
  const { origin } = new URL(baseUrl);
  const where = url.origin === 'null' ? url.protocol : url.origin;
  const problem =
    where === origin
      ? `goes to another path of ${origin} than this client’s base URL`
      : `goes to ${where}, but this client is for ${origin}`;
  const advice =
    'use the same base URL for both, or pass a function for other URLs: client.fetchWith({ elsewhere: fetch })';
  return new ConfigError('input', `${problem}: ${advice}`);
}

/** The parts of a `Request` without a body that a call needs. */
type SimpleRequest = Pick<Request, 'method' | 'headers' | 'redirect'> & { readonly body: null };

/** Reads a request without a `Request`, if that would add nothing but defaults: creating one takes longer than all the rest here. */
function simpleFrom(input: Input, init: RequestInit = {}): SimpleRequest | undefined {
  const { method = 'GET', headers, signal: _, redirect = 'follow', ...rest } = init;
  const isSimple =
    !isRequest(input) &&
    Object.getPrototypeOf(init) === Object.prototype &&
    Object.keys(rest).length === 0 &&
    /^(GET|HEAD) (follow|manual)$/.test(`${method} ${redirect}`);
  return isSimple ? { method, headers: checkedHeaders(headers), redirect, body: null } : undefined;
}

/** Creates the `Request` that `fetch` would, with the same checks and defaults. */
function requestFrom(input: Input, url: URL, init: RequestInit | undefined): Request {
  checkNoFetchOptions(init);
  checkedHeaders(init?.headers);
  // A Request listens to its signal until it is garbage-collected; this one needs no signal.
  const silent: RequestInit = { ...init, signal: null };
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
    throw new ConfigError('headers', 'must be names and values without line breaks and other control characters');
  }
  for (const [name, value] of headers) checkHeader(name, value);
  return headers;
}

function outgoing(
  request: Request | SimpleRequest,
  url: URL,
  init: RequestInit | undefined,
  body: Call['request']['body'],
): Call['request'] {
  url.hash = '';
  const basic = { method: request.method, url: url.href, headers: Object.fromEntries(request.headers) };
  if (!('cache' in request)) return basic;
  const { cache, credentials, integrity, keepalive, mode, referrer, referrerPolicy } = request;
  const rest = { cache, credentials, integrity, keepalive, mode, referrer, referrerPolicy, ...dispatcherOf(init) };
  return { ...basic, init: rest, ...(body ? { body } : {}) };
}

/** Reads the body into memory, so that it can be sent again, and makes the call with it. The scheduler knows of the call meanwhile. */
async function withBody(
  request: Request,
  signal: AbortSignal | undefined,
  announce: () => () => void,
  makeCall: (body: ArrayBuffer) => Promise<Reply>,
): Promise<Reply> {
  const arrive = announce();
  let reply: Promise<Reply>;
  try {
    const read = (): Promise<ArrayBuffer> => request.arrayBuffer();
    reply = makeCall(await (signal ? untilAborted(read, signal) : read()));
  } finally {
    arrive();
  }
  return reply;
}

/** undici's option `dispatcher` (proxy, pool), which is not in the standard. */
function dispatcherOf(init: object = {}): object {
  return 'dispatcher' in init && init.dispatcher !== undefined ? { dispatcher: init.dispatcher } : {};
}

/** The caller's own signal: the signal of a derived Request stops following it once that Request is garbage-collected. */
function signalOf(input: Input, init: RequestInit | undefined): AbortSignal | undefined {
  const given = init?.signal === undefined && isRequest(input) ? input.signal : init?.signal;
  const signal = given ?? undefined;
  if (signal === undefined || typeof signal.addEventListener === 'function') return signal;
  throw new ConfigError('signal', `must be an AbortSignal, not ${quote(signal)}`);
}

/** Keeps a caller's Request alive as long as the body that its signal may abort: the signal of a collected Request does not fire. */
const inputOf = new WeakMap<ReadableStream, Input>();

/** The response as `fetch` would return it, with an echoed key removed. */
function responseFrom(reply: Reply, redact: (text: string) => string): Response {
  const { status, statusText, text, bytes, stream, url, isRedirected } = reply;
  const words = text === '' ? null : new TextEncoder().encode(text);
  // A redacted text may have another length.
  const headers = redactedHeaders(reply.headers, redact).map(([name, value]): [name: string, value: string] => [
    name,
    words && name === 'content-length' ? String(words.byteLength) : value,
  ]);
  const body = BODYLESS.has(status) ? null : (stream ?? bytes ?? words);
  // `new Response` rejects statuses outside 200 to 599, which services do send.
  const isUsual = status >= 200 && status <= 599;
  // Nor does it accept other characters than bytes, as which HTTP sends a reason.
  const reason = /[^\x20-\xff]/.test(statusText) ? '' : redact(statusText);
  const response = new Response(body, { headers, statusText: reason, ...(isUsual ? { status } : {}) });
  return withFetchFields(response, {
    url: { value: url },
    redirected: { value: isRedirected },
    ...(isUsual ? {} : { status: { value: status }, ok: { value: false } }),
  });
}

/** Adds what only `fetch` can set (`url`, `redirected`), on clones too. */
function withFetchFields(response: Response, facts: PropertyDescriptorMap): Response {
  const clone = (): Response => withFetchFields(Response.prototype.clone.call(response), facts);
  return Object.defineProperties(response, { ...facts, clone: { value: clone } });
}

function isUrl(input: unknown): input is URL {
  return typeof (input as Partial<URL> | null)?.href === 'string';
}

function isRequest(input: unknown): input is Request {
  return typeof (input as Partial<Request> | null)?.url === 'string';
}
