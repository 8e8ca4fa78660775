import type { Bulk, BulkCall } from '../bulk/bulk.ts';
import type { BulkOptions } from '../bulk/options.ts';
import type { AddressAssetsParams } from '../endpoints/endpoints.ts';
import type { AddressAssets, Info } from '../endpoints/schemas.ts';
import type { EventListener } from '../events.ts';
import type { FetchOptions } from '../fetch/options.ts';
import type { CallOptions } from '../options/client-options.ts';
import type { QuotaSnapshot } from '../quota/headers/snapshot.ts';
import type { WindowView } from '../quota/view.ts';
import type { Estimate, EstimateOptions } from '../scheduler/estimate.ts';
import type { QueuedCall, QueueOptions } from '../trace/queue-view.ts';
import type { AddressAssetsWalk, WalkOptions } from '../walk/walk.ts';
import type { MonthState } from './month-state.ts';

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

/** The client's view of the quota now; no request is sent. */
export interface QuotaState {
  /** Every window that the service has reported so far. */
  readonly windows: readonly WindowView[];
  /** Requests under way. */
  readonly inFlight: number;
  /** Units held for requests that may not have arrived yet: those sent less than three seconds ago and not answered. */
  readonly held: number;
  /** Calls that wait to be sent. */
  readonly waiting: number;
  /** The pause that the service ordered, if one is in force. */
  readonly cooldown?: { readonly until: Date; readonly why: string };
}

/** A client of the service: every call goes through one queue and waits for its quota. */
export interface Client {
  /** Reads the quota from the response headers alone, with `HEAD`, or `GET` where that is refused. Any status will do. */
  getInfo(options: HeadersOnlyOptions): Promise<HeadersResult>;
  /**
   * `GET /extended/v1/info`.
   *
   * @throws QuotaExhaustedError, ServiceError, ConnectionError, ResponseShapeError, ConfigError, ClosedError
   */
  getInfo<Body = Info>(options?: CallOptions<Body>): Promise<Result<Body>>;
  /**
   * `GET /extended/v1/address/<address>/assets`: the asset events of an account or a contract.
   *
   * @param address - a standard or contract principal; checked, with its checksum, before anything is spent.
   * @throws QuotaExhaustedError, ServiceError, ConnectionError, ResponseShapeError, ConfigError, ClosedError
   */
  getAddressAssets<Body = AddressAssets>(
    address: string,
    options?: AddressAssetsParams & CallOptions<Body>,
  ): Promise<Result<Body>>;
  /**
   * Has the signature of the global `fetch`, to be passed to other clients of the service: their requests are queued, paced,
   * carry the key and are retried like every call. It needs no `this`.
   *
   * A path is below the base URL; a URL that is not is a ConfigError (see {@link FetchOptions.elsewhere}), and so is a key
   * among the headers. Answers of any status are a `Response`, the last of several refusals too; its body comes as it is
   * read. Other methods than GET and HEAD are sent again only after a refusal because of a limit.
   *
   * @throws QuotaExhaustedError, ConnectionError, ConfigError, ClosedError, or the reason of `init.signal`. The body of an
   * answer fails with ConnectionError or that reason.
   */
  readonly fetch: typeof globalThis.fetch;
  /**
   * A {@link Client.fetch} with options: for bulk work, say, one with a lower priority.
   *
   * @throws ConfigError if an option cannot be used.
   */
  fetchWith(options: FetchOptions): typeof globalThis.fetch;
  /**
   * All asset events of an account or a contract, from the latest to the first: `for await (const event of …)`. Each event
   * comes once, although offsets shift while the walk goes on, and a walk can be taken up again from its checkpoint.
   *
   * The loop throws what {@link Client.getAddressAssets} rejects with.
   *
   * @throws ConfigError if the address or an option cannot be used.
   */
  walkAddressAssets(address: string, options?: WalkOptions): AddressAssetsWalk;
  /**
   * Runs a call for many items in constant memory: takes items from an iterable or an async iterable as the quota allows, and
   * yields each outcome. A failed item yields a rejected outcome; only fatal errors stop the run.
   *
   * @param call - what to do with an item: `(address, { signal }) => client.getAddressAssets(address, { signal })`.
   * @throws ConfigError if an argument cannot be used.
   */
  bulk<Item, Value>(
    items: Iterable<Item> | AsyncIterable<Item>,
    call: BulkCall<Item, Value>,
    options?: BulkOptions,
  ): Bulk<Item, Value>;
  /** When calls would finish if they were made now, and which window limits them; no request is sent. */
  estimate(options?: EstimateOptions): Estimate;
  /** The client's view of the quota now; no request is sent. */
  quota(): QuotaState;
  /** Calls that wait to be sent. */
  readonly waiting: number;
  /**
   * Why calls wait: for which window, until when, and at which place in the queue. Those that go first come first.
   *
   * @throws ConfigError if an option cannot be used.
   */
  queue(options?: QueueOptions): readonly QueuedCall[];
  /** The month: units remaining, their pace, and when they run out at that pace; undefined if no answer has named a month. */
  month(): MonthState | undefined;
  /**
   * Calls `hear` with every event from now on, in addition to {@link ClientOptions.onEvent}.
   *
   * @returns a function that unsubscribes it.
   */
  subscribe(hear: EventListener): () => void;
  /** Rejects the calls that wait with ClosedError, lets those under way come back, and gives back the share of the quota. */
  close(): Promise<void>;
  /** The same as {@link Client.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
