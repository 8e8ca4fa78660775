import type { AddressAssets } from '../endpoints/bodies.ts';
import { type AddressAssetsParams, ASSETS_PARAMS, addressAssetsRequest, GET_INFO } from '../endpoints/endpoints.ts';
import { type CallOptions, type ClientOptions, callOptionsParser } from '../options/client-options.ts';
import { flag } from '../validation/arguments.ts';
import { walk } from '../walk/walk.ts';
import { ApiCalls } from './api-calls.ts';
import type { Client, FetchClient } from './client.ts';
import { createCore } from './core.ts';
import { inspect } from './inspect.ts';
import { pagesBy } from './pages.ts';
import type { RequestOptions } from './requests.ts';
import { ReplyHead } from './response-head.ts';
import type { HeadersResult, Result } from './result.ts';

const infoOptions = callOptionsParser({ headersOnly: flag });
const assetsOptions = callOptionsParser(ASSETS_PARAMS);

/**
 * Makes a client of the service.
 *
 * @throws ConfigError if an option cannot be used.
 *
 * @example
 * ```ts
 * const client = createClient({ maxWaitMs: 10_000 }); // the key is read from STACKS_API_KEY
 * const { data } = await client.getAddressAssets('SP3HXJJMJQ06GNAZ8XWDN1QM48JEDC6PP6W3YZPZJ');
 * await client.close();
 * ```
 */
export function createClient(options: ClientOptions = {}): Client {
  const core = createCore(options);
  const calls = new ApiCalls(core);

  const readHeaders = async (options: CallOptions<unknown>): Promise<HeadersResult> => {
    const reply = await inspect(core, options);
    const { quota, status } = reply;
    return { quota, status, response: new ReplyHead(reply, core.redact) };
  };

  async function getInfo<Body>(options: CallOptions<Body> & { readonly headersOnly?: boolean } = {}): Promise<unknown> {
    const checked = infoOptions(options);
    return checked.headersOnly ? readHeaders(checked) : calls.ask(GET_INFO, checked);
  }

  function getAddressAssets<Body = AddressAssets>(
    address: string,
    options: AddressAssetsParams & CallOptions<Body> = {},
  ): Promise<Result<Body>> {
    try {
      const checked = assetsOptions(options) as AddressAssetsParams & CallOptions<Body>;
      return calls.ask(addressAssetsRequest(address, checked), checked) as Promise<Result<Body>>;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  function request<Body>(method: string, path: string, options?: RequestOptions<Body>): Promise<Result<Body>> {
    try {
      const made = calls.request(method, path, options);
      return calls.ask(made.request, made.options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  const client: Client = Object.assign(core.client, {
    get: (path, ...[options]) => request('GET', path, options),
    request: (method, path, ...[options]) => request(method, path, options),
    paginate: pagesBy((path, options) => request('GET', path, options)),
    typed: () => client as never,
    getInfo: getInfo as Client['getInfo'],
    getAddressAssets,
    walkAddressAssets: (address, walkOptions) => walk(getAddressAssets, address, walkOptions),
  } satisfies Omit<Client, keyof FetchClient>);
  return client;
}
