import type { Clock } from '../clock.ts';
import { ConnectionError } from '../errors.ts';
import type { Lease, RequestOutcome } from '../quota/admission.ts';
import { LONGEST_UNRECOGNISED, type QuotaSnapshot, readQuota } from '../quota/headers/snapshot.ts';
import type { CallTrace } from '../trace/call-trace.ts';
import { bodyStream } from './body-stream.ts';
import type { Call, Reply } from './call.ts';
import { type Deadline, Deadlines } from './deadline.ts';
import { KEY_REFUSED } from './key-breaker.ts';
import { drop, redirectOf } from './redirect.ts';
import {
  type AttemptCounts,
  type AttemptOutcome,
  isGatewayFailure,
  isLimitation,
  isSafe,
  mayRetryRefusal,
} from './retry-policy.ts';
import { Failure, type Transport, unreadBody } from './transport.ts';

/** A call with its trace. */
export interface TracedCall extends Call {
  trace: CallTrace;
}

const NO_DRIFT: Readonly<Record<string, number>> = {};

/** Result of one attempt: what it means for the call, and the answer or the failure. */
export interface ExchangeResult {
  readonly outcome: AttemptOutcome;
  readonly reply?: Reply;
  readonly failure?: Failure;
}

/** Options of an exchange. */
export interface HttpExchangeOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** How long most attempts may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Called with the outcome of a lease, as soon as it is known. */
  readonly settle: (lease: Lease, outcome: RequestOutcome) => void;
  /** Difference between an answer and our own estimate, by window. */
  readonly drift: (lease: Lease, quota: QuotaSnapshot) => Readonly<Record<string, number>>;
}

/** Sends one request and reads its answer; settles its lease as soon as the headers are there. */
export class HttpExchange {
  readonly #options: HttpExchangeOptions;
  readonly #deadlines: Deadlines;

  constructor(options: HttpExchangeOptions) {
    this.#options = options;
    this.#deadlines = new Deadlines(options.clock, options.timeoutMs);
  }

  /** One attempt on the wire, from its lease to the end of its body, or to its beginning where it is wanted as it comes. */
  async attempt(
    call: TracedCall,
    request: Call['request'],
    lease: Lease,
    counts: AttemptCounts,
  ): Promise<ExchangeResult> {
    const { transport } = this.#options;
    const { trace } = call;
    const deadline = this.#deadlines.set(call.timeoutMs, call.signal);
    let isSettled = false;
    const onLeave = (): void => trace.sent(counts.attempts + 1, lease, request.method, request.url);
    try {
      call.signal?.throwIfAborted();
      const response = await transport.send(request, deadline.signal, onLeave);
      const { status, statusText, headers } = response;
      const quota = withoutKey(readQuota(headers, this.#options.clock.wall()), headers, transport);
      const isLimited = isLimitation(response, quota, isSafe(request.method));
      const drift = trace.isListenedTo('answered') ? this.#options.drift(lease, quota) : NO_DRIFT;
      isSettled = true;
      // Settle with the headers, not with the end of the body, so that a refusal pauses other requests at once.
      this.#options.settle(lease, {
        kind: 'answered',
        quota,
        limited: isLimited,
        failed: !isLimited && isGatewayFailure(status),
      });
      if (trace.isListenedTo('answered'))
        trace.emit({ type: 'answered', status, tookMs: trace.sinceSentMs ?? 0, quota, drift });
      if (isLimited) trace.emit({ type: 'limited', status, quota });
      const redirect = isLimited ? undefined : redirectOf(response, request.url, call.redirect ?? 'follow');
      if (redirect && isEcho(redirect, transport)) {
        drop(response);
        throw new Failure('REDIRECT', false);
      }
      const outcome: AttemptOutcome = { kind: 'answered', status, isLimited, redirect };
      const { text, bytes, stream } = await this.#body(call, request.method, response, outcome, counts, deadline);
      const isRedirected = counts.hops > 0;
      return {
        outcome,
        reply: { status, statusText, headers, quota, url: request.url, isRedirected, text, bytes, stream },
      };
    } catch (error) {
      const isUnsent = trace.sinceSentMs === undefined || (error instanceof Failure && error.isUnsent);
      if (!isSettled)
        this.#options.settle(lease, {
          kind: isUnsent ? 'unsent' : 'lost',
          failed: error instanceof Failure && error.code !== KEY_REFUSED,
        });
      if (!(error instanceof Failure)) throw error;
      trace.emit({ type: 'lost', code: error.code, tookMs: trace.sinceSentMs ?? 0 });
      return { outcome: { kind: 'failed', code: error.code }, failure: error };
    } finally {
      deadline.end();
    }
  }

  /** The body in the form requested. The body of an answer that no caller gets is not read. */
  async #body(
    call: TracedCall,
    method: string,
    response: Response,
    { isLimited, redirect }: AttemptOutcome & { kind: 'answered' },
    counts: AttemptCounts,
    deadline: Deadline,
  ): Promise<Pick<Reply, 'text' | 'bytes' | 'stream'>> {
    const { transport } = this.#options;
    const isLast = isLimited && !mayRetryRefusal(response.status, counts.refusals + 1, isSafe(method));
    if (call.wants === 'none' || redirect || (isLimited && !(isLast && call.takesRefusals))) {
      drop(response);
      return { text: '' };
    }
    if (!response.ok) {
      const text = transport.read(response, deadline.signal).catch((error: unknown) => {
        // A refusal counts although its body broke off.
        if (isLimited && error instanceof Failure) return '';
        throw error;
      });
      return { text: transport.redact(await text) };
    }
    if (call.wants === 'text') return { text: await transport.read(response, deadline.signal) };
    if (call.wants === 'bytes') return { text: '', bytes: await transport.readBytes(response, deadline.signal) };
    const stream = unreadBody(response) && this.#streamed(call, response, counts.attempts + 1, deadline.leftMs);
    return { text: '', ...(stream && { stream }) };
  }

  #streamed({ ask, signal, trace }: TracedCall, response: Response, attempts: number, leftMs: number): Reply['stream'] {
    const { endpoint } = ask;
    const lost = ({ code, cause }: Failure): ConnectionError => {
      trace.emit({ type: 'lost', code, tookMs: trace.sinceSentMs ?? 0 });
      return new ConnectionError({ endpoint, code, attempts, cause });
    };
    return bodyStream(response, {
      clock: this.#options.clock,
      leftMs,
      signal,
      lateness: () => lost(new Failure('TIMEOUT', false)),
      breakage: (error) => lost(this.#options.transport.failureOf(error)),
    });
  }
}

/** The same, should the service have echoed the key in a header that is not known. */
function withoutKey(quota: QuotaSnapshot, headers: Headers, { redact }: Transport): QuotaSnapshot {
  const names = Object.keys(quota.unrecognised);
  if (names.length === 0) return quota;
  const unrecognised: Record<string, string> = Object.create(null);
  for (const name of names) {
    // Redact before cutting: a cut may leave half a key.
    const value = redact(headers.get(name) ?? '').slice(0, LONGEST_UNRECOGNISED);
    if (redact(name) === name) unrecognised[name] = value;
  }
  return { ...quota, unrecognised };
}

/** Whether a URL of the service has the key in it: events and answers show where a call went. */
function isEcho(url: URL, { redact }: Transport): boolean {
  const place = url.href.replace(url.origin, '');
  return redact(place) !== place;
}
