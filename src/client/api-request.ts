import { type ApiRequest, urlOf } from '../endpoints/endpoints.ts';
import { ConfigError, quote } from '../errors.ts';
import type { Outgoing } from '../http/call.ts';
import { isRecord } from '../validation/arguments.ts';
import { ownProperties } from '../validation/own-properties.ts';

/** A request of the API. Its URL is made when it is sent, because very many may wait. */
export class ApiOutgoing implements Outgoing {
  readonly method: string;
  readonly headers: Outgoing['headers'];
  readonly body: BodyInit | undefined;
  readonly #baseUrl: string;
  readonly #path: string;
  readonly #query: string;
  #url: string | undefined;

  constructor(baseUrl: string, request: ApiRequest<unknown>, headers: Outgoing['headers']) {
    const { method, path, query, contentType } = request;
    const isTyped =
      contentType === undefined || Object.keys(headers ?? {}).some((name) => /^content-type$/i.test(name));
    this.method = method;
    this.headers = isTyped ? headers : { ...headers, 'content-type': contentType };
    // Not an inherited one: `Object.prototype` may be polluted.
    this.body = Object.hasOwn(request, 'body') ? request.body : undefined;
    this.#baseUrl = baseUrl;
    this.#path = path;
    this.#query = query;
  }

  get url(): string {
    this.#url ??= urlOf(this.#baseUrl, { path: this.#path, query: this.#query });
    return this.#url;
  }
}

/** The own properties of an option that is an object of names and values. */
export function recordOf<T extends object>(option: string, given: T = {} as T): T {
  if (!isRecord(given)) throw new ConfigError(option, `must be an object of names and values, not ${quote(given)}`);
  return ownProperties(given);
}

/** The body of a request, and its media type. */
export function bodyOf(
  method: string,
  json: unknown,
  body: unknown,
): Pick<ApiRequest<unknown>, 'body' | 'contentType'> {
  if (json === undefined && body === undefined) return {};
  const option = json === undefined ? 'body' : 'json';
  if (method === 'GET' || method === 'HEAD') throw new ConfigError(option, `cannot be sent with ${method}`);
  if (json === undefined) return { body: sendableBody(body) };
  if (body !== undefined) throw new ConfigError('body', 'cannot be combined with json');
  return { body: jsonText(json), contentType: 'application/json' };
}

function jsonText(json: unknown): string {
  let problem = quote(json);
  try {
    const text: string | undefined = JSON.stringify(json);
    if (text !== undefined) return text;
  } catch (error) {
    problem += ` (${error})`;
  }
  throw new ConfigError('json', `must be a value that JSON can hold, not ${problem}`);
}

/** A body that can be sent again after a refusal, so no stream. */
function sendableBody(given: unknown): BodyInit {
  const body = copiedBody(given);
  if (body === undefined) throw new ConfigError('body', `must be text, bytes, a Blob or a form, not ${quote(given)}`);
  return body;
}

/** A body as it is now: its caller may change it, for another call, while this one waits. `undefined` if it is none that can be copied. */
export function copiedBody(body: unknown): BodyInit | undefined {
  if (typeof body === 'string' || body instanceof Blob) return body;
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice();
  if (body instanceof ArrayBuffer) return body.slice();
  if (body instanceof URLSearchParams) return new URLSearchParams(body);
  if (!(body instanceof FormData)) return undefined;
  const form = new FormData();
  for (const [name, value] of body) form.append(name, value);
  return form;
}
