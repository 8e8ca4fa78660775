import type { Period } from './windows.ts';

/** What a response said of one window of the blockchain-related quota (section 8). */
export interface WindowQuota {
  /** Units that the whole window holds, from `x-ratelimit-limit-stacks-<period>`. */
  readonly limit?: number;
  /** Units left in the window after this request, from `x-ratelimit-remaining-stacks-<period>`; never negative. */
  readonly remaining?: number;
}

/** What a response said of the service's quota, from its headers alone. Everything but the bookkeeping is optional: any header may be absent. */
export interface QuotaSnapshot {
  /** When the response was received, by the caller's wall clock, in milliseconds since the Unix epoch. */
  readonly receivedAt: number;
  /** The service's own clock from the header `date`, in milliseconds since the Unix epoch; whole seconds. */
  readonly date?: number;
  /** `ratelimit-limit`: the rate-limit ceiling for that endpoint, in requests (section 8). */
  readonly limit?: number;
  /** `ratelimit-remaining`: requests left in the current window (section 8); never negative. */
  readonly remaining?: number;
  /** `ratelimit-reset`: when the window resets, by the service's clock, in milliseconds since the Unix epoch (section 8). */
  readonly resetAt?: number;
  /** `retry-after`: how long to wait before retrying, in milliseconds from `receivedAt` (sections 7 and 8). */
  readonly retryAfterMs?: number;
  /** The quota of the blockchain-related services (section 8, second table). */
  readonly stacks: {
    /** `x-ratelimit-cost-stacks`: what this request cost, in units. */
    readonly cost?: number;
  } & { readonly [P in Period]?: WindowQuota };
  /** Names of quota headers that were present and could not be read. */
  readonly malformed: readonly string[];
  /** Rate-limit headers that this version does not know, by lower-case name. */
  readonly unrecognised: Readonly<Record<string, string>>;
}

/**
 * Reads every rate-limit header of a response (section 8 of the interface). Pure, and never throws.
 *
 * @param headers - the response's headers.
 * @param receivedAt - when the response was received, in milliseconds since the Unix epoch.
 */
export function readQuota(headers: Headers, receivedAt: number): QuotaSnapshot {
  throw new Error(`to be written ${headers} ${receivedAt}`);
}
