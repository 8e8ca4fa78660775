import type { Clock } from '../clock.ts';
import { ClosedError, ConnectionError, QuotaExhaustedError } from '../errors.ts';
import type { Ask, Hold, Lease, Reason, RequestOutcome } from '../quota/admission.ts';
import { LAST_INSTANT } from '../quota/headers/snapshot.ts';
import type { Pacer } from '../quota/pacer.ts';
import type { CallTrace } from '../trace/call-trace.ts';

/** A call, as queue and gate see it. */
export interface PendingCall {
  readonly ask: Ask;
  readonly signal: AbortSignal | undefined;
  /** Records that the call waits. */
  readonly trace: Pick<CallTrace, 'waiting'>;
}

/** How a call leaves the gate. */
export type GateResult =
  | { readonly kind: 'granted'; readonly lease: Lease }
  /** A more urgent call came: back into the queue. */
  | { readonly kind: 'overtaken' }
  /**
   * Only this endpoint must wait, or longer than `longestWaitMs`: parked until the instant given, then back into the
   * queue. `isFirm`: only time can help, and no answer.
   */
  | { readonly kind: 'parked'; readonly until: number; readonly isFirm: boolean };

/** A pause at the gate. */
interface GatePause {
  /** Only a more urgent call may overtake. */
  readonly urgency: number;
  /** The priority of the call itself. */
  readonly priority: number;
  readonly hold: Hold;
  /** The reason at the beginning of the pause. */
  readonly reason: Reason;
  readonly wake: (isOvertaken?: boolean) => void;
}

/** Options of a gate. */
export interface GateOptions {
  readonly pacer: Pacer;
  readonly clock: Clock;
  /** The queue behind the call at the gate: its highest priority. */
  readonly behind: { readonly highest: number };
  /** No call waits at the gate for longer, in milliseconds, where only time can help: it is parked instead. */
  readonly longestWaitMs: number;
  /** Called when the queue comes to a standstill that only time can end. */
  readonly onStandstill: () => void;
}

/** Where the first call of the queue waits until the pacer grants it a lease: one call at a time. */
export class Gate {
  readonly #pacer: Pacer;
  readonly #clock: Clock;
  readonly #options: GateOptions;
  #pause: GatePause | undefined;
  #isClosed = false;

  constructor(options: GateOptions) {
    this.#pacer = options.pacer;
    this.#clock = options.clock;
    this.#options = options;
  }

