import type { Clock } from '../clock.ts';
import { ConnectionError, QuotaExhaustedError } from '../errors.ts';
import type { Call } from '../http/call.ts';
import type { AttemptCounts, AttemptOutcome } from '../http/retry-policy.ts';
import type { Failure } from '../http/transport.ts';

/**
 * The error of a call that is not attempted again.
 *
 * @param pausedUntil - when the pause ends that the service ordered, if one is in force: monotonic milliseconds.
 */
export function finalError(
  { ask: { endpoint } }: Call,
  outcome: AttemptOutcome,
  { attempts }: AttemptCounts,
  failure: Failure | undefined,
  clock: Clock,
  pausedUntil: number | undefined,
): Error {
  if (outcome.kind === 'failed')
    return new ConnectionError({ endpoint, code: outcome.code, attempts, cause: failure?.cause });
  if (!outcome.isLimited) return new ConnectionError({ endpoint, code: 'REDIRECT', attempts });
  const retryAfterMs = Math.max(0, (pausedUntil ?? 0) - clock.now());
  return new QuotaExhaustedError({
    endpoint,
    window: 'cooldown',
    limit: undefined,
    remaining: undefined,
    retryAfterMs,
    retryAt: new Date(clock.wall() + retryAfterMs),
    why: 'the service refused the call repeatedly because of a limit, although the client waited as told.',
  });
}
