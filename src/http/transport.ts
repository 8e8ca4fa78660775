import ky, { isNetworkError, type Options } from 'ky';
import { readQuota } from '../quota/headers/snapshot.ts';
import type { Outgoing } from './call.ts';
import type { Cancellation } from './cancellation.ts';
import { Failure, failureOf, KEY_CHANGED, KEY_REFUSED } from './failure.ts';
import type { KeyBreaker } from './key-breaker.ts';
import type { KeyMask } from './key-mask.ts';
import type { KeyRing } from './key-ring.ts';
import { isPrototypePolluted, KY_DEFAULTS, ownRequestFields } from './prototype-guard.ts';
import { cancel, readBytes, readText } from './read-body.ts';
import { Redaction } from './redaction.ts';
import { isLimitation } from './status.ts';

/** Sends one request once. Adds the key, and only for the service's own origin. */
export interface Transport {
  /**
   * Sends a request. Resolves with the headers; the body is still to be read.
   *
   * @param onLeave - called when the request leaves, with the number of its key: 0 for none. A request that fails before was
   * certainly not counted.
   * @param chooseKey - gives the number of the key to send. Default: that of the key that the ring is given now.
   * @param endpoint - the one that is asked, for the breaker of the key.
   */
  send(
    request: Outgoing,
    cancellation: Cancellation,
    onLeave?: (key: number) => void,
    chooseKey?: KeyRing['ask'],
    endpoint?: string,
  ): Promise<Response>;
  /** The whole body as text, up to 32 MiB. */
  read(response: Response, cancellation: Cancellation): Promise<string>;
  /** The whole body as bytes, up to 32 MiB. */
  readBytes(response: Response, cancellation: Cancellation): Promise<Uint8Array<ArrayBuffer>>;
  /** The failure behind an error, without the API key. */
  failureOf(error: unknown): Failure;
  /** The text without an echoed API key, also if escaped as in JSON or a URL. */
  redact(text: string): string;
  /** Takes the key out of one body that comes in pieces. */
  mask(): KeyMask;
}

/** Options of a transport. */
export interface TransportOptions {
  readonly origin: string;
  readonly keys: KeyRing;
  /** Default: the global `fetch` at the time of each request, because tests replace it at any time. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly keyBreaker?: KeyBreaker | undefined;
  /** Sent where the caller gives no `user-agent`. */
  readonly userAgent?: string | undefined;
}

/** Requests, or options of a URL, that a client has paced and given to the global `fetch`: where `client.fetch` is in its place, it does not pace them again. */
const PACED = new WeakSet<object>();

/** Whether a client has paced these arguments of the global `fetch`. */
export function isPaced(input: unknown, init: unknown): boolean {
  return PACED.has(input as object) || PACED.has(init as object);
}

/** Transport by ky, with its retries, time-outs and errors off, because scheduler and retry policy decide those. */
export function createTransport(settings: TransportOptions): Transport {
  const { origin, keys, fetch, keyBreaker } = settings;
  const wire = ky.create({
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    // fetch keeps x-api-key on a redirect to another origin, so redirects are followed manually.
    redirect: 'manual',
  });
  const redaction = new Redaction();
  const { redact, mask } = redaction;

  return {
    redact,
    mask,
    failureOf: (error) => failureOf(error, redact),
    read: (response, cancellation) => readText(response, cancellation, redact),
    readBytes: (response, cancellation) => readBytes(response, cancellation, redact),
    async send(outgoing, cancellation, onLeave = () => {}, chooseKey = keys.ask, endpoint = '') {
      const { url } = outgoing;
      const { signal } = cancellation;
      const chosen = url.startsWith(`${origin}/`) ? chooseKey() : 0;
      const number = chosen instanceof Promise ? await cancellation.during(() => chosen) : chosen;
      const secret = secretToSend(number, endpoint, settings, redaction);
      const isPolluted = isPrototypePolluted();
      // A signal in the request costs two more signals, so the global `fetch` is given it beside a URL where that makes no difference: a
      // custom `fetch` may read it from the request, and with other options a Request drops the caller's referrer.
      const isPlain = !fetch && !outgoing.init && outgoing.body === undefined && !isPolluted;
      const options = kyOptions(outgoing, isPolluted);
      if (!isPlain) options.signal = signal;
      options.fetch = async (input, rest) => {
        const request = input as Request;
        onLeave(number);
        completeHeaders(request.headers, secret, settings);
        if (isPlain) return answerOf(await fetchPlain(request, signal), signal);
        if (!fetch) PACED.add(request);
        const init = isPolluted ? { ...rest, ...ownRequestFields(request) } : rest;
        return answerOf(await (fetch ?? globalThis.fetch)(request, init), signal);
      };
      try {
        const response = await cancellation.during(() => wire(url, options));
        if (secret !== undefined && !isLimited403(response)) keyBreaker?.record(number, endpoint, response.status);
        return response;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        // ky's own error holds the request, and so the API key.
        throw failureOf(isNetworkError(error) ? error.cause : error, redact);
      }
    },
  };
}

