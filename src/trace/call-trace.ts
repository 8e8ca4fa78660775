import { type Clock, dateOf } from '../clock.ts';
import type { ConnectionError, QuotaExhaustedError } from '../errors.ts';
import type { CallEvent, CallStoryEvent, ClientEvent } from '../events.ts';
import type { Ask, Lease, Reason } from '../quota/admission.ts';

/** The wait of a call. */
export interface Wait {
  /** When the call asks again at the latest, in monotonic milliseconds. */
  readonly until: number;
  readonly reason: Reason;
  /** Whether the call is parked, so that it delays no other. */
  readonly isParked: boolean;
  /** Whether it is parked with all calls of its endpoint: one of them asks for all. */
  readonly isOfEndpoint?: boolean;
}

/** The present request of a call: how long it waited for its grant, and when it was sent. */
interface GrantedRequest {
  readonly waitedMs: number;
  readonly waitedFor: Reason | undefined;
  sentAt: number | undefined;
}

/** Receives the events of traces, and has the state they share. */
export interface EventSink {
  readonly clock: Clock;
  /** The last standstill of the queue. */
  standstill: Wait | undefined;
  /** Calls that wait in the queue behind the first. */
  readonly behind: number;
  /** A place in the order of arrival, behind all that were given before. */
  nextTicket(): number;
  /** Whether anything listens to events of this type. */
  isListenedTo(type: ClientEvent['type']): boolean;
  emit(event: ClientEvent): void;
  /** Removes a call that has ended. */
  end(trace: CallTrace): void;
}

type Without<Event, Keys extends PropertyKey> = Event extends unknown ? Omit<Event, Keys> : never;

/** What an error may say of a call that failed. */
type Told = Pick<Error, 'name'> &
  Partial<Pick<ConnectionError, 'code'> & Pick<QuotaExhaustedError, 'why' | 'retryAt' | 'retryAfterMs'>>;

/** The fields of an event beyond those of {@link CallEvent}. */
type EventFacts = Without<CallStoryEvent, keyof CallEvent>;

/** Follows one call through the client and emits its events. Its methods are named like the events. */
export class CallTrace {
  readonly number: number;
  /** Its place in the order of arrival, which it keeps over its attempts unless it falls behind. */
  ticket: number;
  readonly ask: Ask;
  readonly label: string | undefined;
  /** When the call was made: monotonic milliseconds. */
  readonly calledAt: number;
  /** The number of the last attempt that was sent; 0: nothing was. */
  attempts = 0;
  readonly #sink: EventSink;
  /** When the call was queued again, or will be after its delay. */
  #requeuedAt: number | undefined;
  #wait: Wait | undefined;
  /** Undefined while the call waits to be sent. */
  #granted: GrantedRequest | undefined;
  /** Emits in the async context of the caller, where {@link keepContext} was called. */
  #emitLater: ((emit: () => void) => void) | undefined;

  constructor(sink: EventSink, number: number, ask: Ask, label: string | undefined) {
    this.#sink = sink;
    this.number = number;
    this.ticket = sink.nextTicket();
    this.ask = ask;
    this.label = label;
    this.calledAt = sink.clock.now();
    this.#emit({ type: 'called', priority: this.priority });
  }

  get priority(): number {
    return this.ask.priority ?? 0;
  }

  /** Whether the call waits to be sent. */
  get isWaiting(): boolean {
    return this.#granted === undefined;
  }

  /** Whether the call was sent before, so that it goes before later calls. */
  get isRetrying(): boolean {
    return this.#requeuedAt !== undefined;
  }

  /** When the call was queued, or will be after its delay, in monotonic milliseconds. */
  get queuedAt(): number {
    return this.#requeuedAt ?? this.calledAt;
  }

  /** The call's own wait, at the gate or parked; undefined while it is in the queue behind others. */
  get wait(): Wait | undefined {
    return this.#wait;
  }

  /** Time since the present request was sent, in milliseconds; undefined if it was not. */
  get sinceSentMs(): number | undefined {
    const sentAt = this.#granted?.sentAt;
    return sentAt === undefined ? undefined : this.#sink.clock.now() - sentAt;
  }

