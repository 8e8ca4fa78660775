/**
 * The mock service as request handlers of MSW. Needs `msw` 2 or 3.
 *
 * @module stacks-quota/testing/msw
 */

import { type HttpHandler, HttpResponse, http } from 'msw';
import { isConnectionLost } from './network/network-error.ts';
import { unlessAborted } from './network/pause.ts';
import { responseFrom } from './network/response.ts';
import { once } from './routes/request.ts';
import type { MockService } from './service.ts';

/**
 * The service as request handlers of [MSW](https://mswjs.io) 2 or 3, which intercept the global `fetch` and other clients.
 *
 * @example
 * ```ts
 * import { setupServer } from 'msw/node';
 * import { createMockService } from 'stacks-quota/testing';
 * import { handlers } from 'stacks-quota/testing/msw';
 *
 * const service = createMockService({ keyless: { minute: 5 } });
 * const server = setupServer(...handlers(service));
 * server.listen();
 * const response = await fetch(`${service.origin}/extended/v1/info`);
 * response.headers.get('x-ratelimit-remaining-stacks-minute'); // '4'
 * ```
 */
export function handlers(service: Pick<MockService, 'origin' | 'clock' | 'exchange'>): HttpHandler[] {
  if (typeof (service as MockService | undefined)?.exchange !== 'function')
    throw new Error('handlers takes a mock service, as createMockService makes.');
  return [
    http.all(`${service.origin}/*`, async ({ request }) => {
      const { method, headers, signal } = request;
      try {
        const exchange = (): ReturnType<MockService['exchange']> =>
          service.exchange({ method, url: new URL(request.url), headers, bytes: once(() => bytesOf(request)) });
        return responseFrom(await unlessAborted(exchange, signal), service.clock, signal);
      } catch (error) {
        if (isConnectionLost(error) || signal.aborted) return HttpResponse.error();
        throw error;
      }
    }),
  ];
}

async function bytesOf(request: Request): Promise<Uint8Array> {
  return new Uint8Array(await request.arrayBuffer());
}
