/** Header lines of a response, names in lower case. */
export type HeaderLines = [name: string, value: string][];

/** A body as it is sent. */
export type BodyContent = string | Uint8Array;

/** A response before the gateway adds its headers. */
export interface Page {
  readonly status: number;
  readonly headers: HeaderLines;
  /** Computed only when it is read. */
  readonly body: () => BodyContent;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Creates a page of JSON. */
export function json(status: number, content: unknown, headers: HeaderLines = []): Page {
  return lazyJson(status, () => content, headers);
}

/** Creates a page of JSON whose content is computed when it is read. */
export function lazyJson(status: number, content: () => unknown, headers: HeaderLines): Page {
  return { status, headers: [['content-type', JSON_TYPE], ...headers], body: () => JSON.stringify(content()) };
}

/** Creates an error page in the format of the service's application. */
export function problem(status: 400 | 404 | 405 | 500, error: string, message: string, headers?: HeaderLines): Page {
  return json(status, { statusCode: status, error, message }, headers);
}

/** Creates a page of text, HTML or bytes. */
export function page(status: number, type: string, content: BodyContent): Page {
  return { status, headers: [['content-type', type]], body: () => content };
}

/** A page without a body. */
export function empty(status: number): Page {
  return { status, headers: [], body: () => '' };
}
