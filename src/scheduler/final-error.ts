import type { Clock } from '../clock.ts';
import { ConnectionError } from '../errors.ts';
import type { ExchangeResult, TracedCall } from '../http/attempt.ts';
import type { Pacer } from '../quota/pacer.ts';
import { quotaError } from './queue/queue-errors.ts';

/** A call that is not attempted again, with the result of its last attempt. */
interface EndedCall extends Pick<ExchangeResult, 'outcome' | 'failure'> {
  readonly call: TracedCall;
  /** Its last request, which a redirect may have changed. */
  readonly request: TracedCall['request'];
  readonly clock: Clock;
  readonly pacer: Pick<Pacer, 'pausedUntilFor' | 'lastQuota'>;
}

/** The error of a call that is not attempted again. */
export function finalError({ call, request, outcome, failure, clock, pacer }: EndedCall): Error {
  const { endpoint } = call.ask;
  const { url } = request;
  const { attempts } = call.trace;
  if (outcome.kind === 'failed')
    return new ConnectionError({ endpoint, url, code: outcome.code, attempts, cause: failure?.cause });
  if (!outcome.isLimited) return new ConnectionError({ endpoint, url, code: 'REDIRECT', attempts });
  const why = `the service refused the call repeatedly with ${outcome.status}, although the client waited after each refusal`;
  const bound = { window: 'cooldown', limit: undefined, remaining: undefined };
  return quotaError({ endpoint, url, quota: pacer.lastQuota, ...bound, why }, pacer.pausedUntilFor(endpoint), clock);
}
