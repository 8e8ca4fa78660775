import type { Bulk, BulkCall } from '../bulk/bulk.ts';
import type { BulkOptions } from '../bulk/options.ts';
import type { AddressAssets, Info } from '../endpoints/bodies.ts';
import type { AddressAssetsParams } from '../endpoints/endpoints.ts';
import type { EventListener } from '../events.ts';
import type { FetchOptions } from '../fetch/options.ts';
import type { CallOptions } from '../options/client-options.ts';
import type { WindowView } from '../quota/view.ts';
import type { Estimate, EstimateOptions } from '../scheduler/outlook/estimate.ts';
import type { QueuedCall, QueueOptions } from '../trace/queue-view.ts';
import type { PageItem, PaginateOptions, Pagination } from '../walk/paginate.ts';
import type { AddressAssetsWalk, WalkOptions } from '../walk/walk.ts';
import type { MonthState } from './month-state.ts';
import type { TypedClient } from './openapi.ts';
import type { BodyOptions, GetOptions, Method, PathArguments, PathParams, RequestOptions } from './requests.ts';
import type { HeadersResult, Result } from './result.ts';

/** {@link CallOptions} of a call that reads the headers alone. */
export interface HeadersOnlyOptions extends Omit<CallOptions<never>, 'schema'> {
  readonly headersOnly: true;
}

/** A window, with when it was seen and when it ends. Instants are by this machine's wall clock. */
export interface WindowState extends WindowView {
  /** When the request was sent whose response stated `remaining`. */
  readonly seenAt: Date;
  /** How well the end is known: named by the service or certain by the calendar, guessed, or unknown because the window may slide. */
  readonly end: 'known' | 'guessed' | 'unknown';
  /** Between when and when it resets; absent if the end is unknown. An interval, because clocks differ. */
  readonly resetsAt?: { readonly from: Date; readonly to: Date };
  /** The shapes that it may have, such as `aligned` or `sliding-log`; none for `endpoint`. */
  readonly shapes: readonly string[];
}

/** What {@link Client.close} did. */
export interface CloseReport {
  /** Calls that were rejected: those that waited, and those under way that failed and would have been retried. */
  readonly rejected: number;
}

/** The client's view of the quota now; no request is sent. */
export interface QuotaState {
  /** Every window that the service has reported, unless others were reported for ten minutes since without it (a second: for ten seconds, of the same endpoint). */
  readonly windows: readonly WindowState[];
  /** Requests under way. */
  readonly inFlight: number;
  /** Units held for requests that may not have arrived yet: those sent less than three seconds ago and not answered. */
  readonly held: number;
  /** Calls that wait to be sent. */
  readonly waiting: number;
  /** The pause that the service ordered, or the one of an outage, if one is in force; `why` says which. */
  readonly cooldown?: { readonly until: Date; readonly why: string };
  /** Present if the key is sent, but served as if there were none. See the event `key-ignored`. */
  readonly isKeyIgnored?: true;
  /** The pause that {@link Client.pause} began, if it is in force; without `until` it lasts until {@link Client.resume}. */
  readonly paused?: { readonly until?: Date };
}

