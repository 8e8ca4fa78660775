import type { AddressAssets, AssetEvent } from '../endpoints/bodies.ts';
import { type AddressAssetsParams, ASSETS_PARAMS, addressAssetsRequest } from '../endpoints/endpoints.ts';
import { ConfigError, ResponseShapeError } from '../errors.ts';
import { type CallOptions, callOptionsParser } from '../options/client-options.ts';
import type { QuotaSnapshot } from '../quota/headers/snapshot.ts';
import { argument, isText, optionsParser, unchecked } from '../validation/arguments.ts';
import { BEGINNING, POSITION_FIELDS, positionOf } from './checkpoint-fields.ts';
import { type Position, type WalkCheckpoint, WalkCursor } from './cursor.ts';
import { type NewPage, pageLoop } from './page-loop.ts';
import { RepeatedPage } from './repeated-page.ts';

/** The largest page of the service, which needs the fewest requests. */
const LARGEST_PAGE = 100;

/** Options of a walk: those of its calls, the page size, and where to begin. */
export interface WalkOptions extends Omit<AddressAssetsParams, 'offset'>, Omit<CallOptions<never>, 'schema'> {
  /** Events per page, 2 to 100. The first is always the last of the previous page. Default: 100. */
  readonly limit?: number | undefined;
  /** The checkpoint to continue from, of a walk through the same events. Default: the latest event. */
  readonly from?: WalkCheckpoint | undefined;
}

/** The new events of one page. */
export interface WalkPage {
  readonly events: readonly AssetEvent[];
  /** Total number of events by this page; 0 on a page past the end. */
  readonly total: number;
  readonly quota: QuotaSnapshot;
}

/**
 * A walk through the asset events of an account or a contract, from the latest to the first:
 * `for await (const event of walk)`.
 *
 * Each event that exists from the beginning of the walk to its end is yielded once, although offsets shift meanwhile: new events are
 * not mistaken for later ones, and after a reorganisation of the chain the walk steps back. A page is requested when its first event is
 * needed, because an unread page would cost quota, too.
 *
 * A walk has one position: a second loop continues where the first was left. If the first goes on nevertheless, it ends with a `ConfigError`.
 */
export interface AddressAssetsWalk extends AsyncIterable<AssetEvent> {
  /** Yields event by event. */
  [Symbol.asyncIterator](): AsyncGenerator<AssetEvent, void, void>;
  /** Yields the new events page by page. */
  pages(): AsyncGenerator<WalkPage, void, void>;
  /** The position after the last yielded event or page, to continue from. Read it once that event or page is processed. */
  readonly checkpoint: WalkCheckpoint;
}

const walkOptions = callOptionsParser<AddressAssetsParams & Pick<WalkOptions, 'from'>>({
  ...ASSETS_PARAMS,
  from: unchecked(),
});

/** Fetches the pages. */
export type PageSource = (
  address: string,
  options: AddressAssetsParams & CallOptions<AddressAssets>,
) => Promise<{
  readonly data: AddressAssets;
  readonly quota: QuotaSnapshot;
  readonly response: { readonly status: number; readonly url: string };
}>;

const checkpointFields = optionsParser(
  'fields of a checkpoint',
  {
    address: argument<string>(isText, 'an address'),
    ...POSITION_FIELDS,
  },
  'from.',
);

/**
 * Creates a walk. Nothing is requested yet.
 *
 * @throws ConfigError if the address or an option is invalid.
 */
export function walk(getPage: PageSource, address: string, options: WalkOptions = {}): AddressAssetsWalk {
  const { offset, schema, from, limit = LARGEST_PAGE, unanchored, untilBlock, ...callOptions } = walkOptions(options);
  if (offset !== undefined) throw new ConfigError('offset', 'cannot be given: pass a checkpoint as from instead');
  if (schema !== undefined) throw new ConfigError('schema', 'cannot be given: a walk needs the fields of the events');
  if (limit < 2) throw new ConfigError('limit', 'must be 2 or more: a walk reads the last event again on each page');
  const params = { limit, unanchored, untilBlock };
  const { endpoint } = addressAssetsRequest(address, params);
  const repeated = new RepeatedPage();
  const cursor = new WalkCursor(from === undefined ? BEGINNING : checked(from, address), keyOf);

  const next = async (check: () => void): Promise<NewPage<AssetEvent> | undefined> => {
    const offset = cursor.nextOffset;
    const { data, quota, response } = await getPage(address, { ...callOptions, ...params, offset });
    check();
    const { results, total } = data;
    const { status, url } = response;
    const message = repeated.problemOf(offset, results, data);
    if (message !== undefined)
      throw new ResponseShapeError({ endpoint, url, status, quota, issues: [{ path: '', message }] });
    // The service may return smaller pages than requested.
    const most = data.limit > 0 ? Math.min(limit, data.limit) : limit;
    const found = cursor.accept({ offset, limit: most, total, results });
    return found && { found, total, quota, isLast: results.length < most };
  };
  const loop = pageLoop(cursor, next, callOptions.signal);

  return {
    [Symbol.asyncIterator]: () => loop.items(),
    async *pages() {
      for await (const { items, total, quota } of loop.pages()) yield { events: items, total: total ?? 0, quota };
    },
    get checkpoint() {
      return { address, ...cursor.checkpoint };
    },
  };
}

/** Identifies an event by its transaction and its index in it. */
function keyOf({ tx_id, event_index }: AssetEvent): string {
  return `${tx_id}:${event_index}`;
}

function checked(from: WalkCheckpoint, address: string): Position {
  const fields = checkpointFields(from);
  return positionOf('a walk', address, fields.address, fields);
}
