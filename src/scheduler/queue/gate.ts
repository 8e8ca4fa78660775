import { Alarm } from '../../alarm.ts';
import type { Clock } from '../../clock.ts';
import { ClosedError, ConnectionError } from '../../errors.ts';
import type { Ask, Hold, Lease, Reason, RequestOutcome } from '../../quota/admission.ts';
import type { Pacer } from '../../quota/pacer.ts';
import { TRIAL_MS } from '../../quota/recovery/hourly-trial.ts';
import { MOST_PASSED } from '../../quota/window/passed-charge.ts';
import { type PendingCall, priorityOf } from './pending-call.ts';
import { exhaustedError } from './queue-errors.ts';

/** The call at the gate. */
export interface AskingCall {
  readonly call: PendingCall;
  /**
   * Whether it was chosen for the time that it waited, and not for its priority. Then no call overtakes it but an inspection, and it asks with
   * the highest priority of the queue, so that a reserve for that priority does not hold it back.
   */
  readonly byAge: boolean;
}

/** What became of a call that asked at the gate. */
export type GateResult =
  | { readonly kind: 'granted'; readonly lease: Lease }
  /** It stays at the gate, and asks again when `onWake` is called. */
  | { readonly kind: 'waiting' }
  /** A more urgent call came: back into the queue. */
  | { readonly kind: 'overtaken' }
  | ParkedResult;

/**
 * The call is parked until `until`, then back in the queue: only its endpoint must wait, or only calls of as many `units`, or it would wait for
 * longer than `longestWaitMs`. `isFirm`: only time can end the wait, and no answer.
 */
export interface ParkedResult {
  readonly kind: 'parked';
  readonly until: number;
  readonly isFirm: boolean;
  /** Whether it waits for its endpoint, until a pause of that ends: meanwhile it needs no units. */
  readonly isApart?: boolean;
  readonly units?: number | undefined;
}

/** A pause at the gate. */
interface GatePause {
  /** Only a more urgent call may overtake. */
  readonly urgency: number;
  /** The priority of the call itself. */
  readonly priority: number;
  readonly hold: Hold;
  /** The reason at the beginning of the pause. */
  readonly reason: Reason;
}

/** What decides when requests may go: a pacer, or the books of several keys. */
export type Admitting = Pick<Pacer, 'admit' | 'settle' | 'lastQuota' | 'revision'>;

/** The calls that wait, as an estimate counts them. */
export interface WaitingOutlook {
  /** A call waits no more, granted or turned away: it is ahead of no other. */
  readonly leave: (call: PendingCall) => void;
  /** When a call like this one would be sent behind those that wait, in monotonic milliseconds; -Infinity: none waits. */
  readonly sentAt: (call: PendingCall) => number;
}

/** Options of a gate. */
export interface GateOptions {
  readonly pacer: Admitting;
  readonly clock: Clock;
  /** The queue behind the call at the gate: its highest priority. */
  readonly behind: { readonly highest: number };
  /** How many calls are parked. */
  readonly parked: () => number;
  /** No call waits at the gate for longer, in milliseconds, where only time can help: it is parked instead. */
  readonly longestWaitMs: number;
  /** When calls would be sent, for the error of one that is turned away. */
  readonly outlook: WaitingOutlook;
  /** Called when the queue comes to a standstill that only time can end. */
  readonly onStandstill: () => void;
  /** Called when an answer changed what is known of the windows, so that parked calls may go sooner than was expected. */
  readonly onNews: () => void;
  /** Called when the call at the gate is to ask again. */
  readonly onWake: () => void;
}

/** Of the calls that cheaper ones pass, one asks again after this time, in milliseconds: answers to others may have made room. */
const RECHECK_MS = 1_000;

/** That time is no shorter than this part of the wait, so that a call that waits for the next month seldom asks. */
const RECHECK_PART = 0.02;

const OVERTAKEN: GateResult = { kind: 'overtaken' };
const WAITING: GateResult = { kind: 'waiting' };

