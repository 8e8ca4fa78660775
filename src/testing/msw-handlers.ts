import { type HttpHandler, HttpResponse, http } from 'msw/http';
import type { MockHost } from './network.ts';
import { isConnectionLost } from './network-error.ts';
import { unlessAborted } from './pause.ts';
import { responseFrom } from './response.ts';

/** A request handler of MSW. */
export type MswHandler = HttpHandler;

/** The service as MSW handlers, for `setupServer(...handlers)`. */
export function mswHandlers(host: MockHost): MswHandler[] {
  return [
    http.all(`${host.origin}/*`, async ({ request }) => {
      const { method, headers, signal } = request;
      try {
        const answer = await unlessAborted(() => host.exchange({ method, url: new URL(request.url), headers }), signal);
        return responseFrom(answer, host.clock, signal);
      } catch (error) {
        if (isConnectionLost(error) || signal.aborted) return HttpResponse.error();
        throw error;
      }
    }),
  ];
}
