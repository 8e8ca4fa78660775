import type { Clock } from '../clock.ts';
import { ClosedError, ConnectionError, QuotaExhaustedError } from '../errors.ts';
import type { Admission, Ask, Lease, RequestOutcome } from '../quota/admission.ts';
import { LAST_INSTANT } from '../quota/headers/snapshot.ts';
import type { Pacer } from '../quota/pacer.ts';
import type { Journey } from '../trace/call-trace.ts';

/** A call at the gate. */
export interface Visitor {
  readonly ask: Ask;
  readonly signal: AbortSignal | undefined;
  /** Told that it waits. */
  readonly journey: Pick<Journey, 'waits'>;
}

/** How a visitor leaves the gate. */
export type Passage =
  | { readonly kind: 'granted'; readonly lease: Lease }
  /** Someone more urgent came: back into the line. */
  | { readonly kind: 'overtaken' }
  /**
   * Only this endpoint must wait, or longer than most would: out of the way of the others until the instant given, then
   * back into the line. `isFirm`: only time can help, and nothing that comes back.
   */
  | { readonly kind: 'aside'; readonly until: number; readonly isFirm: boolean };

/** A pause at the gate. */
interface Pause {
  /** Only one who is more urgent may overtake. */
  readonly urgency: number;
  /** How urgent the visitor said it is. */
  readonly priority: number;
  readonly admission: Admission & { kind: 'wait' };
  readonly isFirm: boolean;
  readonly wake: (isOvertaken?: boolean) => void;
}

/** What a gate is made from. */
export interface GateOptions {
  readonly pacer: Pacer;
  readonly clock: Clock;
  /** Calls that stand in line behind the visitor: the highest priority among them. */
  readonly behind: { readonly highest: number };
  /** No visitor keeps the others waiting for longer, in milliseconds, where only time can help. */
  readonly longestRestMs: number;
  /** Called when the line comes to a standstill that only time can end. */
  readonly onStandstill: () => void;
}

/** Where the first of the line stands until the pacer lets it go: one visitor at a time. */
export class Gate {
  readonly #pacer: Pacer;
  readonly #clock: Clock;
  readonly #options: GateOptions;
  #pause: Pause | undefined;
  #isClosed = false;

  constructor(options: GateOptions) {
    this.#pacer = options.pacer;
    this.#clock = options.clock;
    this.#options = options;
  }

  /**
   * Waits until the visitor may go, is overtaken or steps aside. Rejects when it is refused, aborted or the gate is closed.
   *
   * @param isAged - whether it is its turn because of the time it waited. Then nobody overtakes it, and it asks as the
   * most urgent of those who wait, for whom something may be kept back.
   */
  async pass(visitor: Visitor, isAged = false): Promise<Passage> {
    const { behind, longestRestMs } = this.#options;
    const urgency = isAged ? Number.POSITIVE_INFINITY : priorityOf(visitor);
    for (;;) {
      if (this.#isClosed) throw new ClosedError();
      visitor.signal?.throwIfAborted();
      // Who came while it stepped up.
      if (behind.highest > urgency) return { kind: 'overtaken' };
      const now = this.#clock.now();
      const ask = isAged ? asUrgentAs(behind.highest, visitor.ask) : visitor.ask;
      const admission = this.#pacer.admit(ask, now);
      if (admission.kind === 'granted') return admission;
      if (admission.kind === 'refused') throw this.refusal(ask, admission);
      // Asking is free, and one without patience is refused exactly where only time can help.
      const isFirm = this.#pacer.admit({ ...ask, maxWaitMs: 0 }, now).kind === 'refused';
      const { until, reason } = admission;
      const isLong = isFirm && until - now > longestRestMs;
      if (isLong || reason.window === 'endpoint') {
        visitor.journey.waits({ until, reason, isAside: true });
        return { kind: 'aside', until, isFirm };
      }
      // What is spared for others is not for whoever has waited long: it makes room for them.
      const standing = reason.kind === 'reserve' ? priorityOf(visitor) : urgency;
      if (behind.highest > standing) return { kind: 'overtaken' };
      if (await this.#rest({ ...visitor, ask }, admission, isFirm, standing)) return { kind: 'overtaken' };
    }
  }

  /** Through at once, or not at all. */
  tryPass({ ask }: Visitor): Lease | undefined {
    if (this.#isClosed) throw new ClosedError();
    const admission = this.#pacer.admit(ask, this.#clock.now());
    return admission.kind === 'granted' ? admission.lease : undefined;
  }

  /** The refusal that a visitor would meet while someone ahead of it waits for time to pass, if it would not wait so long. */
  refusalNow(visitor: Visitor): Error | undefined {
    if (!this.#pause?.isFirm || priorityOf(visitor) > this.#pause.urgency) return undefined;
    const { ask } = visitor;
    const { until, reason, standsSince = this.#clock.now() } = this.#pause.admission;
    const isTooLong = until - standsSince > ask.maxWaitMs;
    return isTooLong ? this.refusal(ask, { kind: 'refused', until, reason }) : undefined;
  }

  /** Someone joined the line: a less urgent visitor makes room, or asks again as one who holds up somebody so urgent. */
  hail(priority: number): void {
    if (this.#pause && priority > this.#pause.priority) this.#pause.wake(priority > this.#pause.urgency);
  }

  /** A request came back: settles its lease, and lets the visitor ask again if that may help. */
  settle(lease: Lease, outcome: RequestOutcome): void {
    this.#pacer.settle(lease, outcome, this.#clock.now());
    if (this.#pause?.admission.onSettle) this.#pause.wake();
  }

  /** Something else changed: the visitor asks again. */
  wake(): void {
    this.#pause?.wake();
  }

  /** Whoever waits or comes is turned away. */
  close(): void {
    this.#isClosed = true;
    this.wake();
  }

  /** The error for a caller who would have to wait longer than it wants. */
  refusal(ask: Ask, { until, reason }: Admission & { kind: 'refused' }): Error {
    if (reason.kind === 'outage')
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

  /** Waits as the pacer said; true when a more urgent call came. */
  #rest(visitor: Visitor, admission: Admission & { kind: 'wait' }, isFirm: boolean, urgency: number): Promise<boolean> {
    const { until, reason } = admission;
    const left = until - this.#clock.now();
    const priority = priorityOf(visitor);
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#pause = undefined;
        cancel();
        visitor.signal?.removeEventListener('abort', abort);
      };
      const wake = (isOvertaken = false): void => {
        end();
        resolve(isOvertaken);
      };
      const abort = (): void => {
        end();
        reject(visitor.signal?.reason);
      };
      const cancel = this.#clock.timer(left, wake);
      visitor.signal?.addEventListener('abort', abort, { once: true });
      this.#pause = { urgency, priority, admission, isFirm, wake };
      // Only now, when an abort, a more urgent call and a close that come of the telling find whom to wake.
      visitor.journey.waits({ until, reason, isAside: false });
      if (isFirm) this.#options.onStandstill();
    });
  }
}

/** The priority of a call; 0 unless it says another. */
export function priorityOf({ ask }: Pick<Visitor, 'ask'>): number {
  return ask.priority ?? 0;
}

function asUrgentAs(highest: number, ask: Ask): Ask {
  return highest > (ask.priority ?? 0) ? { ...ask, urgency: highest } : ask;
}
