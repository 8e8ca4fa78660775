import type { Clock } from '../clock.ts';
import type { ClientEvent, EventListener } from '../events.ts';
import type { Ask } from '../quota/admission.ts';
import { CallTrace, type EventSink, type Wait } from './call-trace.ts';
import { diagnosticChannels } from './diagnostics-channels.ts';
import { type QueuedCall, type QueueOptions, queueView, type SendEstimate } from './queue-view.ts';

/** Emits the events of a client's calls to its listeners and diagnostics channels, and keeps the traces of calls in progress. */
export class Tracer implements EventSink {
  readonly clock: Clock;
  readonly #behind: () => number;
  readonly #channels = diagnosticChannels();
  readonly #listeners = new Set<{ readonly hear: EventListener }>();
  readonly #traces = new Set<CallTrace>();
  #calls = 0;
  #standstill: Wait | undefined;

  /** @param behind - calls that wait in the queue behind the first. */
  constructor(clock: Clock, behind: () => number) {
    this.clock = clock;
    this.#behind = behind;
  }

  /** The last standstill of the queue. */
  get standstill(): Wait | undefined {
    return this.#standstill;
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
   * @throws ConfigError if an option is invalid.
   */
  queue(options: QueueOptions | undefined, sentAt: SendEstimate): readonly QueuedCall[] {
    return queueView(this.#traces, this.#standstill, this.clock, sentAt, options);
  }

  /**
   * Calls `hear` with each event from now on.
   *
   * @returns a function that unsubscribes it.
   */
  subscribe(hear: EventListener): () => void {
    const listener = { hear };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Whether anything listens to events of this type. */
  isListenedTo(type: ClientEvent['type']): boolean {
    return this.#listeners.size > 0 || this.#channels(type)?.hasSubscribers === true;
  }

  /** Records that the queue stands still. */
  setStandstill(wait: Wait): void {
    this.#standstill = wait;
  }

  emit(event: ClientEvent): void {
    for (const { hear } of this.#listeners) {
      // Errors of a listener are ignored, whether it throws or, being asynchronous, rejects.
      try {
        const heard: unknown = hear(event);
        if (heard instanceof Promise) heard.catch(() => {});
      } catch {}
    }
    const channel = this.#channels(event.type);
    if (channel?.hasSubscribers) channel.publish(event);
  }
}
