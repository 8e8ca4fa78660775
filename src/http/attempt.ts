import type { Clock } from '../clock.ts';
import { ConnectionError, isKeyRefusal } from '../errors.ts';
import type { Lease, RequestOutcome } from '../quota/admission.ts';
import { isAnyWindowFull, LONGEST_UNRECOGNISED, type QuotaSnapshot, readQuota } from '../quota/headers/snapshot.ts';
import type { CallTrace } from '../trace/call-trace.ts';
import { type LowMarks, LowWater } from '../trace/low-water.ts';
import { bodyStream } from './body-stream.ts';
import { joinBytes } from './bytes.ts';
import type { Call, Reply } from './call.ts';
import { type Deadline, Deadlines } from './deadline.ts';
import { deprecationOf } from './deprecation.ts';
import { Failure, KEY_CHANGED, REFUSED_HERE } from './failure.ts';
import type { KeyMask } from './key-mask.ts';
import { KeyRecognition } from './key-recognition.ts';
import { cancel } from './read-body.ts';
import { redirectOf } from './redirect.ts';
import { type AttemptCounts, type AttemptOutcome, isSafe, mayRetryRefusal, refusalsWith } from './retry-policy.ts';
import { isGatewayFailure, isLimitation, isSuccess, isSurelyUndone } from './status.ts';
import type { Transport } from './transport.ts';

/** A call with its trace. */
export interface TracedCall extends Call {
  trace: CallTrace;
}

/** Result of one attempt: what it means for the call, and the answer or the failure. */
export interface ExchangeResult {
  readonly outcome: AttemptOutcome;
  readonly reply?: Reply;
  readonly failure?: Failure;
}

/** A body in the form that was requested; empty text: there is none, or it is not returned. */
type Body = string | Uint8Array<ArrayBuffer> | Reply['stream'];

type AnsweredOutcome = AttemptOutcome & { readonly kind: 'answered' };

/** An attempt under way. */
interface Attempt {
  readonly call: TracedCall;
  readonly request: Call['request'];
  readonly lease: Lease;
  readonly counts: AttemptCounts;
  /** The number of the key that was sent; 0: none was. */
  key: number;
  /** Whether its lease is settled. */
  isSettled: boolean;
}

/** Options of an exchange. */
export interface HttpExchangeOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** How long most attempts may take, in milliseconds. */
  readonly timeoutMs: number;
  /** The parts of windows below which `low` is emitted. */
  readonly low?: LowMarks | undefined;
  /** Called with the outcome of a lease, as soon as it is known. */
  readonly settle: (lease: Lease, outcome: RequestOutcome) => void;
  /**
   * The number of the key to send a request with. Throws or rejects with a Failure `KEY_CHANGED` if it is not the one that the lease is for.
   *
   * @param isAsked - whether the key was asked for already, for the same request.
   */
  readonly keyFor: (lease: Lease, isAsked: boolean) => number | Promise<number>;
  /** Difference between an answer and our own estimate, by window. */
  readonly drift: (lease: Lease, quota: QuotaSnapshot) => Readonly<Record<string, number>>;
}

/** Sends one request and reads its answer; settles its lease as soon as the headers are there. */
export class HttpExchange {
  readonly #options: HttpExchangeOptions;
  readonly #deadlines: Deadlines;
  /** Endpoints for which `deprecated` was emitted. */
  readonly #deprecated = new Set<string>();
  readonly #keyRecognition = new KeyRecognition();
  readonly #lowWater: LowWater | undefined;

  constructor(options: HttpExchangeOptions) {
    this.#options = options;
    this.#lowWater = options.low && new LowWater(options.low);
    this.#deadlines = new Deadlines(options.clock, options.timeoutMs);
  }

  /** Whether the service serves the key as if there were none. */
  get isKeyIgnored(): boolean {
    return this.#keyRecognition.isIgnored;
  }

