import type { AddressAssets } from '../endpoints/bodies.ts';
import { type AddressAssetsParams, ASSETS_PARAMS, addressAssetsRequest, infoRequest } from '../endpoints/endpoints.ts';
import { type CallOptions, type ClientOptions, checkCallOptions } from '../options/client-options.ts';
import { ownProperties } from '../validation/own-properties.ts';
import { type PaginateOptions, type Pagination, paginate, type RequestPage } from '../walk/paginate.ts';
import { walk } from '../walk/walk.ts';
import { ApiCalls } from './api-calls.ts';
import type { Client, HeadersResult, Result } from './client.ts';
import { createCore } from './core.ts';
import type { FetchClient } from './fetch-client.ts';
import { inspect } from './inspect.ts';
import type { GetOptions, RequestOptions } from './requests.ts';
import { headOf } from './response-head.ts';

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
  const { redact } = core;

  const calls = new ApiCalls(core);

  const readHeaders = async (options: CallOptions<unknown>): Promise<HeadersResult> => {
    const reply = await inspect(core.run, core.settings, options);
    const { quota, status } = reply;
    return { quota, status, response: headOf(reply, redact) };
  };

  async function getInfo<Body>(options: CallOptions<Body> & { readonly headersOnly?: boolean } = {}): Promise<unknown> {
    const { headersOnly, ...rest } = ownProperties(options);
    const checked = checkCallOptions(rest, ['headersOnly']);
    return headersOnly ? readHeaders(checked) : calls.ask(infoRequest(), checked);
  }

  function getAddressAssets<Body = AddressAssets>(
    address: string,
    options: AddressAssetsParams & CallOptions<Body> = {},
  ): Promise<Result<Body>> {
    try {
      const { limit, offset, unanchored, untilBlock, ...rest } = ownProperties(options);
      const request = addressAssetsRequest(address, { limit, offset, unanchored, untilBlock });
      return calls.ask(request, checkCallOptions(rest, ASSETS_PARAMS));
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

  function pages<Page, Item>(path: string, given: PaginateOptions<Page, Item> & GetOptions = {}): Pagination<Item> {
    const { items, key, from, ...rest } = ownProperties(given);
    const first = calls.request<Page>('GET', path, rest);
    const { query } = first.request;
    const requestPage: RequestPage<Item> = (position, pageSchema) => {
      const at = new URLSearchParams(query);
      for (const [name, value] of Object.entries(position)) at.set(name, String(value));
      return calls.ask({ ...first.request, query: at.toString() }, { ...first.options, schema: pageSchema });
    };
    const name = first.request.path + (query && `?${query}`);
    const { schema, signal } = first.options;
    return paginate(requestPage, name, { schema, signal, items, key, from });
  }

  const client: Client = Object.assign(core.client, {
    get: (path, ...[options]) => request('GET', path, options),
    request: (method, path, ...[options]) => request(method, path, options),
    paginate: (path, ...[options]) => pages(path, options),
    typed: () => client as never,
    getInfo: getInfo as Client['getInfo'],
    getAddressAssets,
    walkAddressAssets: (address, walkOptions) => walk(getAddressAssets, address, walkOptions),
  } satisfies Omit<Client, keyof FetchClient>);
  return client;
}
