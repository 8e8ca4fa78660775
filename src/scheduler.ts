import type { Clock } from './clock.ts';
import { ClosedError, ConnectionError, QuotaExhaustedError } from './errors.ts';
import type { ClientEvent, EventListener } from './events.ts';
import { Line } from './line.ts';
import type { Ask, Lease } from './quota/admission.ts';
import { Pacer } from './quota/pacer.ts';
import type { Part } from './quota/part.ts';
import type { ServerClock } from './quota/server-clock.ts';
import { type QuotaSnapshot, readQuota } from './quota/snapshot.ts';
import type { PacerView } from './quota/view.ts';
import { drop, redirectOf } from './redirect.ts';
import { decide, type Ending, RetryBudget, type Tries, type Verdict } from './retry.ts';
import type { Membership, QuotaShare } from './share.ts';
import { Failure, type Outgoing, type Transport } from './transport.ts';

/** A lease outlives the longest attempt by this much before it counts as forgotten, in milliseconds. */
const LEASE_SLACK_MS = 60_000;

/** A call to be made. */
export interface Call {
  readonly request: Omit<Outgoing, 'signal'>;
  readonly ask: Ask;
  /** Higher goes first. */
  readonly priority: number;
  readonly signal: AbortSignal | undefined;
  /** How long one attempt may take from leaving to the end of its body, in milliseconds. */
  readonly timeoutMs: number;
  /** Whether the body is wanted. */
  readonly wantsBody: boolean;
}

/** The service's answer to a call. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly quota: QuotaSnapshot;
  /** The body, without the key should the service have echoed it; empty if it was not wanted. */
  readonly text: string;
}

/** What a scheduler is made from. */
export interface SchedulerOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly share: QuotaShare;
  /** Whose quota it is: the service's origin and the key. */
  readonly credential: () => Promise<string>;
  readonly concurrency: number;
  readonly maxAttempts: number;
  readonly maxWaitMs: number;
  readonly timeoutMs: number;
  readonly onEvent: EventListener | undefined;
}

