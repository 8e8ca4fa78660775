import { type AddressAssetsParams, addressAssetsRequest } from '../endpoints/endpoints.ts';
import type { AddressAssets, AssetEvent } from '../endpoints/schemas.ts';
import { ConfigError, quote } from '../errors.ts';
import { type CallOptions, checkCallOptions } from '../options/client-options.ts';
import type { QuotaSnapshot } from '../quota/headers/snapshot.ts';
import { argument, optionsParser } from '../validation/arguments.ts';
import { ownProperties } from '../validation/own-properties.ts';
import { type NewEvent, type WalkCheckpoint, WalkCursor } from './cursor.ts';

/** The most that the service puts on a page: the fewest requests. */
const LARGEST_PAGE = 100;

/** Options of a walk: those of its calls, and where to begin. */
export interface WalkOptions extends Omit<AddressAssetsParams, 'offset'>, Omit<CallOptions<never>, 'schema'> {
  /** How many events to ask for at a time: 2 to 100. One of them is always the last of the page before. Default: 100. */
  readonly limit?: number | undefined;
  /** Where to go on: the checkpoint of a walk through the same events. Default: the latest event. */
  readonly from?: WalkCheckpoint | undefined;
}

/** The events of one page that were not seen before. */
export interface WalkPage {
  readonly events: readonly AssetEvent[];
  /** How many events there are, as this page says; 0 on a page past the end. */
  readonly total: number;
  readonly quota: QuotaSnapshot;
}

/**
 * A walk through the asset events of an account or a contract, from the latest to the first.
 *
 * Every event that was there when the walk began, and still is, comes once, though offsets shift meanwhile: what is new is
 * not taken for what follows, and where a reorganisation of the chain takes events away the walk steps back. A page is asked
 * for when its first event is needed and not before, because an unread page costs quota all the same.
 *
 * A walk has one place: a loop that was left goes on where it was left, in a second loop.
 */
export interface AddressAssetsWalk extends AsyncIterable<AssetEvent> {
  /** Event by event. */
  [Symbol.asyncIterator](): AsyncGenerator<AssetEvent, void, void>;
  /** The same, page by page. */
  pages(): AsyncGenerator<WalkPage, void, void>;
  /** Where the walk is: behind the event, or the page, that came last. Take it when you have dealt with that. */
  readonly checkpoint: WalkCheckpoint;
}

/** Fetches the pages. */
export type PageSource = (
  address: string,
  options: AddressAssetsParams & CallOptions<AddressAssets>,
) => Promise<{ readonly data: AddressAssets; readonly quota: QuotaSnapshot }>;

const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

const checkpointFields = optionsParser('fields of a checkpoint', {
  address: argument<string>((value) => typeof value === 'string', 'an address'),
  offset: argument<number>(isWhole, 'a whole number, 0 or more'),
  total: argument<number>(isWhole, 'a whole number, 0 or more'),
  recentKeys: argument<readonly string[]>(
    (value) => Array.isArray(value) && value.every((key) => typeof key === 'string'),
    'a list of texts',
  ),
  isOver: argument<boolean>((value) => typeof value === 'boolean', 'true or false'),
});

/**
 * Begins a walk; nothing is asked yet.
 *
 * @throws ConfigError if the address or an option cannot be used.
 */
export function walk(getPage: PageSource, address: string, options: WalkOptions = {}): AddressAssetsWalk {
  const own: WalkOptions & { readonly offset?: unknown; readonly schema?: unknown } = ownProperties(options);
  const { from, limit = LARGEST_PAGE, unanchored, untilBlock, offset, schema, ...rest } = own;
  if (offset !== undefined) throw new ConfigError('offset', 'cannot be given: pass a checkpoint as from instead');
  if (schema !== undefined) throw new ConfigError('schema', 'cannot be given: a walk needs the fields of the events');
  if (limit < 2) throw new ConfigError('limit', 'must be 2 or more: a walk reads the last event again on each page');
  const params = { limit, unanchored, untilBlock };
  addressAssetsRequest(address, params);
  const callOptions = checkCallOptions<AddressAssets>(rest);
  const cursor = new WalkCursor(from === undefined ? BEGINNING : checked(from, address));

  /** The next events that were not seen before, if any are left. */
  const next = async (): Promise<
    (WalkPage & { readonly found: readonly NewEvent[]; readonly isLast: boolean }) | undefined
  > => {
    while (!cursor.isOver) {
      const offset = cursor.nextOffset;
      const { data, quota } = await getPage(address, { ...callOptions, ...params, offset });
      const { results, total } = data;
      // The service may give less at a time than it was asked for.
      const most = data.limit > 0 ? Math.min(limit, data.limit) : limit;
      const found = cursor.accept({ offset, limit: most, total, results });
      if (!found) continue;
      const isLast = results.length < most;
      if (found.length > 0) return { events: found.map(({ event }) => event), total, quota, found, isLast };
      cursor.isOver = isLast;
    }
    return undefined;
  };

  return {
    async *[Symbol.asyncIterator]() {
      for (let page = await next(); page; page = await next()) {
        for (const [index, one] of page.found.entries()) {
          callOptions.signal?.throwIfAborted();
          cursor.advance(one);
          cursor.isOver = page.isLast && index === page.found.length - 1;
          yield one.event;
        }
      }
    },
    async *pages() {
      for (let page = await next(); page; page = await next()) {
        const { found, isLast, ...shown } = page;
        for (const one of found) cursor.advance(one);
        cursor.isOver = isLast;
        yield shown;
      }
    },
    get checkpoint() {
      return { address, ...cursor.checkpoint };
    },
  };
}

const BEGINNING = { offset: 0, total: 0, recentKeys: [], isOver: false };

function checked(from: WalkCheckpoint, address: string): WalkCheckpoint {
  const { offset, total, recentKeys, isOver, ...rest } = checkpointFields(from);
  if (rest.address !== address) {
    throw new ConfigError('from', `belongs to a walk of ${quote(rest.address)}, not of ${quote(address)}`);
  }
  const isWholeOne = offset !== undefined && total !== undefined && recentKeys !== undefined && isOver !== undefined;
  if (!isWholeOne) throw new ConfigError('from', 'must be the checkpoint of a walk, with all its fields');
  return { address, offset, total, recentKeys, isOver };
}
