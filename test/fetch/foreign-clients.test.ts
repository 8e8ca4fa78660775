import { createClient as createStacksApiClient } from '@stacks/blockchain-api-client';
import { createNetwork } from '@stacks/network';
import { Cl, fetchAbi, fetchCallReadOnlyFunction, fetchContractMapEntry, fetchNonce } from '@stacks/transactions';
import createOpenApiClient from 'openapi-fetch';
import { describe, it, type TestContext } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { createClient } from '../../src/client/create-client.ts';
import { createMockService, type MockService, type ServiceRequest } from '../../src/testing/index.ts';

const KEY = 'k3y-of-32-characters-0123456789ab';
const ADDRESS = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';
const CONTRACT = { contractAddress: ADDRESS, contractName: 'my-token' };

/** More than twice what a second holds. */
const CALLS = 25;
const SECOND = 10;

/** What a node answers to the calls of the other clients; the mock's gateway counts and refuses before it. */
function page({ url }: ServiceRequest): object | undefined {
  if (url.pathname.endsWith('/nonces')) return { possible_next_nonce: 7 };
  if (url.pathname.startsWith('/v2/contracts/interface/')) return { functions: [], variables: [], maps: [] };
  if (url.pathname.startsWith('/v2/contracts/call-read/'))
    return { okay: true, result: '0x0100000000000000000000000000000007' };
  return undefined;
}

