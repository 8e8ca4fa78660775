import type { ClientEvent, EventListener } from '../events.ts';
import { builtInModule } from './built-in-module.ts';
import { diagnosticChannels } from './diagnostics-channels.ts';

/** A subscription. An object of its own, so that one function may listen twice. */
interface Subscription {
  readonly listener: EventListener;
  isSubscribed: boolean;
}

/** An event that happened while another was being delivered. */
interface PendingEvent {
  readonly event: ClientEvent;
  /** The subscriptions when it happened. */
  readonly subscriptions: readonly Subscription[];
  /** Runs a function in the async context in which it happened. */
  readonly inContext: (deliver: () => void) => void;
}

/**
 * Delivers events to listeners and diagnostics channels, in the order in which they happened. An event that a listener causes, by making a
 * call or closing the client, is delivered after all listeners have received the present one: so no listener is entered twice, and all
 * receive the same order.
 */
export class EventDispatch {
  readonly #channels = diagnosticChannels();
  /** Replaced, never changed: an event goes to the listeners of the moment in which it happened. */
  #subscriptions: readonly Subscription[] = [];
  readonly #pending: PendingEvent[] = [];
  #isDelivering = false;

  /**
   * Calls `listener` with each event that happens from now on.
   *
   * @returns a function that unsubscribes it.
   */
  subscribe(listener: EventListener): () => void {
    const subscription = { listener, isSubscribed: true };
    this.#subscriptions = [...this.#subscriptions, subscription];
    return () => {
      subscription.isSubscribed = false;
      this.#subscriptions = this.#subscriptions.filter((other) => other !== subscription);
    };
  }

  /** Whether anything listens to events of this type. */
  isListenedTo(type: ClientEvent['type']): boolean {
    return this.#subscriptions.length > 0 || this.#channels(type)?.hasSubscribers === true;
  }

  /** An event happened. */
  emit(event: ClientEvent): void {
    if (this.#isDelivering) {
      this.#pending.push({ event, subscriptions: this.#subscriptions, inContext: presentContext() });
      return;
    }
    this.#isDelivering = true;
    this.#deliver(event, this.#subscriptions);
    // The list grows while it is read: listeners of these events act, too.
    for (const { event, subscriptions, inContext } of this.#pending)
      inContext(() => this.#deliver(event, subscriptions));
    this.#pending.length = 0;
    this.#isDelivering = false;
  }

  #deliver(event: ClientEvent, subscriptions: readonly Subscription[]): void {
    for (const { listener, isSubscribed } of subscriptions) {
      if (!isSubscribed) continue;
      // Errors of a listener are ignored, whether it throws or, being asynchronous, rejects.
      try {
        const result: unknown = listener(event);
        // By its method: one of another realm, such as a test runner's, is no instance of this Promise.
        (result as Partial<Promise<unknown>> | undefined)?.catch?.(() => {});
      } catch {}
    }
    const channel = this.#channels(event.type);
    if (channel?.hasSubscribers) channel.publish(event);
  }
}

/** Runs functions in the present async context, where the runtime can. */
function presentContext(): (run: () => void) => void {
  return builtInModule('node:async_hooks')?.AsyncLocalStorage?.snapshot?.() ?? ((run) => run());
}
