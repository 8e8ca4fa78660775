import ky, { isNetworkError, type Options } from 'ky';
import { readQuota } from '../quota/headers/snapshot.ts';
import { KEY_REFUSED, type KeyBreaker } from './key-breaker.ts';
import type { KeyMask } from './key-mask.ts';
import { KEY_CHANGED, type KeyRing } from './key-ring.ts';
import { isPrototypePolluted, KY_DEFAULTS, ownRequestFields } from './prototype-guard.ts';
import { Redaction } from './redaction.ts';
import { isLimitation } from './retry-policy.ts';

/** The largest body that is read, in bytes after decompression: a small answer can inflate without bound. */
const LARGEST_BODY = 32 * 1024 * 1024;

/** One request as it goes out. */
export interface Outgoing {
  readonly method: string;
  /** In the form that `URL.href` has. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: BodyInit | undefined;
  /** Other options of `fetch`, such as the cache mode. */
  readonly init?: RequestInit | undefined;
}

/** Codes of failures before anything was sent: the connection was not established, or there is no key to send. */
const UNSENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  KEY_REFUSED,
  KEY_CHANGED,
]);

/** The failure of a request that got no usable answer. */
export class Failure extends Error {
  /** The code of the error, such as `ECONNRESET`. */
  readonly code: string;

  constructor(code: string, cause?: unknown) {
    super(code, { cause });
    this.code = code;
  }

  /** Whether the request was certainly not sent. */
  get isUnsent(): boolean {
    return UNSENT.has(this.code);
  }
}

/** What may end a request early. */
export interface Cancellation {
  /** Aborts then. */
  readonly signal: AbortSignal;
  /** Rejects with the reason of the signal as soon as it aborts, even if what was started ignores the signal. */
  during<T>(start: () => Promise<T>): Promise<T>;
}

