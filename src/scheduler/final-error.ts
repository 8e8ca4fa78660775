import type { Clock } from '../clock.ts';
import { ConnectionError, QuotaExhaustedError } from '../errors.ts';
import type { Call } from '../http/call.ts';
import type { AttemptCounts, AttemptOutcome } from '../http/retry-policy.ts';
import type { Failure } from '../http/transport.ts';
import type { QuotaSnapshot } from '../quota/headers/snapshot.ts';

/**
 * The error of a call that is not attempted again.
 *
 * @param request - its last request, which a redirect may have changed.
 * @param state - the pause that the service ordered, if one is in force, and what the last answer said of the quota.
 */
export function finalError(
  { ask: { endpoint } }: Call,
  { url }: Call['request'],
  outcome: AttemptOutcome,
  { attempts }: AttemptCounts,
  failure: Failure | undefined,
  clock: Clock,
  state: { readonly cooldown?: { readonly until: number }; readonly quota: QuotaSnapshot | undefined },
): Error {
  if (outcome.kind === 'failed')
    return new ConnectionError({ endpoint, url, code: outcome.code, attempts, cause: failure?.cause });
  if (!outcome.isLimited) return new ConnectionError({ endpoint, url, code: 'REDIRECT', attempts });
  const { cooldown, quota } = state;
  const retryAfterMs = Math.ceil(Math.max(0, (cooldown?.until ?? 0) - clock.now()));
  return new QuotaExhaustedError({
    endpoint,
    url,
    quota,
    window: 'cooldown',
    limit: undefined,
    remaining: undefined,
    retryAfterMs,
    retryAt: new Date(clock.wall() + retryAfterMs),
    why: 'the service refused the call repeatedly because of a limit, although the client waited as told',
  });
}