/** A service on a real port, and a client of it. */
async function service({ onTestFinished }: TestContext): Promise<{ mock: MockService; url: string; client: Client }> {
  const mock = createMockService({
    keys: [KEY],
    keyed: { second: SECOND, minute: 5_000 },
    // A busy machine may take seconds over calls that are made at once.
    keyless: { second: 1 },
  });
  const door = await mock.listen();
  const client = createClient({ baseUrl: door.url, apiKey: KEY });
  onTestFinished(async () => {
    await client.close();
    await door.close();
  });
  mock.faults.when((request) => {
    const body = page(request);
    return body && { status: 200, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  });
  return { mock, url: door.url, client };
}

/** The paths of the service's own description that are called here. */
interface Paths {
  '/extended/v1/info': { get: { responses: { 200: { content: { 'application/json': { status: string } } } } } };
  '/v2/contracts/call-read/{address}/{name}/{fn}': {
    post: {
      parameters: { path: { address: string; name: string; fn: string } };
      requestBody: { content: { 'application/json': { sender: string; arguments: string[] } } };
      responses: { 200: { content: { 'application/json': { okay: boolean } } } };
    };
  };
}

type Loop = (fetch: typeof globalThis.fetch, baseUrl: string) => (nth: number) => Promise<unknown>;

/** One call each, whatever its number, by the packages themselves, with the one option that each of them has. */
const LOOPS: Record<string, { readonly call: Loop; readonly answer: unknown }> = {
  '@stacks/transactions with @stacks/network, reading': {
    call: (fetch, baseUrl) => {
      const network = createNetwork({ network: 'mainnet', client: { baseUrl, fetch } });
      return () => fetchNonce({ address: ADDRESS, network });
    },
    answer: 7n,
  },
  '@stacks/transactions with a client, reading': {
    call: (fetch, baseUrl) => () => fetchAbi({ ...CONTRACT, client: { baseUrl, fetch } }),
    answer: { functions: [], variables: [], maps: [] },
  },
  '@stacks/transactions, posting': {
    call: (fetch, baseUrl) => (nth) =>
      fetchCallReadOnlyFunction({
        ...CONTRACT,
        functionName: 'get-balance',
        functionArgs: [Cl.uint(nth)],
        senderAddress: ADDRESS,
        client: { baseUrl, fetch },
      }),
    answer: Cl.uint(7),
  },
  '@stacks/blockchain-api-client': {
    call: (fetch, baseUrl) => {
      const api = createStacksApiClient({ baseUrl, fetch });
      return async () => {
        const path = { principal: ADDRESS };
        const { data } = await api.GET('/extended/v1/address/{principal}/nonces', { params: { path } });
        return data;
      };
    },
    answer: { possible_next_nonce: 7 },
  },
  'openapi-fetch, reading': {
    call: (fetch, baseUrl) => {
      const api = createOpenApiClient<Paths>({ baseUrl, fetch });
      return async () => (await api.GET('/extended/v1/info')).data?.status;
    },
    answer: 'ready',
  },
  'openapi-fetch, posting': {
    call: (fetch, baseUrl) => {
      const api = createOpenApiClient<Paths>({ baseUrl, fetch });
      return async () => {
        const path = { address: ADDRESS, name: 'my-token', fn: 'get-balance' };
        const body = { sender: ADDRESS, arguments: [] };
        const { data } = await api.POST('/v2/contracts/call-read/{address}/{name}/{fn}', { params: { path }, body });
        return data?.okay;
      };
    },
    answer: true,
  },
};

const numbers = Array.from({ length: CALLS }, (_, nth) => nth);

describe.concurrent.for(Object.entries(LOOPS))('%s', ([, { call, answer }]) => {
  it('makes more calls than a second holds, and no limit refuses any', async (test) => {
    const { expect } = test;
    const { mock, url, client } = await service(test);
    const answers = await Promise.all(numbers.map(call(client.fetch, url)));
    expect(answers).toEqual(numbers.map(() => answer));
    expect([mock.requests, mock.limited]).toEqual([CALLS, 0]);
    expect(new Set(mock.log.map(({ key }) => key))).toEqual(new Set(['keyed']));
  });

  it('is refused with the global fetch', async (test) => {
    const { expect } = test;
    const { mock, url } = await service(test);
    await Promise.allSettled(numbers.map(call(globalThis.fetch, url)));
    expect(mock.limited).toBeGreaterThan(0);
  });
});

describe.concurrent('beside each other', () => {
  it('all of them wait in one queue', async (test) => {
    const { expect } = test;
    const { mock, url, client } = await service(test);
    const calls = Object.values(LOOPS).map(({ call }) => call(client.fetch, url));
    await Promise.all([...calls, ...calls, ...calls, ...calls].map((one, nth) => one(nth)));
    expect([mock.requests, mock.limited]).toEqual([24, 0]);
  });

  it('see a refusal that is waited out only as a longer wait', async (test) => {
    const { expect } = test;
    const { mock, url, client } = await service(test);
    mock.faults.next(1, { status: 429, headers: { 'retry-after': '1' } });
    const network = createNetwork({ network: 'mainnet', client: { baseUrl: url, fetch: client.fetch } });
    expect(await fetchNonce({ address: ADDRESS, network })).toBe(7n);
    expect(mock.log.map(({ status }) => status)).toEqual([429, 200]);
  });

  it('see errors of the service as with any fetch', async (test) => {
    const { expect } = test;
    const { url, client } = await service(test);
    const entry = { ...CONTRACT, mapName: 'balances', mapKey: Cl.uint(1) };
    const asked = fetchContractMapEntry({ ...entry, client: { baseUrl: url, fetch: client.fetch } });
    await expect(asked).rejects.toThrow(/Response 404.*Route POST:\/v2\/map_entry/);
    const { error, response } = await createStacksApiClient({ baseUrl: url, fetch: client.fetch }).GET(
      '/extended/v1/tx/{tx_id}',
      { params: { path: { tx_id: `0x${'ab'.repeat(32)}` } } },
    );
    expect([response.status, error]).toMatchObject([404, { statusCode: 404 }]);
  });

  it('are told at once when they would call another host than the client is for', async (test) => {
    const { expect } = test;
    const { mock, client } = await service(test);
    const network = createNetwork({ network: 'mainnet', client: { fetch: client.fetch } });
    await expect(fetchNonce({ address: ADDRESS, network })).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringMatching(/^input goes to https:\/\/api\.mainnet\.hiro\.so, but this client is for http:/),
    });
    expect(mock.requests).toBe(0);
  });
});
