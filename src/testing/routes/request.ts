/** A request to the service. `headers` may be a `Headers` object. */
export interface ServiceRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: {
    /** The value of a header; names are case-insensitive. */
    get(name: string): string | null;
  };
  /** Reads the body; absent if there is none. */
  readonly bytes?: (() => Promise<Uint8Array>) | undefined;
}

/** The methods that a route may have. `GET` serves `HEAD`, too. */
export type RouteMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

/** The name of a route: method and path template, such as `GET /extended/v2/blocks/{height}`. */
export type RouteName = `${RouteMethod} /${string}`;

/** The names in braces of a path template. */
export type RouteParamName<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | RouteParamName<Rest>
  : never;

/** Values of the placeholders of a route, decoded. Of a route that is not known as text, any name is accepted. */
export type RouteParams<Route extends string> = Route extends `${RouteMethod} /${infer Template}`
  ? string extends Template
    ? Readonly<Record<string, string>>
    : { readonly [Name in RouteParamName<Template>]: string }
  : never;

/** The request that the handler of a route is given. */
export interface RouteRequest<Route extends string = RouteName> extends Omit<ServiceRequest, 'bytes'> {
  /** Values of the placeholders of the path, decoded. */
  readonly params: RouteParams<Route>;
  /** The body as bytes; empty if there is none. */
  bytes(): Promise<Uint8Array>;
  /** The body as text. */
  text(): Promise<string>;
  /** The body, parsed as JSON: any, also where `Request` is that of Node, whose `json` is unknown. */
  json(): Promise<ReturnType<typeof JSON.parse>>;
}

/** The request for the handler of a route. The body is read once, however often the handler asks for it. */
export function routeRequest(request: ServiceRequest, params: Readonly<Record<string, string>>): RouteRequest {
  const { method, url, headers } = request;
  const bytes = once(request.bytes ?? (async () => new Uint8Array()));
  const text = async (): Promise<string> => new TextDecoder().decode(await bytes());
  return { method, url, headers, params, bytes, text, json: async () => JSON.parse(await text()) };
}

/** The function with its first result. */
export function once<T>(get: () => T): () => T {
  let got: { readonly value: T } | undefined;
  return () => {
    got ??= { value: get() };
    return got.value;
  };
}