  /**
   * Waiting until the call is granted a lease, overtaken or parked. Rejects when it is refused, aborted or the gate is closed.
   *
   * @param byAge - whether it was chosen for the time it waited. Then no call overtakes it, and it asks with the highest
   * priority of the queue, so that a reserve for that priority does not hold it back.
   */
  async acquire(call: PendingCall, byAge = false): Promise<GateResult> {
    const { behind, longestWaitMs } = this.#options;
    const urgency = byAge ? Number.POSITIVE_INFINITY : priorityOf(call);
    for (;;) {
      if (this.#isClosed) throw new ClosedError();
      call.signal?.throwIfAborted();
      // A call that came between its turn and now.
      if (behind.highest > urgency) return { kind: 'overtaken' };
      const now = this.#clock.now();
      const ask = byAge ? asUrgentAs(behind.highest, call.ask) : call.ask;
      const admission = this.#pacer.admit(ask, now);
      if (admission.kind === 'granted') return admission;
      const { hold } = admission;
      if (admission.kind === 'refused') throw this.refusalError(ask, hold, hold.reason());
      const { until, isFirm } = hold;
      const isLong = isFirm && until - now > longestWaitMs;
      if (isLong || hold.scope === 'endpoint') {
        call.trace.waiting({ until, reason: hold.reason(), isParked: true });
        return { kind: 'parked', until, isFirm };
      }
      const rank = hold.yieldsToPriority ? priorityOf(call) : urgency;
      if (behind.highest > rank) return { kind: 'overtaken' };
      if (await this.#wait({ ...call, ask }, hold, rank)) return { kind: 'overtaken' };
    }
  }

  /** A lease at once, or none. */
  tryAcquire({ ask }: PendingCall): Lease | undefined {
    if (this.#isClosed) throw new ClosedError();
    const admission = this.#pacer.admit(ask, this.#clock.now());
    return admission.kind === 'granted' ? admission.lease : undefined;
  }

  /** The error for a call whose `maxWaitMs` is shorter than the standstill of the call ahead of it; `undefined`: it can wait. */
  standstillError(call: PendingCall): Error | undefined {
    if (!this.#pause?.hold.isFirm || priorityOf(call) > this.#pause.urgency) return undefined;
    const { ask } = call;
    const { hold, reason } = this.#pause;
    const isTooLong = hold.until - (hold.failingSince ?? this.#clock.now()) > ask.maxWaitMs;
    return isTooLong ? this.refusalError(ask, hold, reason) : undefined;
  }

  /** A call was queued: a less urgent one at the gate is overtaken, or asks again with that priority. */
  onArrival(priority: number): void {
    if (this.#pause && priority > this.#pause.priority) this.#pause.wake(priority > this.#pause.urgency);
  }

  /** A request ended: settles its lease, and lets the call at the gate ask again if that may help. */
  settle(lease: Lease, outcome: RequestOutcome): void {
    this.#pacer.settle(lease, outcome, this.#clock.now());
    if (this.#pause?.hold.mayEndOnAnswer) this.#pause.wake();
  }

  /** Something else changed: the call at the gate asks again. */
  wake(): void {
    this.#pause?.wake();
  }

  /** The call at the gate, and each that comes, is rejected. */
  close(): void {
    this.#isClosed = true;
    this.wake();
  }

  /** The error of a call that would have to wait longer than its `maxWaitMs`. */
  refusalError(ask: Ask, { until, failingSince }: Hold, reason: Reason): Error {
    if (failingSince !== undefined)
      return new ConnectionError({ endpoint: ask.endpoint, code: 'OUTAGE', attempts: 0, cause: new Error(reason.why) });
    const retryAfterMs = until - this.#clock.now();
    return new QuotaExhaustedError({
      endpoint: ask.endpoint,
      window: reason.window ?? reason.kind,
      limit: reason.limit,
      remaining: reason.headroom,
      retryAfterMs,
      retryAt: new Date(Math.min(this.#clock.wall() + retryAfterMs, LAST_INSTANT)),
      why: `${reason.why}, and the wait is longer than the ${ask.maxWaitMs} ms allowed.`,
    });
  }

  /** Waits as the pacer said; true when a more urgent call overtakes it. */
  #wait(call: PendingCall, hold: Hold, urgency: number): Promise<boolean> {
    const { until, isFirm } = hold;
    const left = until - this.#clock.now();
    const priority = priorityOf(call);
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#pause = undefined;
        cancel();
        call.signal?.removeEventListener('abort', abort);
      };
      const wake = (isOvertaken = false): void => {
        end();
        resolve(isOvertaken);
      };
      const abort = (): void => {
        end();
        reject(call.signal?.reason);
      };
      const cancel = this.#clock.timer(left, wake);
      call.signal?.addEventListener('abort', abort, { once: true });
      const reason = hold.reason();
      this.#pause = { urgency, priority, hold, reason, wake };
      // After `#pause` is set: a listener may abort, close, or add a more urgent call.
      call.trace.waiting({ until, reason, isParked: false });
      if (isFirm) this.#options.onStandstill();
    });
  }
}

/** The priority of a call. Default: 0. */
export function priorityOf({ ask }: Pick<PendingCall, 'ask'>): number {
  return ask.priority ?? 0;
}

function asUrgentAs(highest: number, ask: Ask): Ask {
  return highest > (ask.priority ?? 0) ? { ...ask, urgency: highest } : ask;
}
