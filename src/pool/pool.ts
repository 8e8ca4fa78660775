import { bulk } from '../bulk/bulk.ts';
import type { BulkDependencies } from '../bulk/progress.ts';
import { copiedBody } from '../client/api-request.ts';
import type { Client, CloseReport, QuotaState } from '../client/client.ts';
import { readCloseOptions } from '../client/core.ts';
import { pagesBy } from '../client/pages.ts';
import type { GetOptions, Method, PathArguments, RequestOptions } from '../client/requests.ts';
import type { Result } from '../client/result.ts';
import { type Clock, systemClock } from '../clock.ts';
import { ClosedError, ConfigError, isKeyRefusal } from '../errors.ts';
import { isRequest, signalOf } from '../fetch/request.ts';
import { isOfClient } from '../fetch/response.ts';
import { isPaced } from '../http/transport.ts';
import { OpenCalls } from '../scheduler/open-calls.ts';
import { estimateIn, UNKNOWN } from '../scheduler/outlook/estimate.ts';
import { signal as checkSignal, isRecord } from '../validation/arguments.ts';
import { ownProperties } from '../validation/own-properties.ts';
import { walk } from '../walk/walk.ts';
import { HandOver, type PooledCall } from './hand-over.ts';
import { Member, type PoolMember } from './member.ts';

