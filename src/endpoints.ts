import { checkAddress } from './address.ts';
import type { AddressAssets, Info, StandardSchemaV1 } from './bodies.ts';

/** What can be asked of the service, by the name that the table of costs knows it by. */
export type Endpoint = 'GET /extended/v1/info' | 'HEAD /extended/v1/info' | 'GET /extended/v1/address/{address}/assets';

/** A request that was checked and can be sent. */
export interface ApiRequest<Body> {
  /** The endpoint: what the cost is remembered by. */
  readonly endpoint: Endpoint;
  readonly method: 'GET' | 'HEAD';
  /** Begins with a slash, to be appended to the base URL; already encoded. */
  readonly path: string;
  /** Without the question mark; empty if there is none; already encoded. */
  readonly query: string;
  /** What the body must be like; `undefined` where there is none. */
  readonly schema: StandardSchemaV1<unknown, Body> | undefined;
}

/** Which part of an account's history to ask for. */
export interface AddressAssetsParams {
  /** How many events at most: 0 to 100; the service's default is 20. */
  readonly limit?: number;
  /** How many of the latest events to skip: 0 or more. */
  readonly offset?: number;
  /** Whether to include what is not yet anchored. Not together with `untilBlock`. */
  readonly unanchored?: boolean;
  /** The last block to look at: its height, or its hash (`0x` and 64 hexadecimal digits). */
  readonly untilBlock?: number | string;
}

/** `GET /extended/v1/info` (section 4). */
export function infoRequest(): ApiRequest<Info> {
  throw new Error('to be written');
}

/** `HEAD /extended/v1/info`: the headers alone (section 4: "called in a way that reads only the response headers"). */
export function headersRequest(): ApiRequest<undefined> {
  throw new Error('to be written');
}

/**
 * `GET /extended/v1/address/<address>/assets` (section 4).
 *
 * @throws ConfigError if the address or a parameter cannot be used.
 */
export function addressAssetsRequest(address: string, params: AddressAssetsParams = {}): ApiRequest<AddressAssets> {
  throw new Error(`to be written ${checkAddress(address)} ${params}`);
}

/** The whole URL of a request, sure to lie under the base URL (as `readSettings` gives it: without a slash at its end). */
export function urlOf(baseUrl: string, request: Pick<ApiRequest<unknown>, 'path' | 'query'>): URL {
  throw new Error(`to be written ${baseUrl} ${request}`);
}
