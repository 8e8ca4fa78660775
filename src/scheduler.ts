import type { Call, Reply } from './call.ts';
import type { Clock } from './clock.ts';
import { type Deadline, setDeadline } from './deadline.ts';
import { defeatOf } from './defeat.ts';
import { ClosedError, ConnectionError } from './errors.ts';
import type { EventListener } from './events.ts';
import type { Journey } from './journey.ts';
import { Line } from './line.ts';
import type { Lease } from './quota/admission.ts';
import type { MonthOutlook } from './quota/month.ts';
import { Pacer } from './quota/pacer.ts';
import { readQuota } from './quota/snapshot.ts';
import type { SparingPolicy } from './quota/sparing.ts';
import type { PacerView } from './quota/view.ts';
import { drop, redirected, redirectOf } from './redirect.ts';
import { comesBack, decide, type Ending, RetryBudget, type Tries, type Verdict } from './retry.ts';
import type { QuotaShare } from './share.ts';
import { Story } from './story.ts';
import { streamed } from './streamed-body.ts';
import { Failure, type Transport } from './transport.ts';

/** A lease outlives the longest attempt by this much before it counts as forgotten, in milliseconds. */
const LEASE_SLACK_MS = 60_000;

/** A call, and where it is. */
interface Traveller extends Call {
  readonly journey: Journey;
}

/** What a scheduler is made from. */
export interface SchedulerOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly share: QuotaShare;
  readonly sparing?: SparingPolicy | undefined;
  readonly concurrency: number;
  readonly maxAttempts: number;
  readonly maxWaitMs: number;
  readonly timeoutMs: number;
  readonly onEvent: EventListener | undefined;
}

/** Brings calls through the line, the gate and the wire, again where that helps, and back. */
export class Scheduler {
  readonly story: Story;
  readonly #options: SchedulerOptions;
  readonly #clock: Clock;
  readonly #pacer: Pacer;
  readonly #line: Line;
  readonly #budget = new RetryBudget();
  readonly #unsubscribe: () => void;
  /** Calls that have not ended, and whom to tell when there are none. */
  #underWay = 0;
  #onIdle = (): void => {};
  readonly #end = (): void => {
    this.#underWay--;
    if (this.#underWay === 0) this.#onIdle();
  };
  #closing: Promise<void> | undefined;

