import { type AddressAssets, type Info, type StandardSchemaV1, validateBody } from './bodies.ts';
import {
  type AddressAssetsParams,
  type ApiRequest,
  addressAssetsRequest,
  headersRequest,
  infoRequest,
  urlOf,
} from './endpoints.ts';
import { ResponseShapeError, ServiceError } from './errors.ts';
import { type CallOptions, type ClientOptions, checkCallOptions, readSettings, type Settings } from './options.ts';
import type { QuotaSnapshot } from './quota/snapshot.ts';
import type { WindowView } from './quota/view.ts';
import { type Reply, Scheduler } from './scheduler.ts';
import { createTransport } from './transport.ts';

/** An answer: its body, and what its headers said of the quota. */
export interface Result<Data> {
  readonly data: Data;
  readonly quota: QuotaSnapshot;
}

/** An answer of which only the headers were read. */
export interface HeadersResult {
  readonly quota: QuotaSnapshot;
  /** The HTTP status. Reading the quota works on any, a 404 included. */
  readonly status: number;
}

/** {@link CallOptions} of a call that reads the headers alone. */
export interface HeadersOnlyOptions extends Omit<CallOptions<never>, 'schema'> {
  readonly headersOnly: true;
}

/** What is known of the quota now, without asking the service. */
export interface QuotaState {
  /** Every window that the service has reported so far. */
  readonly windows: readonly WindowView[];
  /** Requests under way. */
  readonly inFlight: number;
  /** Units held for requests whose answer is still out. */
  readonly held: number;
  /** Calls that wait to be sent. */
  readonly waiting: number;
  /** The pause that the service ordered, if one is in force. */
  readonly cooldown?: { readonly until: Date; readonly why: string };
}

/** A client of the service: every call goes through one line and waits for its quota. */
export interface Client {
  /** Reads the quota from the response headers alone, with `HEAD`, or `GET` where that is refused (section 4). Any status will do. */
  getInfo(options: HeadersOnlyOptions): Promise<HeadersResult>;
  /**
   * `GET /extended/v1/info` (section 4).
   *
   * @throws QuotaExhaustedError, ServiceError, ConnectionError, ResponseShapeError, ConfigError, ClosedError
   */
  getInfo<Body = Info>(options?: CallOptions<Body>): Promise<Result<Body>>;
  /**
   * `GET /extended/v1/address/<address>/assets` (section 4): the asset events of an account or a contract.
   *
   * @param address - a standard or contract principal; checked, with its checksum, before anything is spent.
   * @throws QuotaExhaustedError, ServiceError, ConnectionError, ResponseShapeError, ConfigError, ClosedError
   */
  getAddressAssets<Body = AddressAssets>(
    address: string,
    options?: AddressAssetsParams & CallOptions<Body>,
  ): Promise<Result<Body>>;
  /** What is known of the quota now, without asking the service. */
  quota(): QuotaState;
  /** Calls that wait to be sent. */
  readonly waiting: number;
  /** Rejects the calls that wait with ClosedError, lets those under way come back, and gives back the share of the quota. */
  close(): Promise<void>;
  /** The same as {@link Client.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Makes a client of the service.
 *
 * @throws ConfigError if an option cannot be used.
 */
export function createClient(options: ClientOptions = {}): Client {
  const settings = readSettings(options);
  const { baseUrl, key, fetch } = settings;
  const { origin } = new URL(baseUrl);
  const transport = createTransport({ origin, key, fetch });
  const credential = async (): Promise<string> => `${origin}\0${(await key()) ?? ''}`;
  const scheduler = new Scheduler({ ...settings, transport, credential });

  const send = (request: ApiRequest<unknown>, options: CallOptions<unknown>, wantsBody = true): Promise<Reply> =>
    scheduler.run({
      request: { method: request.method, url: urlOf(baseUrl, request), headers: options.headers },
      ask: {
        endpoint: request.endpoint,
        cost: options.cost,
        priority: options.priority ?? 0,
        maxWaitMs: options.maxWaitMs ?? settings.maxWaitMs,
      },
      priority: options.priority ?? 0,
      signal: options.signal,
      timeoutMs: options.timeoutMs ?? settings.timeoutMs,
      wantsBody,
    });

  const ask = async <Body>(request: ApiRequest<unknown>, options: CallOptions<Body>): Promise<Result<Body>> => {
    const reply = await send(request, options);
    const data = parse(reply.text);
    const { status, quota } = reply;
    const { endpoint } = request;
    if (status < 200 || status > 299) throw new ServiceError({ status, endpoint, body: data ?? reply.text, quota });
    const schema = (options.schema ?? request.schema) as StandardSchemaV1<unknown, Body>;
    const checked = await validateBody(schema, data);
    if (!('value' in checked)) throw new ResponseShapeError({ endpoint, status, quota, issues: checked.issues });
    return { data: checked.value, quota };
  };

  const readHeaders = async (options: CallOptions<unknown>): Promise<HeadersResult> => {
    const head = await send(headersRequest(), options, false);
    const isRefused = head.status === 405 || head.status === 501;
    const { quota, status } = isRefused ? await send(infoRequest(), options, false) : head;
    return { quota, status };
  };

  async function getInfo<Body>(options: CallOptions<Body> & { readonly headersOnly?: boolean } = {}): Promise<unknown> {
    const { headersOnly, ...rest } = options;
    const checked = checkCallOptions(rest);
    return headersOnly ? readHeaders(checked) : ask(infoRequest(), checked);
  }

  return {
    getInfo: getInfo as Client['getInfo'],
    async getAddressAssets<Body>(
      address: string,
      options: AddressAssetsParams & CallOptions<Body> = {},
    ): Promise<Result<Body>> {
      const { limit, offset, unanchored, untilBlock, ...rest } = options;
      const request = addressAssetsRequest(address, { limit, offset, unanchored, untilBlock });
      return ask(request, checkCallOptions(rest));
    },
    quota: () => stateOf(scheduler, settings),
    get waiting() {
      return scheduler.waiting;
    },
    close: () => scheduler.close(),
    [Symbol.asyncDispose]: () => scheduler.close(),
  };
}

/** The value that a text holds as JSON; undefined if it is none. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