/** Where the first call of the queue waits until the pacer grants it a lease: one call at a time. */
export class Gate {
  readonly #pacer: Admitting;
  readonly #clock: Clock;
  readonly #options: GateOptions;
  #pause: GatePause | undefined;
  /** One for all pauses: it is set again only where a pause ends before it rings. */
  readonly #alarm: Alarm;
  /** Whether it was closed. */
  isClosed = false;
  /** Since when calls have waited, none was sent and none answered; Infinity: none waits. */
  #stillSince = Infinity;

  constructor(options: GateOptions) {
    this.#pacer = options.pacer;
    this.#clock = options.clock;
    this.#options = options;
    this.#alarm = new Alarm(options.clock, (at) => this.#onRing(at));
  }

  /** Whether a call waits at the gate, and nothing has happened since that would let it ask again. */
  get isPausing(): boolean {
    return this.#pause !== undefined;
  }

  /**
   * Asks for the call at the gate: it is granted a lease, waits, is overtaken or parked.
   *
   * @throws where it is refused or aborted, or the gate is closed.
   */
  ask({ call, byAge }: AskingCall): GateResult {
    const { behind, parked, longestWaitMs } = this.#options;
    const urgency = byAge ? Number.MAX_VALUE : priorityOf(call);
    this.#pause = undefined;
    if (this.isClosed) throw new ClosedError();
    call.signal?.throwIfAborted();
    // A more urgent call came between the turn of this one and now.
    if (behind.highest > urgency) return OVERTAKEN;
    const now = this.#clock.now();
    const ask = byAge ? asUrgentAs(behind.highest, call.ask) : call.ask;
    const admission = this.#pacer.admit(ask, now, now - call.trace.queuedAt);
    if (admission.kind === 'granted') {
      this.#stillSince = Infinity;
      return admission;
    }
    const { hold } = admission;
    const isEndless = !hold.isFirm && !hold.mayEndOnAnswer;
    // A pause without an end is no lack of quota.
    this.#stillSince = isEndless ? Infinity : Math.min(this.#stillSince, now);
    if (this.#isTooLong(call, hold)) throw this.#refusalErrors([call], hold, hold.reason()).get(call);
    const { until, isFirm } = hold;
    // One that cannot be the hourly trial makes way for one that can.
    const isLong = isFirm && until - now > (call.ask.isOneShot ? Math.min(TRIAL_MS, longestWaitMs) : longestWaitMs);
    const isPassable = hold.passableUnits !== undefined && parked() < MOST_PASSED;
    const isOfEndpoint = hold.scope === 'endpoint';
    if (isLong || isPassable || isOfEndpoint) {
      call.trace.waiting({ until, reason: hold.reason(), isParked: true, isOfEndpoint });
      const recheckAt = isPassable ? now + Math.max(RECHECK_MS, RECHECK_PART * (until - now)) : until;
      const isApart = isFirm && isOfEndpoint;
      return { kind: 'parked', until: Math.min(until, recheckAt), isFirm, isApart, units: hold.passableUnits };
    }
    const yieldsAbove = hold.yieldsToPriority ? priorityOf(call) : urgency;
    if (behind.highest > yieldsAbove) return OVERTAKEN;
    this.#setPause(call, { urgency: yieldsAbove, priority: priorityOf(call), hold, reason: hold.reason() });
    return WAITING;
  }

  /** A lease at once, or none. */
  tryAcquire({ ask }: PendingCall): Lease | undefined {
    if (this.isClosed) throw new ClosedError();
    const admission = this.#pacer.admit(ask, this.#clock.now());
    return admission.kind === 'granted' ? admission.lease : undefined;
  }

  /** The errors of those calls whose `maxWaitMs` is shorter than the standstill of the call ahead of them; the others can wait. */
  standstillErrors(calls: readonly PendingCall[]): ReadonlyMap<PendingCall, Error> {
    const pause = this.#pause;
    if (!pause?.hold.isFirm) return new Map();
    const { hold, reason, urgency } = pause;
    const late = calls.filter((call) => priorityOf(call) <= urgency && this.#isTooLong(call, hold));
    return this.#refusalErrors(late, hold, reason);
  }

  /** A call was queued: a less urgent one at the gate is overtaken, or asks again with that priority. */
  onArrival(priority: number): void {
    if (this.#pause && priority > this.#pause.priority) this.wake();
  }

  /** A request ended: settles its lease, and lets the call at the gate ask again if that may help. */
  settle(lease: Lease, outcome: RequestOutcome): void {
    const now = this.#clock.now();
    const { revision } = this.#pacer;
    this.#pacer.settle(lease, outcome, now);
    this.#stillSince = Math.max(this.#stillSince, now);
    const isNews = this.#pacer.revision !== revision;
    // First: parked calls return to their places before the call at the gate asks.
    if (isNews) this.#options.onNews();
    if (isNews || this.#pause?.hold.mayEndOnAnswer) this.wake();
  }

  /** Something else changed: the call at the gate asks again. */
  wake(): void {
    if (!this.#pause) return;
    this.#pause = undefined;
    this.#options.onWake();
  }

  /** No call is at the gate any more. */
  leave(): void {
    this.#stillSince = Infinity;
    this.#pause = undefined;
    this.#alarm.set(Infinity);
  }

  /** The call at the gate, and each that comes, is rejected. */
  close(): void {
    this.isClosed = true;
    this.wake();
  }

  /**
   * Whether a hold never ends, or only time ends it and the queue will have stood still for longer than the `maxWaitMs` of a call then, since
   * the call was queued.
   */
  #isTooLong({ ask, trace }: PendingCall, { until, isFirm, failingSince }: Hold): boolean {
    if (ask.isInspection) return false;
    if (until === Infinity) return true;
    const since = failingSince ?? Math.max(this.#stillSince, trace.queuedAt);
    return isFirm && until - since > ask.maxWaitMs;
  }

  /** The errors of calls that would have to wait longer than their `maxWaitMs`. */
  #refusalErrors(calls: readonly PendingCall[], hold: Hold, reason: Reason): ReadonlyMap<PendingCall, Error> {
    // All of them leave the backlog before the first estimate, because none is ahead of another.
    for (const call of calls) this.#options.outlook.leave(call);
    return new Map(calls.map((call) => [call, this.#refusalError(call, hold, reason)]));
  }

  /** The call may come back when the hold has ended and the calls that wait have been sent. */
  #refusalError(call: PendingCall, { until, isOutage }: Hold, reason: Reason): Error {
    if (isOutage) {
      const { endpoint } = call.ask;
      const { attempts } = call.trace;
      const cause = new Error(reason.why);
      return new ConnectionError({ endpoint, url: call.request?.url, code: 'OUTAGE', attempts, cause });
    }
    const sentAt = Math.max(until, this.#options.outlook.sentAt(call));
    return exhaustedError(call, { reason, until: sentAt, quota: this.#pacer.lastQuota }, this.#clock);
  }

  #setPause(call: PendingCall, pause: GatePause): void {
    const { hold, reason } = pause;
    const { until } = hold;
    this.#pause = pause;
    if (until < this.#alarm.at) this.#alarm.set(until);
    // After `#pause` is set: a listener may abort, close, or add a more urgent call.
    call.trace.waiting({ until, reason, isParked: false });
    if (hold.isFirm) this.#options.onStandstill();
  }

  #onRing(at: number): void {
    const until = this.#pause?.hold.until ?? 0;
    // Set for an earlier pause, it may ring too soon for this one.
    if (until > at && until > this.#clock.now()) this.#alarm.set(until);
    else this.wake();
  }
}

function asUrgentAs(highest: number, ask: Ask): Ask {
  return highest > (ask.priority ?? 0) ? { ...ask, urgency: highest } : ask;
}
