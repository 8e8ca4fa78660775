import type { Clock } from '../clock.ts';
import type { ClientEvent, EventListener } from '../events.ts';
import type { Ask } from '../quota/admission.ts';
import { Journey, type Teller, type Wait } from './call-trace.ts';
import { diagnosticChannels } from './diagnostics-channels.ts';
import { type QueuedCall, type QueueOptions, queueOf } from './queue-view.ts';

/** What happens to the calls of a client, told to whoever listens. While nobody does, no event is made. */
export class Story implements Teller {
  readonly clock: Clock;
  readonly #behind: () => number;
  readonly #channels = diagnosticChannels();
  readonly #listeners = new Set<{ readonly hear: EventListener }>();
  readonly #journeys = new Set<Journey>();
  #calls = 0;
  #standstill: Wait | undefined;

  /** @param behind - calls that stand in line behind the first. */
  constructor(clock: Clock, behind: () => number) {
    this.clock = clock;
    this.#behind = behind;
  }

  /** What the line last stood still for. */
  get standstill(): Wait | undefined {
    return this.#standstill;
  }

  /** Calls that stand in line behind the first. */
  get behind(): number {
    return this.#behind();
  }

  /** A call begins. */
  begin(ask: Ask, label: string | undefined): Journey {
    const journey = new Journey(this, ++this.#calls, ask, label);
    this.#journeys.add(journey);
    return journey;
  }

  /** A call is over. */
  end(journey: Journey): void {
    this.#journeys.delete(journey);
  }

  /**
   * Who waits: for what, until when, and behind whom.
   *
   * @throws ConfigError if an option cannot be used.
   */
  queue(options?: QueueOptions): readonly QueuedCall[] {
    return queueOf(this.#journeys, this.#standstill, this.clock, options);
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

  /** Whether anybody would hear of such an event. */
  isHeard(type: ClientEvent['type']): boolean {
    return this.#listeners.size > 0 || this.#channels(type)?.hasSubscribers === true;
  }

  /** The line stands still. */
  halt(wait: Wait): void {
    this.#standstill = wait;
  }

  tell(event: ClientEvent): void {
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
