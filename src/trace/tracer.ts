import type { Clock } from '../clock.ts';
import type { Ask } from '../quota/admission.ts';
import { CallTrace, type EventSink, type Wait } from './call-trace.ts';
import { EventDispatch } from './event-dispatch.ts';
import { type QueuedCall, type QueueOptions, queueView, type SendOutlook } from './queue-view.ts';

/** Emits the events of a client's calls to its listeners and diagnostics channels, and keeps the traces of calls in progress. */
export class Tracer extends EventDispatch implements EventSink {
  readonly clock: Clock;
  readonly #behind: () => number;
  readonly #traces = new Set<CallTrace>();
  #calls = 0;
  #tickets = 0;
  standstill: Wait | undefined;

  /** @param behind - calls that wait in the queue behind the first. */
  constructor(clock: Clock, behind: () => number) {
    super();
    this.clock = clock;
    this.#behind = behind;
  }

  /** Calls that wait in the queue behind the first. */
  get behind(): number {
    return this.#behind();
  }

  nextTicket(): number {
    return ++this.#tickets;
  }

  /** Starts the trace of a call. */
  begin(ask: Ask, label: string | undefined): CallTrace {
    const trace = new CallTrace(this, ++this.#calls, ask, label);
    this.#traces.add(trace);
    return trace;
  }

  /** Removes a call that has ended. */
  end(trace: CallTrace): void {
    this.#traces.delete(trace);
  }

  /**
   * Waiting calls: why, until when, and at which place.
   *
   * @throws ConfigError if an option is invalid.
   */
  queue(options: QueueOptions | undefined, outlook: SendOutlook): readonly QueuedCall[] {
    const { standstill, clock } = this;
    return queueView({ traces: this.#traces, standstill, clock, outlook }, options);
  }
}
