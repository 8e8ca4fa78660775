import type { AttemptCounts } from '../http/retry-policy.ts';
import { EachEndpoint } from '../quota/limits/each-endpoint.ts';

/** An endpoint, as its calls find it. */
interface Endpoint {
  /** Whether it has served a call. */
  hasServed: boolean;
  /** The calls under way that have failed since it served one. */
  readonly failing: Set<AttemptCounts>;
}

/** The calls under way whose requests fail, by endpoint: where several do and none is served in between, the endpoint fails and not the call. */
export class FailingCalls {
  readonly #endpoints = new EachEndpoint((): Endpoint => ({ hasServed: false, failing: new Set() }));

  /** Whether the next request of a call that fails only probes its endpoint. No endpoint that never served is probed, because its address may be wrong. */
  isProbe(endpoint: string): boolean {
    const { hasServed, failing } = this.#endpoints.of(endpoint);
    return hasServed && failing.size > 1;
  }

  /** A request of a call was in vain, and the call goes on. */
  onFailed(endpoint: string, call: AttemptCounts): void {
    this.#endpoints.of(endpoint).failing.add(call);
  }

  /** A call has ended. */
  end(endpoint: string, call: AttemptCounts): void {
    this.#endpoints.get(endpoint)?.failing.delete(call);
  }

  /** A call was served. */
  onServed(endpoint: string): void {
    const own = this.#endpoints.of(endpoint);
    own.hasServed = true;
    own.failing.clear();
  }
}
