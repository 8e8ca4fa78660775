/** A request as a service sees it. */
export interface SeenRequest {
  readonly method: string;
  /** The path and the query, as they were sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: string;
}

/** A service that answers each path as told: by a body, which is sent as JSON, or by a response. */
export interface Routes {
  readonly fetch: typeof fetch;
  readonly seen: SeenRequest[];
}

/** The quota headers of a service that always has room. */
export const ROOM = {
  'x-ratelimit-limit-stacks-second': '100',
  'x-ratelimit-remaining-stacks-second': '99',
  'x-ratelimit-cost-stacks': '1',
};

/** Makes a service from a function. */
export function routes(answer: (request: SeenRequest) => unknown): Routes {
  const seen: SeenRequest[] = [];
  return {
    seen,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { pathname, search, searchParams } = new URL(request.url);
      const one: SeenRequest = {
        method: request.method,
        path: pathname + search,
        query: searchParams,
        headers: request.headers,
        body: await request.text(),
      };
      seen.push(one);
      const given = await answer(one);
      return given instanceof Response ? given : Response.json(given, { headers: ROOM });
    },
  };
}
