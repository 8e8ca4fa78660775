import { ConfigError } from '../errors.ts';
import { type Arguments, argument, flag, isWhole, whole } from '../validation/arguments.ts';
import type { StandardSchemaV1 } from '../validation/standard-schema.ts';
import { checkAddress } from './address.ts';
import type { AddressAssets, Info } from './bodies.ts';
import { addressAssetsBody, infoBody } from './body-check.ts';
import { queryText } from './path-template.ts';

/** Names of the endpoints that have methods of their own. Costs are learned by these names, and events have them. */
export type Endpoint = 'GET /extended/v1/info' | 'HEAD /extended/v1/info' | 'GET /extended/v1/address/{address}/assets';

/** A request that was checked and can be sent. */
export interface ApiRequest<Body> {
  readonly endpoint: Endpoint | (string & {});
  readonly method: string;
  /** Begins with a slash, to be appended to the base URL; encoded. */
  readonly path: string;
  /** Without its question mark, and empty if there is none; encoded. */
  readonly query: string;
  /** Schema of the response's body; `undefined`: it is not checked. */
  readonly schema: StandardSchemaV1<unknown, Body> | undefined;
  /** The body to send: one that can be sent again, so no stream. */
  readonly body?: BodyInit | undefined;
  /** The media type of that body, unless the caller's headers name one. */
  readonly contentType?: string | undefined;
}

/** A body that can be sent again. TypeScript before 5.7 knows no parameters of `Uint8Array`. */
export type RequestBody = string | ArrayBuffer | Uint8Array | Blob | FormData | URLSearchParams;

/** Selects a part of an account's history. An invalid value is a ConfigError, and nothing is sent. */
export interface AddressAssetsParams {
  /** Maximum number of events: a whole number, 0 to 100. Default: 20, by the service. */
  readonly limit?: number | undefined;
  /** Number of latest events to skip: a whole number, 0 or more. Default: 0. */
  readonly offset?: number | undefined;
  /** Whether to include events that are not anchored yet. Not together with `untilBlock`. Default: false. */
  readonly unanchored?: boolean | undefined;
  /** The last block to look at: its height, or its hash (`0x` and 64 hexadecimal digits). Default: the latest. */
  readonly untilBlock?: number | string | undefined;
}

const isBlock = (value: unknown): boolean =>
  typeof value === 'string' ? /^0x[0-9a-fA-F]{64}$/.test(value) : isWhole(value);

/** Readers of {@link AddressAssetsParams}. */
export const ASSETS_PARAMS: Arguments<AddressAssetsParams> = {
  limit: argument<number>((n) => isWhole(n) && n <= 100, 'a whole number from 0 to 100'),
  offset: whole,
  unanchored: flag,
  untilBlock: argument<number | string>(isBlock, 'the height of a block or its hash (0x, 64 hexadecimal digits)'),
};

/** `GET /extended/v1/info`. */
export const GET_INFO: ApiRequest<Info> = {
  endpoint: 'GET /extended/v1/info',
  method: 'GET',
  path: '/extended/v1/info',
  query: '',
  schema: infoBody,
};

/** `HEAD /extended/v1/info`: the call "that reads only the response headers". */
export const HEAD_INFO: ApiRequest<unknown> = {
  ...GET_INFO,
  endpoint: 'HEAD /extended/v1/info',
  method: 'HEAD',
  schema: undefined,
};

/**
 * `GET /extended/v1/address/<address>/assets`.
 *
 * @param params - as {@link ASSETS_PARAMS} has read them.
 * @throws ConfigError if the address cannot be used, or two parameters cannot be combined.
 */
export function addressAssetsRequest(address: string, params: AddressAssetsParams): ApiRequest<AddressAssets> {
  const path = `/extended/v1/address/${checkAddress(address)}/assets`;
  const { limit, offset, unanchored, untilBlock } = params;
  if (unanchored && untilBlock !== undefined) {
    throw new ConfigError('untilBlock', 'cannot be combined with unanchored');
  }
  const query = queryText({ limit, offset, unanchored: unanchored || undefined, until_block: untilBlock });
  return {
    endpoint: 'GET /extended/v1/address/{address}/assets',
    method: 'GET',
    path,
    query,
    schema: addressAssetsBody,
  };
}

/**
 * The URL of a request. It needs no check: paths are made of checked parameters, and begin with a slash.
 *
 * @param baseUrl - as `readSettings` gives it: normalised, with no slash at its end.
 */
export function urlOf(baseUrl: string, { path, query }: Pick<ApiRequest<unknown>, 'path' | 'query'>): string {
  return `${baseUrl}${path}${query && '?'}${query}`;
}
