/** Header lines of a response, names in lower case. */
export type HeaderLines = [name: string, value: string][];

/** A response before the gateway adds its headers. */
export interface Page {
  readonly status: number;
  readonly headers: HeaderLines;
  /** Computed only when it is read. */
  readonly body: () => string;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Creates a page of JSON. */
export function json(status: number, content: unknown, headers: HeaderLines = []): Page {
  return { status, headers: [['content-type', JSON_TYPE], ...headers], body: () => JSON.stringify(content) };
}

/** Creates a page of JSON whose content is computed when it is read. */
export function lazyJson(status: number, content: () => unknown, headers: HeaderLines): Page {
  return { status, headers: [['content-type', JSON_TYPE], ...headers], body: () => JSON.stringify(content()) };
}

/** Creates an error page in the format of the service's application. */
export function problem(status: 400 | 404, error: string, message: string): Page {
  return json(status, { statusCode: status, error, message });
}