  /** Binds later `waiting` events to the present async context, that of the caller. Does nothing without listeners. */
  keepContext(): void {
    if (!this.#sink.isListenedTo('waiting')) return;
    const pending: (() => void)[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#emitLater = (emit) => {
      pending.push(emit);
      resolve();
    };
    void promise.then(() => {
      this.keepContext();
      for (const emit of pending) emit();
    });
  }

  /** Records that the call is parked no more: it is in the queue, and has not asked again. */
  returned(): void {
    if (this.#wait) this.#wait = { ...this.#wait, isParked: false };
  }

  /** Records that the call waits at the gate, or is parked. */
  waiting(wait: Wait): void {
    this.#wait = wait;
    if (!wait.isParked) this.#sink.standstill = wait;
    if (!this.#sink.isListenedTo('waiting')) return;
    const { until, reason, isParked: parked } = wait;
    const { clock, behind } = this.#sink;
    const instant = dateOf(until, clock);
    const emit = (): void => this.#emit({ type: 'waiting', until: instant, reason, parked, waiting: behind });
    if (this.#emitLater) this.#emitLater(emit);
    else emit();
  }

  /** Records that the call was granted a lease. */
  granted(): void {
    const { clock, standstill } = this.#sink;
    const wait = this.#wait ?? (standstill && standstill.until > this.queuedAt ? standstill : undefined);
    const waitedMs = Math.max(0, clock.now() - this.queuedAt);
    this.#granted = { waitedMs, waitedFor: waitedMs > 0 ? wait?.reason : undefined, sentAt: undefined };
    this.#wait = undefined;
  }

  /** Records that its request is sent. */
  sent(attempt: number, { units }: Lease, method: string, url: string): void {
    const sent = this.#granted;
    if (!sent) return;
    this.attempts = attempt;
    sent.sentAt = this.#sink.clock.now();
    if (!this.#sink.isListenedTo('sent')) return;
    const { waitedMs, waitedFor } = sent;
    const waited = waitedFor ? { waitedMs, waitedFor } : { waitedMs };
    this.#emit({ type: 'sent', attempt, units, method, url, ...waited });
  }

  /** Records that the call is queued again without having been sent. */
  requeued(afterMs = 0): void {
    this.#granted = undefined;
    this.#requeuedAt = this.#sink.clock.now() + afterMs;
  }

  /** Records that the call is queued again, after a delay in milliseconds. */
  retrying(attempt: number, afterMs: number): void {
    this.requeued(afterMs);
    this.#emit({ type: 'retrying', attempt, afterMs });
  }

  /** The call goes behind those of its priority that have come so far. */
  fallBehind(): void {
    this.ticket = this.#sink.nextTicket();
  }

  /** Records that the call has its response. */
  done(status: number): void {
    this.#sink.end(this);
    this.#emit({ type: 'done', status, tookMs: this.#tookMs });
  }

  /** Records that the call ends without a response. */
  failed(reason: unknown, signal: AbortSignal | undefined): void {
    this.#sink.end(this);
    const isAborted = signal?.aborted && reason === signal.reason;
    const told: Told = isAborted || !(reason instanceof Error) ? { name: 'aborted' } : reason;
    const { name: error, code, why } = told;
    const retryAt = Number.isFinite(told.retryAfterMs) ? told.retryAt : undefined;
    this.#emit({ type: 'failed', error, code, why, retryAt, tookMs: this.#tookMs });
  }

  /** Whether anything listens to events of this type. */
  isListenedTo(type: ClientEvent['type']): boolean {
    return this.#sink.isListenedTo(type);
  }

  /** Emits events that leave the trace unchanged. */
  emit(
    facts: EventFacts & { readonly type: 'answered' | 'limited' | 'lost' | 'deprecated' | 'key-ignored' | 'low' },
  ): void {
    this.#emit(facts);
  }

  get #tookMs(): number {
    return this.#sink.clock.now() - this.calledAt;
  }

  #emit(facts: EventFacts): void {
    if (!this.#sink.isListenedTo(facts.type)) return;
    const { number: call, label } = this;
    const { endpoint } = this.ask;
    const named = label === undefined ? {} : { label };
    const at = new Date(this.#sink.clock.wall());
    this.#sink.emit({ call, endpoint, ...named, at, ...facts } as ClientEvent);
  }
}
