import { causesOf } from '../errors.ts';

/** The code of a request that is not sent because its key was refused. */
export const KEY_REFUSED = 'KEY_REFUSED';

/** The code of a request that is not sent because another key was given for it than the one that it was admitted for. */
export const KEY_CHANGED = 'KEY_CHANGED';

/** Codes of failures before anything was sent: the connection was not established, an outage lasts, or there is no key to send. */
export const UNSENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'OUTAGE',
  KEY_REFUSED,
]);

/**
 * Codes of requests that the client or `fetch` does not send, which are no failures of the service: the key cannot be sent (`KEY_`), a header is one that
 * `fetch` does not send, `fetch` takes no Request, Node's permissions forbid it, or the dispatcher was closed.
 */
export const REFUSED_HERE: RegExp =
  /^(?:KEY_|ERR_(?:INVALID_URL|ACCESS_DENIED)|UND_ERR_(?:INVALID_ARG|NOT_SUPPORTED|CLOSED|DESTROYED|REQ_C))/;

/** Of these, the codes of requests that may have been sent: the body is not as long as stated, or the dispatcher was destroyed meanwhile. */
const MAY_BE_SENT = /^UND_ERR_(?:DESTROYED|REQ_C)/;

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
    return UNSENT.has(this.code) || (REFUSED_HERE.test(this.code) && !MAY_BE_SENT.test(this.code));
  }
}

/** The failure behind an error, of which only the names, messages and stacks are kept, without the API key. */
export function failureOf(error: unknown, redact: (text: string) => string): Failure {
  if (error instanceof Failure) return error;
  return new Failure(redact(codeOf(error) ?? 'NETWORK'), sanitizeError(error, redact));
}

function codeOf(error: unknown): string | undefined {
  const codes = causesOf(error).map((one) => (one as { readonly code?: unknown }).code);
  return codes.find((code) => typeof code === 'string');
}

/** A copy of an error and its causes with nothing but their names, messages and stacks. */
function sanitizeError(error: unknown, redact: (text: string) => string, depth = 0): unknown {
  if (!(error instanceof Error) || depth > 4) return undefined;
  const cause = sanitizeError(error.cause, redact, depth + 1);
  const copy = new Error(redact(String(error.message)), cause === undefined ? undefined : { cause });
  copy.name = redact(String(error.name));
  if (error.stack) copy.stack = redact(String(error.stack));
  return copy;
}
