import type { Clock } from '../clock.ts';
import type { ClientEvent, EventListener } from '../events.ts';
import type { Ask } from '../quota/admission.ts';
import { CallTrace, type EventSink, type Wait } from './call-trace.ts';
import { diagnosticChannels } from './diagnostics-channels.ts';
import { type QueuedCall, type QueueOptions, queueView } from './queue-view.ts';

/** Emits the events of a client's calls to its listeners and diagnostics channels, and knows the calls that are not over. */
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

  /** What the queue last stood still for. */
  get standstill(): Wait | undefined {
    return this.#standstill;
  }

  /** Calls that wait in the queue behind the first. */
  get behind(): number {
    return this.#behind();
  }

  /** A call begins. */
  begin(ask: Ask, label: string | undefined): CallTrace {
    const trace = new CallTrace(this, ++this.#calls, ask, label);
    this.#traces.add(trace);
    return trace;
  }

  /** A call is over. */
  end(trace: CallTrace): void {
    this.#traces.delete(trace);
  }

  /**
   * Waiting calls: why, until when, and at which place.
   *
   * @throws ConfigError if an option cannot be used.
   */
  queue(options?: QueueOptions): readonly QueuedCall[] {
    return queueView(this.#traces, this.#standstill, this.clock, options);
  }

  /**
   * Tells `hear` from now on.
   *
   * @returns a function that ends it.
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

  /** The queue stands still. */
  setStandstill(wait: Wait): void {
    this.#standstill = wait;
  }

  emit(event: ClientEvent): void {
    for (const { hear } of this.#listeners) {
      // A listener's fault is not the call's, whether it throws or, being asynchronous, rejects.
      try {
        const heard: unknown = hear(event);
        if (heard instanceof Promise) heard.catch(() => {});
      } catch {}
    }
    const channel = this.#channels(event.type);
    if (channel?.hasSubscribers) channel.publish(event);
  }
}