/** Several clients, each with a key of its own, behind the calls of one. */
export interface Pool
  extends Pick<
    Client,
    | 'get'
    | 'request'
    | 'paginate'
    | 'getInfo'
    | 'getAddressAssets'
    | 'walkAddressAssets'
    | 'fetch'
    | 'fetchWith'
    | 'bulk'
  > {
  /** The clients, in the order given. */
  readonly clients: readonly Client[];
  /** What each client knows of its quota, in the order given; no request is sent. */
  quota(): readonly QuotaState[];
  /** Calls that wait to be sent. */
  readonly waiting: number;
  /** Resolves when no call of any client waits or is under way. */
  idle(): Promise<void>;
  /** Closes all clients. See {@link Client.close}. */
  close(options?: { readonly drain?: boolean | undefined }): Promise<CloseReport>;
  /** The same as {@link Pool.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Makes one of several clients, each with a key of its own: each call goes by the client that can send it first, by its own estimate, and by
 * another if that can send it sooner while it waits. What a client refuses without having served it, because its quota is exhausted or its
 * key is refused, goes by another.
 *
 * @throws ConfigError if it is given no clients, one twice, or one that would take no call.
 *
 * @example
 * ```ts
 * const pool = createPool([createClient({ apiKey: 'a-key' }), createClient({ apiKey: 'b-key' })]);
 * const { data } = await pool.getAddressAssets('SP3HXJJMJQ06GNAZ8XWDN1QM48JEDC6PP6W3YZPZJ');
 * await pool.close();
 * ```
 */
export function createPool(clients: readonly (Client | PoolMember)[]): Pool {
  if (!Array.isArray(clients) || clients.length === 0)
    throw new ConfigError('clients', 'must be a list of one or more clients');
  const members = clients.map((one) => new Member(one));
  if (new Set(members.map(({ client, access }) => access?.credential() ?? client)).size < members.length)
    throw new ConfigError('clients', 'must not hold a client, or its key, twice: the quota would count twice');
  const open = new OpenCalls();
  const clock = members.find(({ access }) => access)?.access?.bulk.clock ?? systemClock;
  const handOver = new HandOver(members, clock, open);
  let isClosed = false;
  /** Calls that waited for a first answer when the clients were closed. */
  let turnedAway = 0;
  const hand = <T>(call: PooledCall<T>): Promise<T> =>
    isClosed ? Promise.reject(new ClosedError()) : open.follow(handOver.send(call));
  const close: Pool['close'] = async (options) => {
    if (readCloseOptions(options).drain) {
      isClosed = true;
      // A paused client would end its pause only when it is closed.
      for (const { client } of members) client.resume();
      // Calls that wait for a first answer are known to no client yet.
      await open.none();
    }
    turnedAway = Math.max(turnedAway, open.announced);
    const reports = await Promise.all(members.map(({ client }) => client.close(options)));
    return { rejected: reports.reduce((sum, { rejected }) => sum + rejected, turnedAway) };
  };

  return {
    ...callsBy(hand, members),
    bulk: (items, call, options = {}) => bulk(items, call, options, together(members, clock)),
    clients: members.map(({ client }) => client),
    quota: () => members.map(({ client }) => client.quota()),
    get waiting() {
      return members.reduce((sum, { client }) => sum + client.waiting, open.announced);
    },
    async idle() {
      await open.none();
      await Promise.all(members.map(({ client }) => client.idle()));
    },
    close,
    [Symbol.asyncDispose]: async () => void (await close()),
  };
}

/** Hands a call to a client. */
type Hand = <T>(call: PooledCall<T>) => Promise<T>;

/** The calls of a pool, each of which is handed to a client. */
function callsBy(
  hand: Hand,
  members: readonly Member[],
): Omit<Pool, 'bulk' | 'clients' | 'quota' | 'waiting' | 'idle' | 'close' | typeof Symbol.asyncDispose> {
  const handAs = async <Options, T>(
    endpoint: string,
    options: Options,
    call: (client: Client, options: Options) => Promise<T>,
  ): Promise<T> => {
    const own = copied(options);
    return hand({
      ...planOf(options as PlanOptions, endpoint),
      make: (client, signal, maxQueueMs) => call(client, withTerms(own, { signal, maxQueueMs })),
    });
  };
  const getAddressAssets: Client['getAddressAssets'] = (address, given) =>
    handAs('GET /extended/v1/address/{address}/assets', given, (client, options) =>
      client.getAddressAssets(address, options),
    );
  const fetchWith = fetchesBy(hand, members);
  const get: Client['get'] = <Path extends string, Body>(
    path: Path,
    ...given: PathArguments<Path, GetOptions<Body>>
  ): Promise<Result<Body>> =>
    handAs(`GET ${String(path)}`, given[0], (client, ...options) =>
      client.get<Path, Body>(path, ...(options as typeof given)),
    );

  return {
    get,
    paginate: pagesBy((path, options) => get(path, options)),
    request: <Path extends string, Body>(
      method: Method,
      path: Path,
      ...given: PathArguments<Path, RequestOptions<Body>>
    ): Promise<Result<Body>> =>
      handAs(`${String(method)} ${String(path)}`, given[0], (client, ...options) =>
        client.request<Path, Body>(method, path, ...(options as typeof given)),
      ),
    getInfo: ((given: Parameters<Client['getInfo']>[0]) =>
      handAs<typeof given, unknown>('GET /extended/v1/info', given, (client, options) =>
        client.getInfo(options),
      )) as Client['getInfo'],
    getAddressAssets,
    walkAddressAssets: (address, options) => walk(getAddressAssets, address, options),
    fetch: fetchWith({}),
    fetchWith,
  };
}

/** `client.fetchWith` of a pool. */
function fetchesBy(hand: Hand, members: readonly Member[]): Client['fetchWith'] {
  return (options = {}) => {
    const fetches = new Map(members.map(({ client }) => [client, client.fetchWith(options)]));
    const [first] = fetches.values();
    return async (input, init) => {
      if (first && isPaced(input, init)) return first(input, init);
      // A Request in place of `init` cannot be copied, nor can a stream or a generator be read again.
      const isRead = isRequest(init) || Symbol.asyncIterator in Object(init?.body);
      const isOneShot = options.streamBody === true || isRead;
      const place = input instanceof URL ? input.href : input;
      const own = isRequest(init) ? init : copied(init ?? undefined);
      const make = async (client: Client, signal?: AbortSignal, maxQueueMs?: number): Promise<Response> => {
        // A Request gives its body once.
        const copy = isRequest(place) && !isOneShot ? (place.clone?.() ?? place) : place;
        const known = maxQueueMs === undefined ? fetches.get(client) : undefined;
        const fetch = known ?? client.fetchWith(withTerms(options, { maxQueueMs }));
        const response = await fetch(copy, withTerms(own, { signal }));
        if (isKeyRefusal(response.status) && isOfClient(response)) throw response;
        return response;
      };
      try {
        const method = init?.method ?? (input as Partial<Request> | null)?.method ?? 'GET';
        return await hand({ ...planOf(options), method, signal: signalOf(input, init), isOneShot, make });
      } catch (error) {
        if (error instanceof Response) return error;
        throw error;
      }
    };
  };
}

/** The options of which an estimate is made. */
interface PlanOptions {
  readonly priority?: number | undefined;
  readonly cost?: number | undefined;
  readonly maxQueueMs?: number | undefined;
  readonly signal?: unknown;
}

/**
 * What the choice of a client depends on. A call with options that are none is refused by its client.
 *
 * @throws ConfigError if `signal` is no signal: its client would not see that, because it may get another one in its place.
 */
function planOf(options: PlanOptions | undefined, endpoint?: string): Omit<PooledCall<unknown>, 'make' | 'isOneShot'> {
  const { priority, cost, maxQueueMs, signal } = ownProperties(options ?? {});
  return {
    endpoint,
    signal: checkSignal(signal, 'signal'),
    priority: Number.isFinite(priority) ? priority : 0,
    cost: Number.isFinite(cost) && Number(cost) >= 0 ? cost : undefined,
    maxQueueMs: typeof maxQueueMs === 'number' && maxQueueMs >= 0 ? maxQueueMs : undefined,
  };
}

/** Options as they are now: their caller may change them, for another call, while this one waits for a client. */
function copied<T>(options: T): T {
  if (!isRecord(options)) return options;
  const { json, body, ...rest } = ownProperties(options as Record<string, unknown>);
  const own = ownProperties(rest);
  for (const name of ['headers', 'params', 'query']) if (isRecord(own[name])) own[name] = { ...(own[name] as object) };
  if (own.headers instanceof Headers) own.headers = new Headers(own.headers);
  if (body !== undefined) own.body = copiedBody(body) ?? body;
  if (json !== undefined) own.json = copiedJson(json);
  return { ...own } as T;
}

/** A value as JSON has it; as it is, if it is none that JSON can hold: the client says so. */
function copiedJson(json: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(json));
  } catch {
    return json;
  }
}

