import type { Reply } from '../http/call.ts';
import { redactedHeaders } from '../http/redaction.ts';

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
export class ReplyHead implements ResponseHead {
  readonly status: number;
  readonly url: string;
  readonly #headers: Headers;
  readonly #redact: (text: string) => string;
  #copy: Headers | undefined;

  constructor({ status, url, headers }: Reply, redact: (text: string) => string) {
    this.status = status;
    this.url = url;
    this.#headers = headers;
    this.#redact = redact;
  }

  get headers(): Headers {
    this.#copy ??= new Headers(redactedHeaders(this.#headers, this.#redact));
    return this.#copy;
  }
}
