import { ConfigError, quote } from '../errors.ts';
import type { Call, Reply, Run } from '../http/call.ts';
import { untilAborted } from '../http/transport.ts';
import { checkHeader } from '../options/client-options.ts';
import type { EndpointNames } from './endpoint-name.ts';
import { checkFetchOptions, type FetchOptions } from './options.ts';

type Fetch = typeof globalThis.fetch;
type Input = Parameters<Fetch>[0];

/** Dependencies of `client.fetch`. */
export interface CreateFetchOptions {
  readonly run: Run;
  readonly names: EndpointNames;
  /** Normalised, without a trailing slash. */
  readonly baseUrl: string;
  readonly maxWaitMs: number;
  readonly maxQueueMs: number;
  readonly timeoutMs: number;
  /** Removes the key from a text. */
  readonly redact: (text: string) => string;
}

/** Statuses of responses without a body. */
const BODYLESS: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

/** Creates `client.fetchWith`, which returns functions with the signature of `fetch`. Their requests share the client's queue. */
export function createFetch({
  run,
  names,
  baseUrl,
  maxWaitMs,
  maxQueueMs,
  timeoutMs,
  redact,
}: CreateFetchOptions): (options?: FetchOptions) => Fetch {
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, '');

  return (options = {}) => {
    const { elsewhere, priority = 0, cost, streamBody = false, maskKey, ...bounds } = checkFetchOptions(options);
    return async (input, init) => {
      const url = placeOf(input, baseUrl);
      if (!isUnder(url, baseUrl)) {
        if (elsewhere) return elsewhere(input, init);
        throw elsewhereError(url, baseUrl);
      }
      const request = requestFrom(input, url, init);
      const signal = signalOf(input, init);
      const call: Call = {
        request: await outgoing(request, url, init, signal, streamBody),
        ask: {
          endpoint: names.of(request.method, url.pathname.slice(basePath.length)),
          query: url.search.slice(1),
          cost,
          priority,
          maxWaitMs: bounds.maxWaitMs ?? maxWaitMs,
        },
        signal,
        maxQueueMs: bounds.maxQueueMs ?? maxQueueMs,
        timeoutMs: bounds.timeoutMs ?? timeoutMs,
        wants: 'stream',
        redirect: request.redirect,
        takesRefusals: true,
        masksKey: maskKey,
        isOneShot: streamBody && request.body !== null,
      };
      const reply = await run(call);
      if (reply.stream) senders.set(reply.stream, input);
      return responseFrom(reply, redact);
    };
  };
}

/** The URL of a call; a relative one is resolved below the base URL. `undefined` if it is invalid. */
function placeOf(input: Input, baseUrl: string): URL | undefined {
  const given =
    typeof input === 'string' ? input : isUrl(input) ? input.href : isRequest(input) ? input.url : undefined;
  if (given === undefined) throw new ConfigError('input', `must be a URL, a string or a Request, not ${quote(input)}`);
  const text = given.trim();
  const isWhole = /^[a-z][a-z0-9+.-]*:/i.test(text) || /^[\\/]{2}/.test(text);
  const whole = isWhole ? text : baseUrl + (/^[\\/]/.test(text) ? '' : '/') + text;
  return URL.canParse(whole, baseUrl) ? new URL(whole, baseUrl) : undefined;
}

function isUnder(url: URL | undefined, baseUrl: string): url is URL {
  if (!url || url.username || url.password) return false;
  const base = new URL(baseUrl);
  const path = base.pathname.replace(/\/$/, '');
  return url.origin === base.origin && (url.pathname === path || url.pathname.startsWith(`${path}/`));
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

/** Creates the `Request` that `fetch` would, with the same checks and defaults. */
function requestFrom(input: Input, url: URL, init: RequestInit | undefined): Request {
  // The error of fetch would quote an invalid header, which may contain a secret.
  for (const [name, value] of headersFrom(init?.headers)) checkHeader(name, value);
  // A Request listens to its signal until it is garbage-collected; this one needs no signal.
  const silent: RequestInit = { ...init, signal: null };
  if (!isRequest(input)) return new Request(url, silent);
  // A Request of another realm or package is no instance of this class, but has the same fields.
  const request = new Request(input instanceof Request ? input : new Request(url, input as Request), silent);
  for (const [name, value] of request.headers) checkHeader(name, value);
  return request;
}

function headersFrom(given: RequestInit['headers']): Headers {
  try {
    return new Headers(given);
  } catch {
    throw new ConfigError('headers', 'must be names and values without line breaks and other control characters');
  }
}

/** Reads the body into memory, so that it can be sent again, unless it is to be streamed. */
async function outgoing(
  request: Request,
  url: URL,
  init: RequestInit | undefined,
  signal: AbortSignal | undefined,
  streamBody: boolean,
): Promise<Call['request']> {
  const { method, headers, cache, credentials, integrity, keepalive, mode, referrer, referrerPolicy } = request;
  signal?.throwIfAborted();
  const read = (): Promise<ArrayBuffer> => request.arrayBuffer();
  const held = async (): Promise<ArrayBuffer> => (signal ? untilAborted(read, signal) : read());
  const body = request.body && (streamBody ? request.body : await held());
  const rest = { cache, credentials, integrity, keepalive, mode, referrer, referrerPolicy, ...dispatcherOf(init) };
  const target = new URL(url);
  target.hash = '';
  return { method, url: target, headers: Object.fromEntries(headers), init: rest, ...(body ? { body } : {}) };
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
const senders = new WeakMap<ReadableStream, Input>();

/** The response as `fetch` would return it, with an echoed key removed. */
function responseFrom(reply: Reply, redact: (text: string) => string): Response {
  const { status, statusText, text, bytes, stream, url, isRedirected } = reply;
  const headers = new Headers();
  for (const [name, value] of reply.headers) headers.append(name, redact(value));
  const words = text === '' ? null : new TextEncoder().encode(text);
  if (words && headers.has('content-length')) headers.set('content-length', String(words.byteLength));
  const body = BODYLESS.has(status) ? null : (stream ?? bytes ?? words);
  // `new Response` rejects statuses outside 200 to 599, which services do send.
  const isUsual = status >= 200 && status <= 599;
  const response = new Response(body, { headers, statusText: redact(statusText), ...(isUsual ? { status } : {}) });
  return dressed(response, {
    url: { value: url.href },
    redirected: { value: isRedirected },
    ...(isUsual ? {} : { status: { value: status }, ok: { value: false } }),
  });
}

/** Adds what only `fetch` can set (`url`, `redirected`), on clones too. */
function dressed(response: Response, facts: PropertyDescriptorMap): Response {
  const clone = (): Response => dressed(Response.prototype.clone.call(response), facts);
  return Object.defineProperties(response, { ...facts, clone: { value: clone } });
}

function isUrl(input: unknown): input is URL {
  return typeof input === 'object' && input !== null && typeof Reflect.get(input, 'href') === 'string';
}

function isRequest(input: unknown): input is Request {
  return typeof input === 'object' && input !== null && typeof Reflect.get(input, 'url') === 'string';
}