/**
 * Gives the global `fetch` a request without a body as a URL with options: while React renders a page, a `Request` that was made before has the
 * first response again, and so has each attempt.
 */
function fetchPlain({ url, method, headers }: Request, signal: AbortSignal): Promise<Response> {
  const init: RequestInit = { method, headers, redirect: 'manual', signal };
  PACED.add(init);
  return globalThis.fetch(url, init);
}

/** The key with this number, which is redacted from now on. Throws a Failure if it is not to be sent. */
function secretToSend(
  number: number,
  endpoint: string,
  { keys, keyBreaker }: TransportOptions,
  redaction: Redaction,
): string | undefined {
  const secret = keys.secretOf(number);
  // A key that the ring has forgotten: without it the request would be sent as one without a key.
  if (number !== 0 && secret === undefined) throw new Failure(KEY_CHANGED);
  if (secret !== undefined) redaction.learn(secret);
  if (keyBreaker?.isOpen(number, endpoint)) throw new Failure(KEY_REFUSED);
  return secret;
}

/** Adds the headers that are not among ky's options, which it copies several times. */
function completeHeaders(headers: Headers, secret: string | undefined, { userAgent }: TransportOptions): void {
  if (userAgent !== undefined && !headers.has('user-agent')) headers.set('user-agent', userAgent);
  if (secret !== undefined) headers.set('x-api-key', secret);
}

/** The fields that a request may lack, as own ones. */
const NO_FIELDS: Partial<Outgoing> = { headers: undefined, body: undefined, init: undefined };

/** The options of a request for ky. Set one by one, because ky copies all options with each group of them. */
function kyOptions(outgoing: Outgoing, isPolluted: boolean): Options {
  const { method, headers, body, init } = isPolluted ? { ...NO_FIELDS, ...outgoing } : outgoing;
  const options: Options = isPolluted ? { ...KY_DEFAULTS, ...init } : { ...init };
  if (isPolluted || method !== 'GET') options.method = method;
  // A plain object: ky copies `Headers` twice as often.
  if (isPolluted || headers) options.headers = { ...headers };
  if (body !== undefined) options.body = body;
  return options;
}

/** Whether a 403 speaks of a limit and not of the key: some gateways refuse so. */
function isLimited403({ status, headers }: Response): boolean {
  return status === 403 && isLimitation(status, readQuota(headers, 0), true);
}

/** A custom `fetch` may return anything: a response is an object with the members that are read here. */
function answerOf(given: Partial<Response> | null | undefined, signal: AbortSignal): Response {
  const { status, headers, body, type } = given ?? {};
  // From a `fetch` that ignores the signal: nothing awaits it any more, and unread its body would keep the connection.
  if (signal.aborted) void cancel(body);
  if (type === 'error') throw new TypeError('fetch returned Response.error().');
  const isHeaded = typeof headers?.forEach === 'function' && typeof headers.get === 'function';
  // A response without a body has `null`. Without the member a body would be lost silently.
  const isReadable = body === null || typeof body?.getReader === 'function';
  const isResponse = Number.isInteger(status) && isHeaded;
  if (isResponse && isReadable) return given as Response;
  const lacking = isResponse ? ' whose body is a ReadableStream' : '';
  throw new Failure('INVALID_RESPONSE', new TypeError(`fetch must return a Response${lacking}.`));
}