  constructor(options: SchedulerOptions) {
    const { clock, share, concurrency, maxWaitMs, timeoutMs, onEvent } = options;
    this.#options = options;
    this.#clock = clock;
    this.#pacer = new Pacer({
      concurrency,
      leaseMs: timeoutMs + LEASE_SLACK_MS,
      part: (window, now) => share.part(window, now),
      sparing: options.sparing,
    });
    this.#line = new Line({ pacer: this.#pacer, clock, maxWaitMs });
    this.story = new Story(clock, () => this.#line.behind);
    if (onEvent) this.story.subscribe(onEvent);
    this.#unsubscribe = share.subscribe(() => this.#line.wake());
  }

  /** Calls that wait to be sent. */
  get waiting(): number {
    return this.#line.length;
  }

  /** What is left of the month, by the service's clock. */
  month(): MonthOutlook | undefined {
    return this.#pacer.month(this.#clock.now(), this.#clock.wall());
  }

  /** What is known of the quota now. */
  view(): PacerView {
    return this.#pacer.view(this.#clock.now());
  }

  /** Makes a call: sends it when the quota bears it, as often as the policy has it, and returns the last answer. */
  run(call: Call): Promise<Reply> {
    if (this.#closing) return Promise.reject(new ClosedError());
    this.#underWay++;
    const traveller = { ...call, journey: this.story.begin(call.ask, call.label) };
    const place = this.#line.draw();
    // Not async, and what all calls have in common they share: one that waits is a place in line and little more.
    const reply = this.#line.enter(traveller, place).then((lease) => this.#make(traveller, place, lease));
    reply.then(this.#end, (error: unknown) => {
      this.#end();
      traveller.journey.fails(error, traveller.signal);
    });
    return reply;
  }

  /** Makes a call that has its first lease. */
  async #make(call: Traveller, place: number, first: Lease): Promise<Reply> {
    const { journey } = call;
    let { request } = call;
    const tries = { attempts: 0, refusals: 0, hops: 0 };
    for (let lease = first; ; lease = await this.#line.enter(call, place)) {
      journey.passes();
      const { ending, reply, failure } = await this.#attempt({ ...call, request }, lease, tries);
      const isLimited = ending.kind === 'answered' && ending.isLimited;
      if (isLimited) tries.refusals++;
      else if (ending.kind === 'answered' && ending.redirect) tries.hops++;
      else tries.attempts++;
      const verdict = this.#decide(request.method, ending, tries);
      if (reply && (verdict.kind === 'deliver' || (verdict.kind === 'give up' && isLimited && call.takesRefusals))) {
        journey.arrives(reply.status);
        return reply;
      }
      if (verdict.kind !== 'again')
        throw defeatOf(call, ending, tries, failure, this.#clock, this.view().cooldown?.until);
      const { afterMs } = verdict;
      if (verdict.url && ending.kind === 'answered') request = redirected(request, ending.status, verdict.url);
      journey.returns(tries.attempts + 1, afterMs);
      if (afterMs > 0) await this.#line.rest(afterMs, call.signal);
    }
  }

  /** Turns away whoever waits, lets what is under way come back, and gives the share back. */
  close(): Promise<void> {
    this.#closing ??= (async () => {
      const { promise: idle, resolve } = Promise.withResolvers<void>();
      this.#onIdle = resolve;
      this.#line.close();
      if (this.#underWay > 0) await idle;
      this.#unsubscribe();
      await this.#options.share.close();
    })();
    return this.#closing;
  }

  /** One attempt on the wire, from its lease to the end of its body, or to its beginning where it is wanted as it comes. */
  async #attempt(call: Traveller, lease: Lease, tries: Tries): Promise<Landing> {
    const { transport } = this.#options;
    const { journey, request } = call;
    const deadline = setDeadline(this.#clock, call.timeoutMs, call.signal);
    let isSettled = false;
    const onLeave = (): void => journey.leaves(tries.attempts + 1, lease, request.method, request.url);
    try {
      call.signal?.throwIfAborted();
      const response = await transport.send({ ...request, signal: deadline.signal }, onLeave);
      const { status, statusText, headers } = response;
      const quota = readQuota(headers, this.#clock.wall());
      const isLimited = status === 429 || (!response.ok && quota.retryAfterMs !== undefined);
      const drift = journey.isHeard('answered') ? this.#pacer.drift(lease, quota, this.#clock.now()) : {};
      isSettled = true;
      // With the headers, and not with the end of the body: siblings hear of a refusal at once.
      this.#line.settle(lease, { kind: 'answered', quota, limited: isLimited });
      journey.tell({ type: 'answered', status, tookMs: journey.outMs ?? 0, quota, drift });
      if (isLimited) journey.tell({ type: 'limited', status, quota });
      const redirect = isLimited ? undefined : redirectOf(response, request.url, call.redirect ?? 'follow');
      const ending: Ending = { kind: 'answered', status, isLimited, redirect };
      const head = { status, statusText, headers, quota, url: request.url, isRedirected: tries.hops > 0 };
      return { ending, reply: { ...head, ...(await this.#body(call, response, ending, tries, deadline)) } };
    } catch (error) {
      const isUnsent = journey.outMs === undefined || (error instanceof Failure && error.isUnsent);
      if (!isSettled)
        this.#line.settle(lease, { kind: isUnsent ? 'unsent' : 'lost', failed: error instanceof Failure });
      if (!(error instanceof Failure)) throw error;
      journey.tell({ type: 'lost', code: error.code, tookMs: journey.outMs ?? 0 });
      return { ending: { kind: 'failed', code: error.code }, failure: error };
    } finally {
      deadline.end();
    }
  }

  /** The body in the form that is wanted. That of an answer which nobody will see is not read. */
  async #body(
    call: Traveller,
    response: Response,
    { isLimited, redirect }: Ending & { kind: 'answered' },
    tries: Tries,
    deadline: Deadline,
  ): Promise<Pick<Reply, 'text' | 'bytes' | 'stream'>> {
    const { transport } = this.#options;
    const isLast = isLimited && !comesBack(response.status, tries.refusals + 1, isSafe(call.request.method));
    if (call.wants === 'none' || redirect || (isLimited && !(isLast && call.takesRefusals))) {
      drop(response);
      return { text: '' };
    }
    if (!response.ok) {
      const text = transport.read(response, deadline.signal).catch((error: unknown) => {
        // A refusal is one, though its words break off.
        if (isLimited && error instanceof Failure) return '';
        throw error;
      });
      return { text: transport.redact(await text) };
    }
    if (call.wants === 'text') return { text: await transport.read(response, deadline.signal) };
    if (call.wants === 'bytes') return { text: '', bytes: await transport.readBytes(response, deadline.signal) };
    const stream = this.#streamed(call, response, tries.attempts + 1, deadline.leftMs());
    return { text: '', ...(stream && { stream }) };
  }

  #streamed(
    { ask, signal, journey }: Traveller,
    response: Response,
    attempts: number,
    leftMs: number,
  ): Reply['stream'] {
    const { endpoint } = ask;
    const lost = ({ code, cause }: Failure): ConnectionError => {
      journey.tell({ type: 'lost', code, tookMs: journey.outMs ?? 0 });
      return new ConnectionError({ endpoint, code, attempts, cause });
    };
    return streamed(response, {
      clock: this.#clock,
      leftMs,
      signal,
      lateness: () => lost(new Failure('TIMEOUT', false)),
      breakage: (error) => lost(this.#options.transport.failureOf(error)),
    });
  }

  #decide(method: string, ending: Ending, tries: Tries): Verdict {
    const { maxAttempts, random } = this.#options;
    const verdict = decide(ending, tries, { maxAttempts, isSafe: isSafe(method), random: random() });
    if (verdict.kind === 'deliver' && ending.kind === 'answered' && ending.status < 500) this.#budget.earn();
    if (verdict.kind !== 'again' || !verdict.isPaid || this.#budget.pay()) return verdict;
    return { kind: ending.kind === 'answered' ? 'deliver' : 'give up' };
  }
}

/** How an attempt came down: what it means for the call, and the answer or the failure. */
interface Landing {
  readonly ending: Ending;
  readonly reply?: Reply;
  readonly failure?: Failure;
}

/** Whether sending it twice does no harm. */
function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}
