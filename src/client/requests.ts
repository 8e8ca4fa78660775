import type { RequestBody } from '../endpoints/endpoints.ts';
import type { ParamValue, PathParamName, Query } from '../endpoints/path-template.ts';
import type { CallOptions } from '../options/client-options.ts';

/** The methods of {@link Client.request}. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** A method of {@link Client.request}. */
export type Method = (typeof METHODS)[number];

/** Options of {@link Client.get}: those of any call, and the query. */
export interface GetOptions<Body = unknown> extends CallOptions<Body> {
  /** Query parameters, encoded by the client. An array is sent as one parameter per element; `undefined` and `null` are left out. Default: none. */
  readonly query?: Query | undefined;
}

/** Options of {@link Client.request}: those of {@link Client.get}, path parameters and a body. */
export interface RequestOptions<Body = unknown> extends GetOptions<Body> {
  /** Values for the placeholders of the path, encoded by the client. A placeholder without a value is a ConfigError. */
  readonly params?: Readonly<Record<string, ParamValue>> | undefined;
  /** Sent as JSON, with `content-type: application/json`. It is a ConfigError with `GET` and `HEAD`, and together with `body`. Default: no body. */
  readonly json?: unknown;
  /** Sent as it is: text, bytes, a Blob or a form. It is a ConfigError with `GET` and `HEAD`. Default: no body. */
  readonly body?: RequestBody | undefined;
}

/** No body where the method is known to take none. */
export type BodyOptions<M extends Method> = [M] extends ['GET' | 'HEAD']
  ? { readonly json?: undefined; readonly body?: undefined }
  : unknown;

/** The `params` that a path asks for: a value for each of its placeholders. Of a path that is no literal the names are not known. */
export type PathParams<Path extends string> = string extends Path
  ? Pick<RequestOptions, 'params'>
  : [PathParamName<Path>] extends [never]
    ? unknown
    : { readonly params: { readonly [Name in PathParamName<Path>]: ParamValue } };

/**
 * The arguments behind a path: options, which must have `params` with a value for each placeholder of the path. Of a path that is
 * no literal the names are not known, so `params` is checked when the call is made.
 */
export type PathArguments<Path extends string, Options> =
  Partial<PathParams<Path>> extends PathParams<Path>
    ? [options?: Options & PathParams<Path>]
    : [options: Options & PathParams<Path>];