/** Sends one request once. Adds the key, and only for the service's own origin. */
export interface Transport {
  /**
   * Sends a request. Resolves with the headers; the body is still to be read.
   *
   * @param onLeave - called when the request leaves, with the number of its key: 0 for none. A request that fails before was
   * certainly not counted.
   * @param chooseKey - gives the number of the key to send. Default: that of the key that the ring is given now.
   */
  send(
    request: Outgoing,
    cancellation: Cancellation,
    onLeave?: (key: number) => void,
    chooseKey?: KeyRing['ask'],
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

/** Transport by ky, with its retries, time-outs and errors off, because scheduler and retry policy decide those. */
export function createTransport({ origin, keys, fetch, keyBreaker, userAgent }: TransportOptions): Transport {
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
    read: (response, cancellation) => read(response, cancellation, redact, joinText),
    readBytes: (response, cancellation) => read(response, cancellation, redact, joinBytes),
    async send({ method, url, headers, body, init }, cancellation, onLeave = () => {}, chooseKey = keys.ask) {
      const { signal } = cancellation;
      const chosen = url.startsWith(`${origin}/`) ? chooseKey() : 0;
      const number = chosen instanceof Promise ? await cancellation.during(() => chosen) : chosen;
      const secret = keys.secretOf(number);
      // A key that the ring has forgotten: without it the request would be sent as one without a key.
      if (number !== 0 && secret === undefined) throw new Failure(KEY_CHANGED);
      if (secret !== undefined) redaction.learn(secret);
      if (keyBreaker?.isOpen(number)) throw new Failure(KEY_REFUSED);
      const isPolluted = isPrototypePolluted();
      // A signal in the request costs two more signals, so it is passed beside the request where that makes no difference: a
      // custom `fetch` may read it from the request, and with other options a Request drops the caller's referrer.
      const isSignalInRequest = fetch !== undefined || init !== undefined || isPolluted;
      const fetchWithKey: typeof globalThis.fetch = async (input, unknown) => {
        onLeave(number);
        const sent = (input as Request).headers;
        // Not by ky's options, which it copies several times.
        if (userAgent !== undefined && !sent.has('user-agent')) sent.set('user-agent', userAgent);
        if (secret !== undefined) sent.set('x-api-key', secret);
        if (!isSignalInRequest) return answerOf(await globalThis.fetch(input, { signal }));
        const own = isPolluted ? { ...unknown, ...ownRequestFields(input as Request) } : unknown;
        return answerOf(await (fetch ?? globalThis.fetch)(input, own));
      };
      // Set one by one, because ky copies all options with each group of them.
      const request: Options = isPolluted ? { ...KY_DEFAULTS, ...init } : { ...init };
      request.fetch = fetchWithKey;
      if (isPolluted || method !== 'GET') request.method = method;
      // A plain object: ky copies `Headers` twice as often.
      if (isPolluted || headers) request.headers = { ...headers };
      if (isSignalInRequest) request.signal = signal;
      if (body !== undefined) request.body = body;
      try {
        const response = await cancellation.during(() => wire(url, request));
        if (secret !== undefined && !isLimited403(response)) keyBreaker?.record(number, response.status);
        return response;
      } catch (error) {
        throw signal.aborted ? signal.reason : failureOf(error, redact);
      }
    },
  };
}

/** Whether a 403 speaks of a limit and not of the key: some gateways refuse so. */
function isLimited403(response: Response): boolean {
  return response.status === 403 && isLimitation(response, readQuota(response.headers, 0), true);
}

/** A custom `fetch` may return anything: a response is an object with the members that are read here. */
function answerOf(given: Partial<Response> | null | undefined): Response {
  const { status, headers, body, type } = given ?? {};
  if (type === 'error') throw new TypeError('fetch returned Response.error().');
  const isHeaded = typeof headers?.forEach === 'function' && typeof headers.get === 'function';
  const isReadable = !body || typeof body.getReader === 'function';
  if (typeof status === 'number' && isHeaded && isReadable) return given as Response;
  throw new Failure('INVALID_RESPONSE', new TypeError('fetch did not return a Response.'));
}

/** The body of an answer, if any. A custom `fetch` may have read it, or a part of it. */
export function unreadBody({ body, bodyUsed }: Response): Response['body'] {
  if (!bodyUsed && !body?.locked) return body;
  throw new Failure('INVALID_RESPONSE', new TypeError('The body was already read: fetch must return it unread.'));
}

/** Shared decoder of bodies that arrive in one chunk: creating a decoder takes longer than decoding a small body. */
const WHOLE = new TextDecoder();

/** The text of a whole body. */
function joinText(pieces: readonly Uint8Array[]): string {
  const first = pieces[0];
  if (pieces.length < 2) return first ? WHOLE.decode(first) : '';
  const decoder = new TextDecoder();
  let text = '';
  for (const piece of pieces) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}

/** A whole body as bytes. */
function joinBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pieces.reduce((size, { byteLength }) => size + byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}

/** Reads to the end. The size is checked while reading: `content-length` may be wrong, or that of the compressed body. */
async function read<T>(
  response: Response,
  cancellation: Cancellation,
  redact: (text: string) => string,
  join: (pieces: readonly Uint8Array[]) => T,
): Promise<T> {
  const { signal } = cancellation;
  let reader: BodyReader | undefined;
  try {
    const opened = unreadBody(response)?.getReader();
    reader = opened;
    return join(opened ? await cancellation.during(() => drained(opened)) : []);
  } catch (error) {
    reader?.cancel(signal.reason).catch(() => {});
    throw signal.aborted ? signal.reason : failureOf(error, redact);
  }
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

async function drained(reader: BodyReader): Promise<readonly Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return pieces;
    size += value.byteLength;
    if (size > LARGEST_BODY) throw new Failure('TOO_LARGE');
    pieces.push(value);
  }
}

/** See {@link Cancellation.during}; for a signal of the caller's. */
export function untilAborted<T>(start: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const end = (): void => signal.removeEventListener('abort', abort);
    start().then(
      (value) => {
        end();
        resolve(value);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
  });
}

/** ky's error contains the request and so the API key: only the name and message of its cause are kept. */
function failureOf(error: unknown, redact: (text: string) => string): Failure {
  if (error instanceof Failure) return error;
  const below = isNetworkError(error) ? error.cause : error;
  return new Failure(redact(codeOf(below) ?? 'NETWORK'), sanitizeError(below, redact));
}

function codeOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; typeof at === 'object' && at !== null && depth < 5; depth++) {
    const { code, cause } = at as { code?: unknown; cause?: unknown };
    if (typeof code === 'string') return code;
    at = cause;
  }
  return undefined;
}

/** A copy of an error and its causes with nothing but their names and messages. */
function sanitizeError(error: unknown, redact: (text: string) => string, depth = 0): unknown {
  if (!(error instanceof Error) || depth > 4) return undefined;
  const cause = sanitizeError(error.cause, redact, depth + 1);
  const copy = new Error(redact(String(error.message)), cause === undefined ? undefined : { cause });
  copy.name = redact(String(error.name));
  if (error.stack) copy.stack = redact(String(error.stack));
  return copy;
}
