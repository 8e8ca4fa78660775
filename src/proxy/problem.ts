import type { ServerResponse } from 'node:http';
import { ConnectionError, isClosed, isConnectionError, isQuotaExhausted } from '../errors.ts';
import { RETRY_AFTER_HEADER } from '../quota/headers/snapshot.ts';

/** An answer of the proxy itself, as opposed to one of the service. */
export class Problem extends Error {
  /** The HTTP status of the answer. */
  readonly status: number;
  /** What is wrong, as one word for programs. */
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  /** More fields of the body. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    type: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    facts: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.status = status;
    this.type = type;
    this.headers = headers;
    this.facts = facts;
  }
}

/** The answer for an error of a call. An error that is not expected is not quoted, because it may hold anything. */
function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isQuotaExhausted(error)) {
    const { why, window, limit, remaining, maxWaitMs, maxQueueMs, endpoint, retryAt, retryAfterMs } = error;
    const isKnown = Number.isFinite(retryAfterMs);
    const seconds = String(Math.max(1, Math.ceil(retryAfterMs / 1_000)));
    const facts = {
      endpoint,
      window,
      limit,
      remaining,
      ...(isKnown && { maxWaitMs, maxQueueMs, retryAt, retryAfterMs: Math.ceil(retryAfterMs) }),
    };
    return new Problem(503, 'quota', why, isKnown ? { [RETRY_AFTER_HEADER]: seconds } : {}, facts);
  }
  if (isConnectionError(error)) {
    const { code, endpoint, attempts, cause } = error;
    const facts = { endpoint, code, attempts };
    // The message of the same error without its URL, and without a cause that may name the host of the service.
    const { message } = new ConnectionError({ ...facts, cause: code === 'OUTAGE' ? cause : undefined });
    return new Problem(gatewayStatus(facts), 'connection', `${message}.`, {}, facts);
  }
  if (isClosed(error)) return new Problem(503, 'closed', 'The proxy is closing.');
  return new Problem(500, 'internal', 'The proxy failed.');
}

/** 503 where nothing was sent. */
function gatewayStatus({ code, attempts }: Pick<ConnectionError, 'code' | 'attempts'>): 502 | 503 | 504 {
  if (attempts === 0) return 503;
  return code === 'TIMEOUT' ? 504 : 502;
}

/** Sends a problem as JSON, if no other answer has begun; else breaks the connection off, so that half an answer does not look whole. */
export function sendProblem(outgoing: ServerResponse, error: unknown): void {
  if (outgoing.headersSent) return void outgoing.destroy();
  const { status, type, message, headers, facts } = problemOf(error);
  const body = `${JSON.stringify({ error: { type, message, ...facts } })}\n`;
  outgoing.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-quota-error': type,
    ...headers,
  });
  outgoing.end(body);
}
