/** Header lines of an answer, names in lower case. */
export type HeaderLines = [name: string, value: string][];

/** What is to be found at an address, before the gateway adds its own headers. */
export interface Page {
  readonly status: number;
  readonly headers: HeaderLines;
  /** Written only when somebody reads it. */
  readonly body: () => string;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** A page of JSON. */
export function json(status: number, content: unknown, headers: HeaderLines = []): Page {
  return { status, headers: [['content-type', JSON_TYPE], ...headers], body: () => JSON.stringify(content) };
}

/** A page of JSON whose content takes work to put together. */
export function lazyJson(status: number, content: () => unknown, headers: HeaderLines): Page {
  return { status, headers: [['content-type', JSON_TYPE], ...headers], body: () => JSON.stringify(content()) };
}

/** An error in the service's own words, as its application frames them. */
export function problem(status: 400 | 404, error: string, message: string): Page {
  return json(status, { statusCode: status, error, message });
}
