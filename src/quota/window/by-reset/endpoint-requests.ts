import { AnsweredRequests } from '../../usage/answered.ts';
import type { InFlight } from '../../usage/in-flight.ts';

/** Resets that differ by less belong to one instance: services cut them to seconds in different ways. */
export const SAME_MS = 500;

/** Requests of one endpoint. */
interface Requests {
  /** Those that the service has surely counted in the present instance. */
  counted: number;
  /** When the instance ends in which they count. */
  resetAt: number;
  readonly answered: AnsweredRequests;
}

/** The requests that count in a window, or their units, by endpoint: those on their way, and those of the present instance. */
export class EndpointRequests {
  readonly #flights: InFlight;
  /** Whether units count, not requests. */
  readonly inUnits: boolean;
  readonly #byEndpoint = new Map<string, Requests>();

  constructor(flights: InFlight, inUnits = false) {
    this.#flights = flights;
    this.inUnits = inUnits;
  }

  /** What a request counts that takes so many units. */
  weigh(units: number): number {
    return this.inUnits ? units : 1;
  }

  /** Whether requests of this endpoint are known to count here. */
  has(endpoint: string): boolean {
    return this.#byEndpoint.has(endpoint);
  }

  /** Whether those of no endpoint are. */
  get isEmpty(): boolean {
    return this.#byEndpoint.size === 0;
  }

  /** Requests of this endpoint do not count here any more. */
  drop(endpoint: string): void {
    this.#byEndpoint.delete(endpoint);
  }

  /** Those that may still be on their way. */
  get held(): number {
    return this.#flights.heldOf(this.#byEndpoint, this.inUnits);
  }

  /** Requests that the present instance had surely counted at an instant: of one endpoint, or of all. */
  countedBefore(instant: number, endpoint?: string): number {
    return this.#sum(({ counted, answered }) => Math.max(0, counted - answered.settledSince(instant)), endpoint);
  }

  /** Those answered since an instant, which the reading of a request sent then may not include. */
  settledSince(instant: number): number {
    return this.#sum(({ answered }) => answered.settledSince(instant));
  }

  /** A request of this weight was answered, or must have arrived. */
  add(endpoint: string, sentAt: number, at: number, weight: number, isCounted: boolean): void {
    const requests = this.#byEndpoint.get(endpoint);
    if (!requests) return;
    if (isCounted) requests.counted += weight;
    requests.answered.add(sentAt, at, weight, 0);
  }

  /** An answer names the end of an instance: what was counted in an earlier one, of one endpoint or of all, does not count here. */
  begin(resetAt: number, endpoint?: string): void {
    for (const requests of this.#requestsOf(endpoint)) {
      if (!(resetAt > requests.resetAt + SAME_MS)) continue;
      requests.resetAt = resetAt;
      requests.counted = 0;
    }
  }

  /** Requests of an endpoint count here, no longer among `from`. */
  take(endpoint: string, from: EndpointRequests = this): void {
    const known = from.#byEndpoint.get(endpoint);
    if (known && from === this) return;
    from.#byEndpoint.delete(endpoint);
    const none = (): Requests => ({
      counted: 0,
      resetAt: -Infinity,
      answered: new AnsweredRequests(),
    });
    this.#byEndpoint.set(endpoint, known ?? none());
  }

  #sum(of: (requests: Requests) => number, endpoint?: string): number {
    let sum = 0;
    for (const requests of this.#requestsOf(endpoint)) sum += of(requests);
    return sum;
  }

  /** Those of one endpoint, if it counts here, or of all. */
  #requestsOf(endpoint: string | undefined): Iterable<Requests> {
    if (endpoint === undefined) return this.#byEndpoint.values();
    const requests = this.#byEndpoint.get(endpoint);
    return requests ? [requests] : [];
  }
}
