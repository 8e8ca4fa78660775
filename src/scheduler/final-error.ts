import type { Clock } from '../clock.ts';
import { ConnectionError, QuotaExhaustedError } from '../errors.ts';
import type { TracedCall } from '../http/attempt.ts';
import type { Failure } from '../http/failure.ts';
import type { AttemptOutcome } from '../http/retry-policy.ts';
import type { QuotaSnapshot } from '../quota/headers/snapshot.ts';
import { retryFrom } from './queue/queue-errors.ts';

/** A call that is not attempted again. */
interface EndedCall {
  readonly call: TracedCall;
  /** Its last request, which a redirect may have changed. */
  readonly request: TracedCall['request'];
  readonly outcome: AttemptOutcome;
  readonly failure: Failure | undefined;
  readonly clock: Clock;
  /** The pause that the service ordered, if one is in force. */
  readonly cooldown?: { readonly until: number } | undefined;
  /** The quota as of the last answer. */
  readonly quota: QuotaSnapshot | undefined;
}

/** The error of a call that is not attempted again. */
export function finalError({ call, request, outcome, failure, clock, cooldown, quota }: EndedCall): Error {
  const { endpoint } = call.ask;
  const { url } = request;
  const { attempts } = call.trace;
  if (outcome.kind === 'failed')
    return new ConnectionError({ endpoint, url, code: outcome.code, attempts, cause: failure?.cause });
  if (!outcome.isLimited) return new ConnectionError({ endpoint, url, code: 'REDIRECT', attempts });
  return new QuotaExhaustedError({
    endpoint,
    url,
    quota,
    window: 'cooldown',
    limit: undefined,
    remaining: undefined,
    ...retryFrom(cooldown?.until ?? 0, clock),
    why: 'the service refused the call repeatedly because of a limit, although the client waited as told',
  });
}