/** Brings calls through the line, the gate and the wire, again where that helps, and back. */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #clock: Clock;
  readonly #pacer: Pacer;
  readonly #line: Line;
  readonly #budget = new RetryBudget();
  #membership: Membership | undefined;
  readonly #underWay = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(options: SchedulerOptions) {
    const { clock, share, concurrency, maxWaitMs, timeoutMs } = options;
    this.#options = options;
    this.#clock = clock;
    this.#pacer = new Pacer({
      concurrency,
      leaseMs: timeoutMs + LEASE_SLACK_MS,
      part: (time) => this.#join(share, time),
    });
    this.#line = new Line({ pacer: this.#pacer, clock, maxWaitMs, tell: (event) => this.#tell(event) });
  }

  /** Calls that wait to be sent. */
  get waiting(): number {
    return this.#line.length;
  }

  /** What is known of the quota now. */
  view(): PacerView {
    return this.#pacer.view(this.#clock.now());
  }

  /** Makes a call: sends it when the quota bears it, as often as the policy has it, and returns the last answer. */
  run(call: Call): Promise<Reply> {
    if (this.#closing) return Promise.reject(new ClosedError());
    const work = this.#run(call);
    this.#underWay.add(work);
    const leave = (): boolean => this.#underWay.delete(work);
    work.then(leave, leave);
    return work;
  }

  async #run(call: Call): Promise<Reply> {
    const place = this.#line.draw();
    let { url } = call.request;
    const tries = { attempts: 0, refusals: 0, hops: 0 };
    for (let isReturning = false; ; isReturning = true) {
      const lease = await this.#line.enter(call, place, isReturning);
      const { ending, reply, failure } = await this.#attempt(call, url, lease, tries.attempts + 1);
      if (ending.kind === 'answered' && ending.isLimited) tries.refusals++;
      else if (ending.kind === 'answered' && ending.redirect) tries.hops++;
      else tries.attempts++;
      const verdict = this.#decide(call, ending, tries);
      if (verdict.kind === 'deliver' && reply) return reply;
      if (verdict.kind !== 'again') throw this.#defeat(call, ending, tries.attempts, failure);
      const { afterMs } = verdict;
      url = verdict.url ?? url;
      this.#tell({ type: 'retrying', endpoint: call.ask.endpoint, attempt: tries.attempts + 1, afterMs });
      if (afterMs > 0) await this.#line.rest(afterMs, call.signal);
    }
  }

  /** Turns away whoever waits, lets what is under way come back, and gives the share back. */
  close(): Promise<void> {
    this.#closing ??= (async () => {
      this.#line.close();
      await Promise.allSettled(this.#underWay);
      await this.#membership?.leave();
    })();
    return this.#closing;
  }

  #join(share: QuotaShare, time: ServerClock): Part {
    const { clock, random, credential } = this.#options;
    this.#membership = share.join({
      clock,
      random,
      time,
      credential,
      waiting: () => this.waiting,
      learn: (knowledge) => this.#pacer.learn(knowledge, clock.now()),
      wake: () => this.#line.wake(),
      tell: (event) => this.#tell(event),
    });
    return this.#membership.part;
  }

  /** One attempt on the wire, from its lease to the end of its body. The lease is settled with the headers. */
  async #attempt(call: Call, url: URL, lease: Lease, attempt: number): Promise<Landing> {
    const { transport } = this.#options;
    const { endpoint } = call.ask;
    const deadline = this.#deadline(call);
    let leftAt: number | undefined;
    let isSettled = false;
    const onLeave = (): void => {
      leftAt = this.#clock.now();
      this.#tell({ type: 'sent', endpoint, attempt, units: lease.units });
    };
    try {
      call.signal?.throwIfAborted();
      const response = await transport.send({ ...call.request, url, signal: deadline.signal }, onLeave);
      const { status, headers } = response;
      const quota = readQuota(headers, this.#clock.wall());
      const isLimited = status === 429 || (!response.ok && quota.retryAfterMs !== undefined);
      isSettled = true;
      this.#line.settle(lease, { kind: 'answered', quota, limited: isLimited });
      this.#tell({ type: 'answered', endpoint, status, tookMs: this.#clock.now() - (leftAt ?? 0), quota });
      if (isLimited) this.#tell({ type: 'limited', endpoint, status, quota });
      const ending: Ending = {
        kind: 'answered',
        status,
        isLimited,
        redirect: isLimited ? undefined : redirectOf(response, url),
      };
      if (!call.wantsBody || ending.isLimited || ending.redirect) {
        drop(response);
        return { ending, reply: { status, headers, quota, text: '' } };
      }
      const text = await transport.read(response, deadline.signal);
      return { ending, reply: { status, headers, quota, text: response.ok ? text : transport.redact(text) } };
    } catch (error) {
      const isUnsent = leftAt === undefined || (error instanceof Failure && error.isUnsent);
      if (!isSettled) this.#line.settle(lease, { kind: isUnsent ? 'unsent' : 'lost' });
      if (!(error instanceof Failure)) throw error;
      this.#tell({ type: 'lost', endpoint, code: error.code });
      return { ending: { kind: 'failed', code: error.code }, failure: error };
    } finally {
      deadline.end();
    }
  }

  /** A signal that aborts with the caller's, or when the attempt takes too long. */
  #deadline({ signal, timeoutMs }: Call): { readonly signal: AbortSignal; readonly end: () => void } {
    const controller = new AbortController();
    const cancel = this.#clock.timer(timeoutMs, () => controller.abort(new Failure('TIMEOUT', false)));
    const abort = (): void => controller.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', abort);
    };
    return { signal: controller.signal, end };
  }

  #decide(call: Call, ending: Ending, tries: Tries): Verdict {
    const { method } = call.request;
    const { maxAttempts, random } = this.#options;
    const isSafe = method === 'GET' || method === 'HEAD';
    const verdict = decide(ending, tries, { maxAttempts, isSafe, random: random() });
    if (verdict.kind === 'deliver' && ending.kind === 'answered' && ending.status < 500) this.#budget.earn();
    if (verdict.kind !== 'again' || !verdict.isPaid || this.#budget.pay()) return verdict;
    return { kind: ending.kind === 'answered' ? 'deliver' : 'give up' };
  }

  #defeat({ ask }: Call, ending: Ending, attempts: number, cause: Failure | undefined): Error {
    const { endpoint } = ask;
    if (ending.kind === 'failed')
      return new ConnectionError({ endpoint, code: ending.code, attempts, cause: cause?.cause });
    if (!ending.isLimited) return new ConnectionError({ endpoint, code: 'REDIRECT', attempts });
    const retryAfterMs = Math.max(0, (this.view().cooldown?.until ?? 0) - this.#clock.now());
    return new QuotaExhaustedError({
      endpoint,
      window: 'cooldown',
      limit: undefined,
      remaining: undefined,
      retryAfterMs,
      retryAt: new Date(this.#clock.wall() + retryAfterMs),
      why: 'the service refused the call again and again, although it waited as told.',
    });
  }

  #tell(event: ClientEvent): void {
    // A listener's fault is not the call's, whether it throws or, being asynchronous, rejects.
    try {
      const heard: unknown = this.#options.onEvent?.(event);
      if (heard instanceof Promise) heard.catch(() => {});
    } catch {}
  }
}

/** How an attempt came down: what it means for the call, and the answer or the failure. */
interface Landing {
  readonly ending: Ending;
  readonly reply?: Reply;
  readonly failure?: Failure;
}
