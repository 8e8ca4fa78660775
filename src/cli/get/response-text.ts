import { adviceFor } from '../error-message.ts';

/** Status and headers as HTTP/1.1 writes them, and the empty line after them. */
export function headText({ status, statusText, headers }: Response): string {
  const lines = Array.from(headers, ([name, value]) => `${name}: ${value}\n`);
  return `HTTP/1.1 ${status}${statusText && ` ${statusText}`}\n${lines.join('')}\n`;
}

/** A response as one line of JSON. A body that is no JSON is a string. */
export function jsonLine({ status, headers }: Response, text: string, includesHeaders: boolean): string {
  const json = parse(text);
  const body = json === undefined ? text : json;
  return `${JSON.stringify(includesHeaders ? { status, headers: Object.fromEntries(headers), body } : body)}\n`;
}

/** For people: JSON with line breaks, and a line break at the end, so that the prompt begins a line of its own. */
export function indented(text: string): string {
  const body = parse(text);
  if (body !== undefined) return `${JSON.stringify(body, null, 2)}\n`;
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** A status that is an error, in a sentence. */
export function failureOf(path: string, status: number): string {
  return `GET ${path}: the service answered ${status}.${adviceFor(status)}`;
}

/** Since Node 21; the types lack it. */
const { parse: parseJson, rawJSON } = JSON as unknown as {
  parse(text: string, revive: (name: string, value: unknown, context: { source: string }) => unknown): unknown;
  rawJSON(source: string): unknown;
};

/** JSON whose numbers are written as they came, because large ones are no numbers of JavaScript. */
function parse(text: string): unknown {
  try {
    return parseJson(text, (_, value, { source }) => (typeof value === 'number' ? rawJSON(source) : value));
  } catch {
    return undefined;
  }
}