/** Options with those terms in place of their own that are given. What is no options stays as it is: its client says so. */
function withTerms<T>(
  options: T,
  terms: { readonly signal?: AbortSignal | undefined; readonly maxQueueMs?: number | undefined },
): T {
  const given = Object.entries(terms).filter(([, value]) => value !== undefined);
  const isOptions = options === undefined || isRecord(options);
  return given.length > 0 && isOptions ? { ...options, ...Object.fromEntries(given) } : options;
}

/** What a bulk has to know of several clients: what they do together. */
function together(members: readonly Member[], clock: Clock): BulkDependencies {
  const each = members.flatMap(({ access }) => access?.bulk ?? []);
  const sumOf = (numberOf: (one: BulkDependencies) => number): number =>
    each.reduce((sum, one) => sum + numberOf(one), 0);
  return {
    clock,
    concurrency: members.reduce((sum, { client }) => sum + client.concurrency, 0),
    estimate: (count, cost) => {
      const alone = each.map(({ estimate }) => estimate(count, cost)).filter(({ ms }) => ms !== undefined);
      const [first] = alone;
      if (!first) return UNKNOWN;
      // Each makes the part that its own pace allows.
      const pace = alone.reduce((sum, one) => sum + 1 / Number(one.ms), 0);
      return estimateIn(1 / pace, first.window, clock);
    },
    spent: () => ({ requests: sumOf(({ spent }) => spent().requests), units: sumOf(({ spent }) => spent().units) }),
  };
}