/** A client of the service: every call goes through one queue and waits for its quota. */
export interface Client {
  /**
   * `GET` of any endpoint: queued, paced, retried and validated like every call.
   *
   * @example
   * ```ts
   * const { data, quota, response } = await client.get('/extended/v2/addresses/{address}/transactions', {
   *   params: { address: 'SP1J1A6PJ50NS54VWAVFGA9C4HS53NAQXZQ07P5TK' }, // encoded; each placeholder asks for its value
   *   query: { limit: 50 },
   *   // `schema`: any Standard Schema, such as one of zod; without one `data` is the JSON as it came, of unknown type
   * });
   * ```
   * @param path - below the base URL. Its placeholders name the endpoint, by which costs are learned.
   * @throws QuotaExhaustedError, ServiceError, ConnectionError, ResponseShapeError, ConfigError, ClosedError
   */
  get<Path extends string, Body = unknown>(
    path: Path,
    ...options: PathArguments<Path, GetOptions<Body>>
  ): Promise<Result<NoInfer<Body>>>;
  /**
   * A request with any method, to any endpoint: `client.request('POST', '/v2/fees/transaction', { json })`. Methods other than `GET`
   * and `HEAD` are sent again only after a refusal because of a limit, and not if they may have been executed (408, 5xx but 503). `data` is undefined where the response has no body.
   *
   * @example
   * ```ts
   * const { data } = await client.request('POST', '/v2/fees/transaction', { json: { transaction_payload: '0x00' } });
   * ```
   * @throws QuotaExhaustedError, ServiceError, ConnectionError, ResponseShapeError, ConfigError, ClosedError
   */
  request<Path extends string, Body = unknown, M extends Method = Method>(
    method: M,
    path: Path,
    ...options: PathArguments<Path, RequestOptions<Body> & BodyOptions<M>>
  ): Promise<Result<NoInfer<Body>>>;
  /**
   * All items of an endpoint with pages: `for await (const block of client.paginate('/extended/v2/blocks'))`. Pages go by cursor
   * where the service sends `next_cursor` or `cursor.next`, else by `limit` and `offset`.
   *
   * The loop throws what {@link Client.get} rejects with.
   *
   * @example
   * ```ts
   * for await (const block of client.paginate('/extended/v2/blocks')) console.log(block);
   * ```
   * @throws ConfigError if an argument cannot be used.
   */
  paginate<Path extends string, Page = unknown, Item = PageItem<Page>>(
    path: Path,
    // Not as below, where `key` would not know the items that `items` returns.
    options: PaginateOptions<Page, Item> & Pick<GetOptions, 'query'> & PathParams<Path>,
  ): Pagination<NoInfer<Item>>;
  /**
   * The same, where all options may be left out.
   *
   * @example
   * ```ts
   * for await (const block of client.paginate('/extended/v2/blocks')) console.log(block);
   * ```
   */
  paginate<Path extends string, Page = unknown, Item = PageItem<Page>>(
    path: Path,
    ...options: PathArguments<Path, PaginateOptions<Page, Item> & Pick<GetOptions, 'query'>>
  ): Pagination<NoInfer<Item>>;
  /**
   * This client, typed by OpenAPI: `client.typed<paths>()` has {@link Client.get}, {@link Client.request} and
   * {@link Client.paginate} with the paths, parameters and bodies of `paths`, a type that openapi-typescript generates, such as
   * that of `@stacks/blockchain-api-client`. Types alone: nothing is validated without a `schema`.
   *
   * @example
   * ```ts
   * const typed = client.typed<{ '/v2/info': { get: object } }>();
   * console.log(typeof typed.get);
   * ```
   */
  typed<Paths extends object>(): TypedClient<Paths>;
  /**
   * Reads the quota from the response headers alone, with `HEAD`, or `GET` where that is refused. Any status will do, also a 429. It goes
   * before other calls, and passes pauses of the service and full windows: one such request at a time, at least two seconds apart, and
   * up to a minute apart while they are refused. A refusal of one that passed a pause extends no pause; a success ends it.
   *
   * @throws ConnectionError, ConfigError, ClosedError
   *
   * @example
   * ```ts
   * const { quota, status } = await client.getInfo({ headersOnly: true });
   * console.log(status, quota.stacks.minute?.remaining);
   * ```
   */
  getInfo(options: HeadersOnlyOptions): Promise<HeadersResult>;
  /**
   * `GET /extended/v1/info`.
   *
   * @throws QuotaExhaustedError, ServiceError, ConnectionError, ResponseShapeError, ConfigError, ClosedError
   *
   * @example
   * ```ts
   * const { data } = await client.getInfo(); // ServiceError if the service has no such route
   * ```
   */
  getInfo<Body = Info>(options?: CallOptions<Body>): Promise<Result<NoInfer<Body>>>;
  /**
   * `GET /extended/v1/address/<address>/assets`: the asset events of an account or a contract.
   *
   * @param address - a standard or contract principal; checked, with its checksum, before anything is sent.
   * @throws QuotaExhaustedError, ServiceError, ConnectionError, ResponseShapeError, ConfigError, ClosedError
   *
   * @example
   * ```ts
   * const { data } = await client.getAddressAssets(address, { limit: 50, priority: 10, maxWaitMs: 2_000 });
   * for (const event of data.results) console.log(event.tx_id, event.event_type);
   * ```
   */
  getAddressAssets<Body = AddressAssets>(
    address: string,
    options?: AddressAssetsParams & CallOptions<Body>,
  ): Promise<Result<NoInfer<Body>>>;
  /**
   * Has the signature of the global `fetch`, to be passed to other clients of the service: their requests are queued, paced,
   * carry the key and are retried like every call. It needs no `this`.
   *
   * A path is below the base URL; a URL that is not is a ConfigError (see {@link FetchOptions.elsewhere}), and so is a key
   * among the headers. Answers of any status are a `Response`, the last of several refusals too; its body comes as it is
   * read. Other methods than GET and HEAD are sent again only after a refusal because of a limit, and not if they may
   * have been executed (408, 5xx but 503).
   *
   * @throws QuotaExhaustedError, ConnectionError, ConfigError, ClosedError, or the reason of `init.signal`. The body of an
   * answer fails with ConnectionError or that reason.
   *
   * @example
   * ```ts
   * const response = await client.fetch('/v2/info');
   * const { burn_block_height } = await response.json();
   * ```
   */
  readonly fetch: typeof globalThis.fetch;
  /**
   * A {@link Client.fetch} with options: for bulk work, say, one with a lower priority.
   *
   * @throws ConfigError if an option cannot be used.
   *
   * @example
   * ```ts
   * const patient = client.fetchWith({ priority: -1, maxWaitMs: Infinity, timeoutMs: 10_000 });
   * const response = await patient('/v2/info');
   * ```
   */
  fetchWith(options: FetchOptions): typeof globalThis.fetch;
  /**
   * All asset events of an account or a contract, from the latest to the first: `for await (const event of …)`. Each event
   * comes once, although offsets shift while the walk goes on, and a walk can be taken up again from its checkpoint.
   *
   * The loop throws what {@link Client.getAddressAssets} rejects with.
   *
   * @throws ConfigError if the address or an option cannot be used.
   *
   * @example
   * ```ts
   * for await (const event of client.walkAddressAssets(address)) console.log(event.tx_id);
   * ```
   */
  walkAddressAssets(address: string, options?: WalkOptions): AddressAssetsWalk;
  /**
   * Runs a call for many items in constant memory: takes items from an iterable or an async iterable as the quota allows, and
   * yields each outcome. A failed item yields a rejected outcome; only fatal errors stop the run.
   *
   * @param call - what to do with an item: `(address, { signal }) => client.getAddressAssets(address, { signal })`.
   * @throws ConfigError if an argument cannot be used.
   *
   * @example
   * ```ts
   * const bulk = client.bulk([address], (item, { signal }) => client.getAddressAssets(item, { signal }));
   * for await (const outcome of bulk) {
   *   if (outcome.status === 'fulfilled') console.log(outcome.item, outcome.value.data.total);
   * }
   * ```
   */
  bulk<Item, Value>(
    items: Iterable<Item> | AsyncIterable<Item>,
    call: BulkCall<Item, Value>,
    options?: BulkOptions,
  ): Bulk<Item, Value>;
  /**
   * When calls would finish if they were made now, and which window limits them; no request is sent.
   *
   * @example
   * ```ts
   * const { finishesAt, window } = client.estimate({ count: 10_000 });
   * console.log(`at ${finishesAt?.toISOString()}; the ${window} binds`);
   * ```
   */
  estimate(options?: EstimateOptions): Estimate;
  /**
   * The client's view of the quota now; no request is sent.
   *
   * @example
   * ```ts
   * for (const { window, headroom, limit } of client.quota().windows) console.log(window, Math.floor(headroom), limit);
   * ```
   */
  quota(): QuotaState;
  /** Calls that wait to be sent. */
  readonly waiting: number;
  /**
   * Why calls wait: for which window, until when, and at which place in the queue. Those that go first come first.
   *
   * @throws ConfigError if an option cannot be used.
   *
   * @example
   * ```ts
   * for (const { label, place, why } of client.queue({ limit: 10 })) console.log(place, label, why);
   * ```
   */
  queue(options?: QueueOptions): readonly QueuedCall[];
  /**
   * The month: units remaining, their pace, and when they run out at that pace; undefined if no answer has named a month.
   *
   * @example
   * ```ts
   * const month = client.month();
   * if (month?.runsOutAt) console.warn(`At ${month.perDay} units a day it runs out at ${month.runsOutAt.toISOString()}`);
   * ```
   */
  month(): MonthState | undefined;
  /**
   * Calls `listener` with every event from now on, in addition to {@link ClientOptions.onEvent}.
   *
   * @returns a function that unsubscribes it.
   *
   * @example
   * ```ts
   * const stop = client.subscribe((event) => {
   *   if (event.type === 'limited') console.warn(`refused: ${event.endpoint}`);
   * });
   * stop();
   * ```
   */
  subscribe(listener: EventListener): () => void;
  /** Maximum number of requests in flight; may be changed at any time. @throws ConfigError if it is set to no whole number, 1 or more. */
  concurrency: number;
  /**
   * Sends nothing for a time in milliseconds, until a date or, without an argument, until {@link Client.resume}. Requests under way come
   * back. Calls wait; in a pause with an end one whose `maxWaitMs` is shorter fails with QuotaExhaustedError.
   *
   * @example
   * ```ts
   * client.pause(60_000); // for a minute; without an argument until `resume()`
   * ```
   * @throws ConfigError if the argument is neither milliseconds, 0 or more, nor a Date.
   */
  pause(until?: number | Date): void;
  /**
   * Ends the pause that {@link Client.pause} began.
   *
   * @example
   * ```ts
   * client.resume();
   * ```
   */
  resume(): void;
  /**
   * Resolves when no call waits or is under way; at once if there is none.
   *
   * @example
   * ```ts
   * await client.idle();
   * ```
   */
  idle(): Promise<void>;
  /**
   * Accepts no more calls, lets those under way come back, and gives back the share of the quota. Calls that wait are rejected with
   * ClosedError; with `drain: true` they are sent first, as the quota allows.
   *
   * @example
   * ```ts
   * process.once('SIGTERM', () => client.close());
   * ```
   * @throws ConfigError if an option cannot be used; nothing is closed then.
   */
  close(options?: { readonly drain?: boolean | undefined }): Promise<CloseReport>;
  /** The same as {@link Client.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A {@link Client} without the calls that have types of their own: everything goes through `fetch`. */
export type FetchClient = Omit<
  Client,
  'get' | 'request' | 'paginate' | 'typed' | 'getInfo' | 'getAddressAssets' | 'walkAddressAssets'
>;