  /** One attempt on the wire, from its lease to the end of its body; a streamed body is returned unread. */
  async attempt(
    call: TracedCall,
    request: Call['request'],
    lease: Lease,
    counts: AttemptCounts,
  ): Promise<ExchangeResult> {
    const deadline = this.#deadlines.set(call.timeoutMs, call.signal);
    const attempt: Attempt = { call, request, lease, counts, key: 0, isSettled: false };
    const onLeave = (key: number): void => {
      attempt.key = key;
      call.trace.sent(counts.attempts + 1, lease, request.method, request.url);
    };
    const chooseKey = (): number | Promise<number> => this.#options.keyFor(lease, counts.isKeyAsked === true);
    try {
      call.signal?.throwIfAborted();
      const { endpoint } = call.ask;
      const response = await this.#options.transport.send(request, deadline, onLeave, chooseKey, endpoint);
      const { quota, outcome } = this.#onHeaders(attempt, response);
      const body = await this.#body(attempt, response, outcome, deadline);
      return { outcome, reply: replyOf(response, quota, request.url, counts.hops > 0, body) };
    } catch (error) {
      return this.#onFailure(attempt, error);
    } finally {
      deadline.end();
    }
  }

  /** Settles the lease by the headers, not at the end of the body, so that a refusal pauses other requests at once; and emits what they say. */
  #onHeaders(attempt: Attempt, response: Response): { quota: QuotaSnapshot; outcome: AnsweredOutcome } {
    const { call, request, lease } = attempt;
    const { trace } = call;
    const { transport, clock, settle } = this.#options;
    const { status, headers } = response;
    const quota = withoutKey(readQuota(headers, clock.wall()), headers, transport);
    const isRepeatable = isSafe(request.method);
    const isLimited = isLimitation(status, quota, isRepeatable);
    // Computed from what was known before this answer.
    const drift = trace.isListenedTo('answered') ? this.#options.drift(lease, quota) : undefined;
    attempt.isSettled = true;
    const failed = !isLimited && isGatewayFailure(status);
    settle(lease, { kind: 'answered', quota, limited: isLimited, failed, code: `${status}` });
    if (drift) trace.emit({ type: 'answered', status, tookMs: trace.sinceSentMs ?? 0, quota, drift });
    if (isLimited) trace.emit({ type: 'limited', status, quota });
    this.#emitDeprecation(trace, headers);
    // A refused key may come with the limits of callers without one, but it is not ignored silently.
    if (!isKeyRefusal(status) && this.#keyRecognition.observe(call.ask.endpoint, attempt.key, quota))
      trace.emit({ type: 'key-ignored', quota });
    if (this.#lowWater) for (const low of this.#lowWater.observe(quota)) trace.emit({ type: 'low', ...low });
    const redirect = isLimited
      ? undefined
      : redirectOf(response, request.url, call.redirect ?? 'follow', transport.redact);
    const isFull = isLimited && isAnyWindowFull(quota);
    // A refusal of what may have been executed pauses other requests, too, but is no reason to make the call again.
    const isRefused = isLimited && (isRepeatable || isSurelyUndone(status));
    return { quota, outcome: { kind: 'answered', status, isLimited: isRefused, isFull, redirect } };
  }

  /**
   * Settles the lease of a request that got no headers.
   *
   * @returns the result of an attempt that failed on its way; any other error, such as the reason of an abort, is thrown.
   */
  #onFailure({ call: { trace }, lease, isSettled }: Attempt, error: unknown): ExchangeResult {
    const failure = error instanceof Failure ? error : undefined;
    if (!isSettled) {
      this.#options.settle(lease, {
        kind: trace.sinceSentMs === undefined || failure?.isUnsent ? 'unsent' : 'lost',
        failed: failure !== undefined && !REFUSED_HERE.test(failure.code),
        code: failure?.code,
      });
    }
    if (!failure) throw error;
    const { code } = failure;
    if (code !== KEY_CHANGED) trace.emit({ type: 'lost', code, tookMs: trace.sinceSentMs ?? 0 });
    return { outcome: { kind: 'failed', code }, failure };
  }

  /** Emits `deprecated` once per endpoint. */
  #emitDeprecation(trace: CallTrace, headers: Headers): void {
    const { endpoint } = trace.ask;
    if (!trace.isListenedTo('deprecated') || this.#deprecated.has(endpoint)) return;
    const deprecation = deprecationOf(headers, this.#options.transport.redact);
    if (!deprecation) return;
    this.#deprecated.add(endpoint);
    trace.emit({ type: 'deprecated', ...deprecation });
  }

  /** The body in the form requested. The body of an answer that is not returned is not read. Not async: one promise less for each call. */
  #body(
    { call, counts }: Attempt,
    response: Response,
    outcome: AnsweredOutcome,
    deadline: Deadline,
  ): Body | Promise<Body> {
    const { transport } = this.#options;
    const { isLimited, redirect } = outcome;
    const mayRepeat = !call.ask.isOneShot && mayRetryRefusal(outcome, refusalsWith(outcome, counts));
    if (call.wants === 'none' || redirect || (isLimited && (mayRepeat || !call.takesRefusals))) {
      void cancel(response.body);
      return '';
    }
    if (!isSuccess(response.status))
      return transport.read(response, deadline).then(transport.redact, (error: unknown) => {
        // A refusal counts although its body broke off.
        if (isLimited && error instanceof Failure) return '';
        throw error;
      });
    if (call.wants === 'text') return transport.read(response, deadline);
    if (call.wants === 'bytes') {
      const bytes = transport.readBytes(response, deadline);
      return call.masksKey ? bytes.then((whole) => maskedWhole(whole, transport.mask())) : bytes;
    }
    return this.#streamed(call, response, deadline.leftMs);
  }

  #streamed(
    { ask, request, signal, trace, masksKey }: TracedCall,
    response: Response,
    leftMs: number,
  ): Reply['stream'] {
    const { endpoint } = ask;
    const lost = ({ code, cause }: Failure): ConnectionError => {
      trace.emit({ type: 'lost', code, tookMs: trace.sinceSentMs ?? 0 });
      return new ConnectionError({ endpoint, url: request.url, code, attempts: trace.attempts, cause });
    };
    return bodyStream(response, {
      clock: this.#options.clock,
      leftMs,
      signal,
      mask: masksKey ? this.#options.transport.mask() : undefined,
      timeoutError: () => lost(new Failure('TIMEOUT')),
      brokenError: (error) => lost(this.#options.transport.failureOf(error)),
    });
  }
}

