import type { Clock } from '../clock.ts';
import type { Ask } from '../quota/admission.ts';
import { CallTrace, type EventSink, type Wait } from './call-trace.ts';
import { EventDispatch } from './event-dispatch.ts';
import { type QueuedCall, type QueueOptions, queueView, type SendEstimate } from './queue-view.ts';

/** Emits the events of a client's calls to its listeners and diagnostics channels, and keeps the traces of calls in progress. */
export class Tracer extends EventDispatch implements EventSink {
  declare readonly clock: Clock;
  readonly #behind: () => number;
  readonly #traces = new Set<CallTrace>();
  #calls = 0;
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
   * @param sentAt - estimates when the last of some calls is sent.
   * @param pausedUntil - the end of the pause that the caller began, in monotonic milliseconds; Infinity: it has none.
   * @throws ConfigError if an option is invalid.
   */
  queue(options: QueueOptions | undefined, sentAt: SendEstimate, pausedUntil: number): readonly QueuedCall[] {
    return queueView(this.#traces, this.standstill, this.clock, sentAt, pausedUntil, options);
  }
}
