import { bulk } from '../bulk/bulk.ts';
import {
  type AddressAssetsParams,
  type ApiRequest,
  addressAssetsRequest,
  headersRequest,
  infoRequest,
  urlOf,
} from '../endpoints/endpoints.ts';
import { type AddressAssets, validateBody } from '../endpoints/schemas.ts';
import { quote, ResponseShapeError, ServiceError, type ShapeIssue } from '../errors.ts';
import { createFetch } from '../fetch/fetch.ts';
import { withResponseReuse } from '../http/cache/cached-run.ts';
import type { BodyForm, Reply } from '../http/call.ts';
import { createKeyBreaker } from '../http/key-breaker.ts';
import { createTransport, type Outgoing } from '../http/transport.ts';
import {
  type CallOptions,
  type ClientOptions,
  checkCallOptions,
  latestFetch,
  readSettings,
  type Settings,
} from '../options/client-options.ts';
import { estimateCalls, toEstimate } from '../scheduler/estimate.ts';
import { Scheduler } from '../scheduler/scheduler.ts';
import { ownProperties } from '../validation/own-properties.ts';
import type { StandardSchemaV1 } from '../validation/standard-schema.ts';
import { walk } from '../walk/walk.ts';
import type { Client, HeadersResult, QuotaState, Result } from './client.ts';
import { toMonthState } from './month-state.ts';

/**
 * Makes a client of the service.
 *
 * @throws ConfigError if an option cannot be used.
 */
