import type { Clock } from '../clock.ts';
import { ConnectionError, QuotaExhaustedError } from '../errors.ts';
import type { Call } from '../http/call.ts';
import type { Ending, Tries } from '../http/retry-policy.ts';
import type { Failure } from '../http/transport.ts';

/**
 * The error of a call that is not tried again.
 *
 * @param pausedUntil - when the pause ends that the service ordered, if one is in force: monotonic milliseconds.
 */
export function defeatOf(
  { ask: { endpoint } }: Call,
  ending: Ending,
  { attempts }: Tries,
  failure: Failure | undefined,
  clock: Clock,
  pausedUntil: number | undefined,
): Error {
  if (ending.kind === 'failed')
    return new ConnectionError({ endpoint, code: ending.code, attempts, cause: failure?.cause });
  if (!ending.isLimited) return new ConnectionError({ endpoint, code: 'REDIRECT', attempts });
  const retryAfterMs = Math.max(0, (pausedUntil ?? 0) - clock.now());
  return new QuotaExhaustedError({
    endpoint,
    window: 'cooldown',
    limit: undefined,
    remaining: undefined,
    retryAfterMs,
    retryAt: new Date(clock.wall() + retryAfterMs),
    why: 'the service refused the call again and again, although it waited as told.',
  });
}
