import { Attempts, type Traveller } from './attempt.ts';
import type { Call, Reply } from './call.ts';
import { Census } from './census.ts';
import type { Clock } from './clock.ts';
import { defeatOf } from './defeat.ts';
import { ClosedError } from './errors.ts';
import type { EventListener } from './events.ts';
import { Line } from './line.ts';
import type { Lease } from './quota/admission.ts';
import type { Plan, PlanEstimate } from './quota/estimate.ts';
import type { MonthOutlook } from './quota/month.ts';
import { Pacer } from './quota/pacer.ts';
import type { Part } from './quota/part.ts';
import type { ServerClock } from './quota/server-clock.ts';
import type { SparingPolicy } from './quota/sparing.ts';
import type { PacerView } from './quota/view.ts';
import { redirected } from './redirect.ts';
import { decide, type Ending, isSafe, RetryBudget, type Tries, type Verdict } from './retry.ts';
import type { Membership, QuotaShare } from './share.ts';
import { Story } from './story.ts';
import type { Transport } from './transport.ts';

/** A lease outlives the longest attempt by this much before it counts as forgotten, in milliseconds. */
const LEASE_SLACK_MS = 60_000;

/** What a scheduler is made from. */
export interface SchedulerOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly share: QuotaShare;
  readonly sparing?: SparingPolicy | undefined;
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
  readonly story: Story;
  readonly #options: SchedulerOptions;
  readonly #clock: Clock;
  readonly #pacer: Pacer;
  readonly #line: Line;
  readonly #attempts: Attempts;
  readonly #budget = new RetryBudget();
  readonly #census = new Census();
  #urgentWaiting = 0;
  #membership: Membership | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: SchedulerOptions) {
    const { transport, clock, share, concurrency, maxWaitMs, timeoutMs, onEvent } = options;
    this.#options = options;
    this.#clock = clock;
    this.#pacer = new Pacer({
      concurrency,
      leaseMs: timeoutMs + LEASE_SLACK_MS,
      part: (time) => this.#join(share, time),
      sparing: options.sparing,
    });
    this.#line = new Line({ pacer: this.#pacer, clock, maxWaitMs });
    this.story = new Story(clock, () => this.#line.behind);
    if (onEvent) this.story.subscribe(onEvent);
    this.#attempts = new Attempts({
      transport,
      clock,
      settle: (lease, outcome) => this.#line.settle(lease, outcome),
      drift: (lease, quota) => this.#pacer.drift(lease, quota, clock.now()),
    });
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

  /** What requests have taken so far, in all. */
  get spent(): { readonly requests: number; readonly units: number } {
    return this.#pacer.tempo;
  }

  /** When the last of these would be back, behind the calls that wait with that priority or a higher one; undefined while nothing is known. */
  estimate(plan: Plan, priority: number): PlanEstimate | undefined {
    const now = this.#clock.now();
    return this.#pacer.estimate([...this.#census.ahead(priority, this.#pacer.inFlight), plan], now);
  }

  /** Makes a call: sends it when the quota bears it, as often as the policy has it, and returns the last answer. */
  run(call: Call): Promise<Reply> {
    if (this.#closing) return Promise.reject(new ClosedError());
    const kind = this.#census.come(call.ask);
    const traveller = { ...call, journey: this.story.begin(call.ask, call.label) };
    const place = this.#line.draw();
    // Not async: one that waits is a place in line and little more.
    const reply = this.#enter(traveller, place).then((lease) => this.#make(traveller, place, lease));
    reply.then(
      () => this.#census.leave(kind),
      (error: unknown) => {
        this.#census.leave(kind);
        traveller.journey.fails(error, traveller.signal);
      },
    );
    return reply;
  }

  /** Waits for a lease. Urgent calls that wait are counted, because processes that share a quota keep something for such. */
  #enter(call: Traveller, place: number): Promise<Lease> {
    const lease = this.#line.enter(call, place);
    if ((call.ask.priority ?? 0) <= 0) return lease;
    this.#urgentWaiting++;
    return lease.finally(() => this.#urgentWaiting--);
  }

  /** Makes a call that has its first lease. */
  async #make(call: Traveller, place: number, first: Lease): Promise<Reply> {
    const { journey } = call;
    let { request } = call;
    const tries = { attempts: 0, refusals: 0, hops: 0 };
    for (let lease = first; ; lease = await this.#enter(call, place)) {
      journey.passes();
      const { ending, reply, failure } = await this.#attempts.make({ ...call, request }, lease, tries);
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
      this.#line.close();
      await this.#census.over();
      await this.#membership?.leave();
    })();
    return this.#closing;
  }

  #join(share: QuotaShare, time: ServerClock): Part {
    const { clock, random, credential, concurrency } = this.#options;
    this.#membership = share.join({
      clock,
      random,
      time,
      credential,
      waiting: () => this.waiting,
      urgentWaiting: () => this.#urgentWaiting,
      concurrency,
      learn: (knowledge) => this.#pacer.learn(knowledge, clock.now()),
      wake: () => this.#line.wake(),
      tell: (event) => this.story.tell(event),
    });
    return this.#membership.part;
  }

  #decide(method: string, ending: Ending, tries: Tries): Verdict {
    const { maxAttempts, random } = this.#options;
    const verdict = decide(ending, tries, { maxAttempts, isSafe: isSafe(method), random: random() });
    if (verdict.kind === 'deliver' && ending.kind === 'answered' && ending.status < 500) this.#budget.earn();
    if (verdict.kind !== 'again' || !verdict.isPaid || this.#budget.pay()) return verdict;
    return { kind: ending.kind === 'answered' ? 'deliver' : 'give up' };
  }
}
