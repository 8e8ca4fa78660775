import { createMockService } from 'stacks-quota/testing';
import { expect, it, vi } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import { createFetchClient } from '../../src/client/fetch-client.ts';

const address = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';

/** As in workerd: what belongs to a request cannot be created outside one, nor read in another. */
function requests(): { current: string | undefined } {
  const requests = { current: 'first' as string | undefined };
  class BoundController extends AbortController {
    constructor() {
      super();
      const home = requests.current;
      if (home === undefined) throw new Error('Disallowed operation called within global scope.');
      const isAborted = (): boolean => Reflect.get(AbortSignal.prototype, 'aborted', this.signal);
      Object.defineProperty(this.signal, 'aborted', {
        get: () => {
          if (requests.current !== home) throw new Error('Cannot perform I/O on behalf of a different request.');
          return isAborted();
        },
      });
    }
  }
  vi.stubGlobal('AbortController', BoundController);
  return requests;
}

it.each([createClient, createFetchClient])('a client is not created outside a request: %o', (create) => {
  const around = requests();
  around.current = undefined;
  const message = 'client is created outside a request: on Cloudflare Workers, create a client in the function that ';
  expect(() => create()).toThrow(message);
  around.current = 'first';
  expect(() => create()).not.toThrow();
});

it('a call in another request than that of its client is refused before it is sent', async () => {
  const around = requests();
  const service = createMockService({ origin: 'https://api.hiro.so' });
  const client = createClient({ fetch: service.fetch });
  expect((await client.fetch('/extended/v1/info')).status).toBe(200);
  around.current = 'second';
  const calls = [
    () => client.fetch('/extended/v1/info'),
    () => client.getInfo(),
    () => client.getInfo({ headersOnly: true }),
    () => client.getAddressAssets(address),
    () => client.walkAddressAssets(address)[Symbol.asyncIterator]().next(),
  ];
  for (const call of calls) {
    await expect(call()).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringMatching(/^client belongs to another request: on Cloudflare Workers, create /),
    });
  }
  expect(service.requests).toBe(1);
  around.current = 'first';
  expect((await client.getInfo()).data).toBeDefined();
});
