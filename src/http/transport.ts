import ky, { isNetworkError, type Options } from 'ky';
import { KEY_REFUSED, type KeyBreaker } from './key-breaker.ts';
import { isPrototypePolluted, KY_DEFAULTS, ownRequestFields } from './prototype-guard.ts';
import { Redaction } from './redaction.ts';

/** The largest body that is read, in bytes after decompression: a small answer can inflate without bound. */
const LARGEST_BODY = 32 * 1024 * 1024;

/** One request as it goes out. */
export interface Outgoing {
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: BodyInit | undefined;
  /** What else the caller would tell `fetch`, such as its cache mode. */
  readonly init?: RequestInit | undefined;
}

/** The failure of a request that got no usable answer. */
export class Failure extends Error {
  /** What went wrong, such as `ECONNRESET`. */
  readonly code: string;
  /** Whether the request certainly never left. */
  readonly isUnsent: boolean;

  constructor(code: string, isUnsent: boolean, cause?: unknown) {
    super(code, cause === undefined ? undefined : { cause });
    this.code = code;
    this.isUnsent = isUnsent;
  }
}

/** Sends one request once. Adds the key, and only for the service's own origin. */
export interface Transport {
  /**
   * One attempt: the answer's headers, with the body still to be read.
   *
   * @param onLeave - called when the request leaves. One that did not come so far was certainly not counted.
   */
  send(request: Outgoing, signal: AbortSignal, onLeave?: () => void): Promise<Response>;
  /** The whole body as text, up to 32 MiB. */
  read(response: Response, signal: AbortSignal): Promise<string>;
  /** The whole body as it is, up to 32 MiB. */
  readBytes(response: Response, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  /** What went wrong, without the key, as far as it is known. */
  failureOf(error: unknown): Failure;
  /** The text without the key, should the service have echoed it, even if escaped as in JSON or in a URL. */
  redact(text: string): string;
}

/** Options of a transport. */
export interface TransportOptions {
  readonly origin: string;
  readonly key: () => string | undefined | Promise<string | undefined>;
  /** Left out: the global `fetch` of the moment, because what stands in for it may take its place at any time. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly keyBreaker?: KeyBreaker | undefined;
}

/** Transport by ky, with its retries, time-outs and errors off, because scheduler and retry policy decide those. */
export function createTransport({ origin, key, fetch, keyBreaker }: TransportOptions): Transport {
  const wire = ky.create({
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    // fetch keeps x-api-key on a redirect to another origin, so redirects are followed manually.
    redirect: 'manual',
  });
  const redaction = new Redaction();
  const { redact } = redaction;

  return {
    redact,
    failureOf: (error) => failureOf(error, redact),
    read: (response, signal) => read(response, signal, redact, joinText),
    readBytes: (response, signal) => read(response, signal, redact, joinBytes),
    async send({ method, url, headers, body, init }, signal, onLeave = () => {}) {
      const given = url.origin === origin ? key() : undefined;
      const secret = given instanceof Promise ? await untilAborted(() => given, signal) : given;
      if (secret !== undefined) redaction.learn(secret);
      if (secret !== undefined && keyBreaker?.isOpen(secret)) throw new Failure(KEY_REFUSED, true);
      const planted = isPrototypePolluted();
      // To be told of the signal by the request takes two more signals. But a `fetch` of the caller's own may look for it
      // there, and beside options that are not empty a request forgets the caller's referrer.
      const isTold = fetch !== undefined || init !== undefined || planted;
      const leave: typeof globalThis.fetch = async (input, unknown) => {
        onLeave();
        if (!isTold) return answerOf(await globalThis.fetch(input, { signal }));
        const own = planted ? { ...unknown, ...ownRequestFields(input as Request) } : unknown;
        return answerOf(await (fetch ?? globalThis.fetch)(input, own));
      };
      // One by one, because ky copies all that there is with each of them.
      const request: Options = planted ? { ...KY_DEFAULTS, ...init } : { ...init };
      request.fetch = leave;
      if (planted || method !== 'GET') request.method = method;
      // A plain object, because ky copies `Headers` twice as often.
      if (planted || headers || secret !== undefined)
        request.headers = secret === undefined ? { ...headers } : { ...headers, 'x-api-key': secret };
      if (isTold) request.signal = signal;
      if (body !== undefined) request.body = body;
      try {
        const response = await untilAborted(() => wire(url, request), signal);
        if (secret !== undefined) keyBreaker?.record(secret, response.status);
        return response;
      } catch (error) {
        throw signal.aborted ? signal.reason : failureOf(error, redact);
      }
    },
  };
}

/** A custom `fetch` may return anything: a response is an object with the members that are read here. */
function answerOf(given: Partial<Response> | null | undefined): Response {
  const { status, headers, body } = given ?? {};
  const isHeaded = typeof headers?.forEach === 'function' && typeof headers.get === 'function';
  const isReadable = !body || typeof body.getReader === 'function';
  if (typeof status === 'number' && isHeaded && isReadable) return given as Response;
  throw new Failure('INVALID_RESPONSE', false, new TypeError('fetch did not return a Response.'));
}

/** The body of an answer, if it has one. A custom `fetch` may have read it, or begun to. */
export function unreadBody({ body, bodyUsed }: Response): Response['body'] {
  if (!bodyUsed && !body?.locked) return body;
  throw new Failure(
    'INVALID_RESPONSE',
    false,
    new TypeError('The body was already read: fetch must return it unread.'),
  );
}

/** Decodes bodies that come in one piece: one for each takes longer than to decode a small one. */
const WHOLE = new TextDecoder();

/** The text of a whole body. */
function joinText(pieces: readonly Uint8Array[]): string {
  const [first, second] = pieces;
  if (!second) return first ? WHOLE.decode(first) : '';
  const decoder = new TextDecoder();
  let text = '';
  for (const piece of pieces) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}

/** A whole body as it is. */
function joinBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pieces.reduce((size, { byteLength }) => size + byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}

/** Reads to the end. The size shows only on the way: what a header says of it may be wrong, or of the compressed body. */
async function read<T>(
  response: Response,
  signal: AbortSignal,
  redact: (text: string) => string,
  join: (pieces: readonly Uint8Array[]) => T,
): Promise<T> {
  const pieces: Uint8Array[] = [];
  let stop: (() => void) | undefined;
  try {
    const reader = unreadBody(response)?.getReader();
    if (!reader) return join(pieces);
    stop = () => void reader.cancel(signal.reason).catch(() => {});
    signal.addEventListener('abort', stop, { once: true });
    for (let size = 0; ; ) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > LARGEST_BODY) throw new Failure('TOO_LARGE', false);
      pieces.push(value);
    }
    // A body that is cancelled says that it is done.
    signal.throwIfAborted();
    return join(pieces);
  } catch (error) {
    stop?.();
    throw signal.aborted ? signal.reason : failureOf(error, redact);
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
}

/** Rejects on abort even if the `apiKey` function or a custom `fetch` ignores the signal. */
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

/** Codes of failures before the connection stood, so before anything was sent. */
const UNSENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** ky's error has the request, and so the key; only its cause is kept, and of that only name and message. */
function failureOf(error: unknown, redact: (text: string) => string): Failure {
  if (error instanceof Failure) return error;
  const below = isNetworkError(error) ? error.cause : error;
  const code = redact(codeOf(below) ?? 'NETWORK');
  return new Failure(code, UNSENT.has(code), sanitizeError(below, redact));
}

function codeOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; typeof at === 'object' && at !== null && depth < 5; depth++) {
    const { code, cause } = at as { code?: unknown; cause?: unknown };
    if (typeof code === 'string') return code;
    at = cause;
  }
  return undefined;
}

/** A copy of an error and its causes that holds their words and nothing else. */
function sanitizeError(error: unknown, redact: (text: string) => string, depth = 0): unknown {
  if (!(error instanceof Error) || depth > 4) return undefined;
  const cause = sanitizeError(error.cause, redact, depth + 1);
  const copy = new Error(redact(String(error.message)), cause === undefined ? undefined : { cause });
  copy.name = redact(String(error.name));
  if (error.stack) copy.stack = redact(String(error.stack));
  return copy;
}
