import { type BodyCheck, validateBody } from '../endpoints/body-check.ts';
import type { ApiRequest } from '../endpoints/endpoints.ts';
import { fillTemplate, queryText } from '../endpoints/path-template.ts';
import { ConfigError, oneLine, quote, ResponseShapeError, ServiceError, type ShapeIssue } from '../errors.ts';
import type { Reply } from '../http/call.ts';
import { untilAborted } from '../http/cancellation.ts';
import { isSuccess } from '../http/status.ts';
import { boundsOf, type CallOptions, callOptionsParser } from '../options/client-options.ts';
import { unchecked } from '../validation/arguments.ts';
import type { StandardSchemaV1 } from '../validation/standard-schema.ts';
import { ApiOutgoing, bodyOf, recordOf } from './api-request.ts';
import type { ClientCore } from './core.ts';
import { METHODS, type RequestOptions } from './requests.ts';
import { ReplyHead } from './response-head.ts';
import type { Result } from './result.ts';

const requestOptions = callOptionsParser<Pick<RequestOptions, 'params' | 'query' | 'json' | 'body'>>({
  params: unchecked(),
  query: unchecked(),
  json: unchecked(),
  body: unchecked(),
});

/** Calls of the API: every one is sent by {@link send} and read by {@link ask}, whether the client knows its endpoint or not. */
export class ApiCalls {
  readonly #core: Omit<ClientCore, 'client'>;

  constructor(core: Omit<ClientCore, 'client'>) {
    this.#core = core;
  }

  /**
   * Makes a request of any endpoint from its path template and options, and checks both.
   *
   * @throws ConfigError if an argument cannot be used.
   */
  request<Body>(
    method: string,
    template: string,
    options: RequestOptions<Body> = {},
  ): { readonly request: ApiRequest<unknown>; readonly options: CallOptions<Body> } {
    const checked = requestOptions(options) as RequestOptions<Body>;
    const { params, query, json, body } = checked;
    if (!METHODS.includes(method as 'GET'))
      throw new ConfigError('method', `must be one of ${METHODS.join(', ')}, not ${quote(method)}`);
    const path = fillTemplate(template, recordOf('params', params));
    const endpoint = this.#core.names.of(method, template);
    const request = { endpoint, method, path, query: queryText(recordOf('query', query)), schema: undefined };
    return { request: { ...request, ...bodyOf(method, json, body) }, options: checked };
  }

  /** Sends a request when the quota allows. */
  send(request: ApiRequest<unknown>, options: CallOptions<unknown>): Promise<Reply> {
    const { run, settings } = this.#core;
    const { maxWaitMs, maxQueueMs, timeoutMs } = boundsOf(options, settings);
    return run({
      request: new ApiOutgoing(settings.baseUrl, request, options.headers),
      ask: {
        endpoint: request.endpoint,
        query: request.query,
        cost: options.cost,
        priority: options.priority ?? 0,
        maxWaitMs,
      },
      signal: options.signal,
      label: options.label,
      maxQueueMs,
      timeoutMs,
      wants: 'text',
      // Fields that the scheduler sets later, so that the object never changes its shape: very many may wait.
      trace: undefined,
      stretch: undefined,
      isWaiting: false,
    });
  }

  /** Sends a request, and checks the body of its response. Not async: the frame of an async function would be kept as long as the call waits. */
  ask<Body>(request: ApiRequest<unknown>, options: CallOptions<Body>): Promise<Result<Body>> {
    const { endpoint } = request;
    const schema = (options.schema ?? request.schema) as StandardSchemaV1<unknown, Body> | undefined;
    return this.send(request, options).then((reply) => this.#read(reply, endpoint, schema, options.signal));
  }

  /** Not async, because nearly all bodies are checked at once. */
  #read<Body>(
    reply: Reply,
    endpoint: string,
    schema: StandardSchemaV1<unknown, Body> | undefined,
    signal: AbortSignal | undefined,
  ): Result<Body> | Promise<Result<Body>> {
    const { redact, follow } = this.#core;
    const { status, quota, text, url } = reply;
    const data = parse(text);
    if (!isSuccess(status)) throw new ServiceError({ status, endpoint, url, body: data ?? text, quota });
    // The promise of a call that has waited is old when it gets its reply: with it the text would outlive collections of the young generation.
    reply.text = '';
    const response = new ReplyHead(reply, redact);
    if (!schema && isTextual(reply, text)) return { data: (text || undefined) as Body, quota, response };
    const resultOf = (checked: BodyCheck<Body>): Result<Body> => {
      if ('value' in checked) return { data: checked.value, quota, response };
      // A schema of the caller's own may quote the body, which is not redacted in a success.
      const issues = checked.issues.map(({ path, message }) => ({
        path: redact(path),
        message: redact(String(message)),
      }));
      throw new ResponseShapeError({ endpoint, url, status, quota, ...checked, issues });
    };
    if (data === undefined) return resultOf(noJson(redact(text)));
    const checked = schema ? validateBody(schema, data) : { value: data as Body };
    return checked instanceof Promise ? follow(untilAborted(() => checked.then(resultOf), signal)) : resultOf(checked);
  }
}

/** Whether a body is not to be read as JSON: there is none, or it is said to be plain text. */
function isTextual({ headers }: Reply, text: string): boolean {
  return text === '' || /^text\/plain\b/i.test(headers.get('content-type') ?? '');
}

/** The value that a text holds as JSON; undefined if it is none. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The issue of a body that is no JSON, such as an HTML page of a gateway, or half a body: no schema gets to see it. */
function noJson(text: string): { readonly issues: readonly ShapeIssue[] } {
  const said = oneLine(text);
  const given = said === '' ? 'nothing' : `what begins with ${quote(said)}`;
  return { issues: [{ path: '', message: `expected JSON, not ${given}` }] };
}
