import type { Reply } from '../http/call.ts';

/** A response without its body: its status, where it came from, and its headers, such as `etag`, `warning` or a request id. */
export interface ResponseHead {
  /** The HTTP status. */
  readonly status: number;
  /** The URL of the response, after all redirects. The key is never in it. */
  readonly url: string;
  /** All headers, without the key, should the service have echoed it. */
  readonly headers: Headers;
}

/** The head of a reply. Headers are copied when they are first read, because most callers read none. */
export function headOf({ status, url, headers }: Reply, redact: (text: string) => string): ResponseHead {
  let copy: Headers | undefined;
  return {
    status,
    url,
    get headers() {
      if (copy) return copy;
      copy = new Headers();
      for (const [name, value] of headers) copy.append(name, redact(value));
      return copy;
    },
  };
}
