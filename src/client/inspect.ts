import { type ApiRequest, GET_INFO, HEAD_INFO, urlOf } from '../endpoints/endpoints.ts';
import type { Reply } from '../http/call.ts';
import { boundsOf, type CallOptions } from '../options/client-options.ts';
import type { ClientCore } from './core.ts';

/** Reads the quota from the headers of an answer of any status, with `HEAD`, or `GET` where that is refused. Passes pauses and full windows. */
export async function inspect(
  { run, settings }: Pick<ClientCore, 'run' | 'settings'>,
  options: CallOptions<unknown>,
): Promise<Reply> {
  const { signal, label, headers, priority = 0, cost } = options;
  const { maxWaitMs, timeoutMs } = boundsOf(options, settings);
  const send = (request: ApiRequest<unknown>): Promise<Reply> =>
    run({
      request: { method: request.method, url: urlOf(settings.baseUrl, request), headers },
      ask: { endpoint: request.endpoint, cost, priority, maxWaitMs, isInspection: true },
      signal,
      label,
      timeoutMs,
      wants: 'none',
    });
  const head = await send(HEAD_INFO);
  const isRefused = head.status === 405 || head.status === 501;
  return isRefused ? send(GET_INFO) : head;
}