export function createClient(options: ClientOptions = {}): Client {
  const settings = readSettings(options);
  const { baseUrl, key, fetch, clock } = settings;
  const { origin } = new URL(baseUrl);
  const transport = createTransport({
    origin,
    key,
    // What is not the caller's own is looked up by the transport, which can tell it more.
    fetch: fetch === latestFetch ? undefined : fetch,
    keyBreaker: createKeyBreaker(clock),
  });
  const credential = async (): Promise<string> => `${origin}\0${(await key()) ?? ''}`;
  const { redact } = transport;
  const scheduler = new Scheduler({ ...settings, transport, credential });
  const run = withResponseReuse((call) => scheduler.run(call), { ...settings, redact });
  const fetchWith = createFetch({ ...settings, run, redact });

  const send = (
    request: ApiRequest<unknown>,
    options: CallOptions<unknown>,
    wants: BodyForm = 'text',
  ): Promise<Reply> =>
    run({
      request: new ApiOutgoing(baseUrl, request, options.headers),
      ask: {
        endpoint: request.endpoint,
        cost: options.cost,
        priority: options.priority ?? 0,
        maxWaitMs: options.maxWaitMs ?? settings.maxWaitMs,
      },
      signal: options.signal,
      label: options.label,
      timeoutMs: options.timeoutMs ?? settings.timeoutMs,
      wants,
      // Given a place at once, so that the object need not grow.
      trace: undefined,
    });

  // Not async: a call that waits holds what is needed to read its answer, and no frame.
  const ask = <Body>(request: ApiRequest<unknown>, options: CallOptions<Body>): Promise<Result<Body>> => {
    const { endpoint } = request;
    const schema = (options.schema ?? request.schema) as StandardSchemaV1<unknown, Body>;
    return send(request, options).then((reply) => read(reply, endpoint, schema));
  };

  const read = async <Body>(
    reply: Reply,
    endpoint: string,
    schema: StandardSchemaV1<unknown, Body>,
  ): Promise<Result<Body>> => {
    const data = parse(reply.text);
    const { status, quota } = reply;
    if (status < 200 || status > 299) throw new ServiceError({ status, endpoint, body: data ?? reply.text, quota });
    const checked = data === undefined ? noJson(redact(reply.text)) : await validateBody(schema, data);
    if (!('value' in checked)) {
      // A schema of the caller's own may quote what it was given, and a success is given as it came.
      const issues = checked.issues.map(({ path, message }) => ({
        path: redact(path),
        message: redact(String(message)),
      }));
      throw new ResponseShapeError({ endpoint, status, quota, ...checked, issues });
    }
    return { data: checked.value, quota };
  };

  const readHeaders = async (options: CallOptions<unknown>): Promise<HeadersResult> => {
    const head = await send(headersRequest(), options, 'none');
    const isRefused = head.status === 405 || head.status === 501;
    const { quota, status } = isRefused ? await send(infoRequest(), options, 'none') : head;
    return { quota, status };
  };

  async function getInfo<Body>(options: CallOptions<Body> & { readonly headersOnly?: boolean } = {}): Promise<unknown> {
    const { headersOnly, ...rest } = ownProperties(options);
    const checked = checkCallOptions(rest);
    return headersOnly ? readHeaders(checked) : ask(infoRequest(), checked);
  }

  function getAddressAssets<Body = AddressAssets>(
    address: string,
    options: AddressAssetsParams & CallOptions<Body> = {},
  ): Promise<Result<Body>> {
    try {
      const { limit, offset, unanchored, untilBlock, ...rest } = ownProperties(options);
      const request = addressAssetsRequest(address, { limit, offset, unanchored, untilBlock });
      return ask(request, checkCallOptions(rest));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  return {
    getInfo: getInfo as Client['getInfo'],
    getAddressAssets,
    fetch: fetchWith(),
    fetchWith,
    walkAddressAssets: (address, walkOptions) => walk(getAddressAssets, address, walkOptions),
    bulk: (items, call, bulkOptions = {}) =>
      bulk(items, call, bulkOptions, {
        clock: settings.clock,
        concurrency: settings.concurrency,
        // Whatever its priority, other work was there before what has not been asked for yet.
        estimate: (count, cost) =>
          toEstimate(scheduler.estimate({ count, cost }, Number.NEGATIVE_INFINITY), settings.clock),
        spent: () => scheduler.spent,
      }),
    estimate: (estimateOptions) => estimateCalls(scheduler, settings.clock, estimateOptions),
    quota: () => stateOf(scheduler, settings),
    get waiting() {
      return scheduler.waiting;
    },
    queue: (options) => scheduler.tracer.queue(options),
    month: () => toMonthState(scheduler.month(), settings.clock),
    subscribe: (hear) => scheduler.tracer.subscribe(hear),
    close: () => scheduler.close(),
    [Symbol.asyncDispose]: () => scheduler.close(),
  };
}

/** A request of the API. Its URL is made when it is sent, because very many may wait. */
class ApiOutgoing implements Outgoing {
  readonly method: string;
  readonly headers: Outgoing['headers'];
  readonly #baseUrl: string;
  readonly #path: string;
  readonly #query: string;
  #url: URL | undefined;

  constructor(baseUrl: string, { method, path, query }: ApiRequest<unknown>, headers: Outgoing['headers']) {
    this.method = method;
    this.headers = headers;
    this.#baseUrl = baseUrl;
    this.#path = path;
    this.#query = query;
  }

  get url(): URL {
    this.#url ??= urlOf(this.#baseUrl, { path: this.#path, query: this.#query });
    return this.#url;
  }
}

/** The value that a text holds as JSON; undefined if it is none. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A schema that takes anything must not take a page of a proxy, or half a body, for data. */
function noJson(text: string): { readonly issues: readonly ShapeIssue[] } {
  const said = text
    .slice(0, 2_000)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  const given = said === '' ? 'nothing' : `what begins with ${quote(said)}`;
  return { issues: [{ path: '', message: `expected JSON, not ${given}` }] };
}

function stateOf(scheduler: Scheduler, { clock }: Settings): QuotaState {
  const { windows, inFlight, held, cooldown } = scheduler.view();
  const until = cooldown && new Date(clock.wall() + cooldown.until - clock.now());
  return {
    windows,
    inFlight,
    held,
    waiting: scheduler.waiting,
    ...(cooldown && until ? { cooldown: { until, why: cooldown.why } } : {}),
  };
}