function replyOf(
  // A `fetch` of the caller's own may leave the reason out.
  { status, statusText = '', headers }: Response,
  quota: QuotaSnapshot,
  url: string,
  isRedirected: boolean,
  body: Body,
): Reply {
  const text = typeof body === 'string' ? body : '';
  const bytes = body instanceof Uint8Array ? body : undefined;
  const stream = body instanceof ReadableStream ? body : undefined;
  return { status, statusText, headers, quota, url, isRedirected, text, bytes, stream };
}

/** A body that came in one piece, without the key. */
function maskedWhole(bytes: Uint8Array<ArrayBuffer>, mask: KeyMask): Uint8Array<ArrayBuffer> {
  return joinBytes([mask.piece(bytes), mask.end()]);
}

/** A copy without the API key, in case the service has echoed it in a header. */
function withoutKey(quota: QuotaSnapshot, headers: Headers, { redact }: Transport): QuotaSnapshot {
  const names = Object.keys(quota.unrecognised);
  if (names.length === 0) return quota;
  const unrecognised: Record<string, string> = {};
  for (const name of names) {
    // Redact before cutting: a cut may leave half a key.
    const value = redact(headers.get(name) ?? '').slice(0, LONGEST_UNRECOGNISED);
    if (redact(name) === name) unrecognised[name] = value;
  }
  return { ...quota, unrecognised };
}
