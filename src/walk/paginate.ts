import { isResult } from '../endpoints/body-check.ts';
import { ConfigError, quote } from '../errors.ts';
import type { CallOptions } from '../options/client-options.ts';
import type { QuotaSnapshot } from '../quota/headers/snapshot.ts';
import {
  type Arguments,
  argument,
  callback,
  count,
  isText,
  isWhole,
  optionsParser,
  unchecked,
  whole,
  wrongReturn,
} from '../validation/arguments.ts';
import type { StandardResult, StandardSchemaV1 } from '../validation/standard-schema.ts';
import { BEGINNING, POSITION_FIELDS, positionOf } from './checkpoint-fields.ts';
import { type NewPage, pageLoop, type YieldedPage } from './page-loop.ts';
import { PagePosition, type PageQuery, type ReadPage } from './page-position.ts';
import { RepeatedPage } from './repeated-page.ts';

/** The items of a page: its `results`, unless the option `items` takes others. */
export type PageItem<Page> = Page extends { readonly results: readonly (infer Item)[] } ? Item : unknown;

/** Options of a pagination: those of its calls, and how to read a page. */
export interface PaginateOptions<Page = unknown, Item = PageItem<Page>> extends Omit<CallOptions<Page>, 'schema'> {
  /** Any Standard Schema for the body of a page. */
  readonly schema?: StandardSchemaV1<unknown, Page> | undefined;
  /** Takes the items from a page: all of them where pages go by offset, which counts them. Default: its `results`. */
  readonly items?: ((page: Page) => readonly Item[]) | undefined;
  /**
   * Identifies an item. Pages that go by `offset` shift when items are added meanwhile: with a key each page begins with the last item
   * of the page before, and each item is yielded once. Default: none, so that items may be missed or come twice.
   */
  readonly key?: ((item: Item) => string) | undefined;
  /** The checkpoint to continue from, of a pagination of the same path and query. Default: the first page. */
  readonly from?: PageCheckpoint | undefined;
}

/** Position of a pagination, as plain JSON to store in a file or a database. */
export interface PageCheckpoint {
  /** The path and query of the first page. */
  readonly request: string;
  /** The cursor of the present page; null on the first of pages that go by cursor; undefined if they go by offset. */
  readonly cursor?: string | null;
  /** Number of items before the position: of those on the page at `cursor`, else of all. */
  readonly offset: number;
  /** Total number of items at that time, if the service said so. */
  readonly total: number;
  /** The keys of the last items yielded. */
  readonly recentKeys: readonly string[];
  /** Whether all items have been yielded. */
  readonly isOver: boolean;
}

/**
 * A walk through all pages of an endpoint: `for await (const item of pagination)`. Pages go by cursor where the service sends
 * `next_cursor` or `cursor.next`, else by `limit` and `offset`. A page is requested when its first item is needed.
 *
 * A pagination has one position: a second loop continues where the first was left. If the first goes on nevertheless, it ends with a `ConfigError`.
 */
export interface Pagination<Item> extends AsyncIterable<Item> {
  /** Yields item by item. */
  [Symbol.asyncIterator](): AsyncGenerator<Item, void, void>;
  /** Yields the new items page by page. */
  pages(): AsyncGenerator<YieldedPage<Item>, void, void>;
  /** The position after the last yielded item or page, to continue from. Read it once that item or page is processed. */
  readonly checkpoint: PageCheckpoint;
}

/** Requests the page at a position. */
export type RequestPage<Item> = (
  position: PageQuery,
  schema: StandardSchemaV1<unknown, ReadPage<Item>>,
) => Promise<{ readonly data: ReadPage<Item>; readonly quota: QuotaSnapshot }>;

const checkpointFields = optionsParser(
  'fields of a checkpoint',
  {
    request: argument<string>(isText, 'a path with its query'),
    cursor: argument<string | null>((value) => value === null || isText(value), 'a cursor'),
    ...POSITION_FIELDS,
  },
  'from.',
);

/** Readers of the options that only a pagination has. */
export const PAGINATE_OPTIONS: Arguments<Pick<PaginateOptions, 'items' | 'key' | 'from'>> = {
  items: callback(),
  key: callback(),
  from: unchecked(),
};

/**
 * Creates a pagination. Nothing is requested yet.
 *
 * @param request - the path of all pages with the query of the first.
 * @param options - as {@link PAGINATE_OPTIONS} has read them.
 * @throws ConfigError if the checkpoint is of another pagination, the limit is no number of items, or the key needs a larger page.
 */
export function paginate<Page, Item>(
  requestPage: RequestPage<Item>,
  request: string,
  {
    schema,
    signal,
    items,
    key,
    from,
  }: Pick<PaginateOptions<Page, Item>, 'schema' | 'signal' | 'items' | 'key' | 'from'>,
): Pagination<Item> {
  const limit = numberIn(request, 'limit', count);
  const offset = numberIn(request, 'offset', whole) ?? 0;
  if (limit !== undefined && key && limit < 2)
    throw new ConfigError('limit', 'must be 2 or more with a key: the last item is read again on each page');
  // A checkpoint holds keys, and is refused where they are no text.
  const keyOf = (item: Item): string => {
    const text = key?.(item);
    if (isText(text)) return text;
    throw wrongReturn('key', 'text', text);
  };
  const beginning = from === undefined ? { ...BEGINNING, offset } : checked(from, request);
  const position = new PagePosition<Item>(beginning, key && keyOf);
  const pageSchema = readPage(schema, items, position);
  const next = async (check: () => void): Promise<NewPage<Item> | undefined> => {
    const { data, quota } = await requestPage(position.query, pageSchema);
    check();
    const page = position.accept(data, limit);
    return page && { ...page, quota };
  };
  const loop = pageLoop(position, next, signal);

  return {
    [Symbol.asyncIterator]: () => loop.items(),
    pages: () => loop.pages(),
    get checkpoint() {
      return { request, ...position.checkpoint };
    },
  };
}

/** A number in the query, if it is given. */
function numberIn(request: string, name: string, read: typeof count): number | undefined {
  const text = new URLSearchParams(request.split('?')[1]).get(name);
  return text === null ? undefined : read(/^\d+$/.test(text) ? Number(text) : text, name);
}

function checked(from: PageCheckpoint, request: string): Omit<PageCheckpoint, 'request'> {
  const { request: own, cursor, ...fields } = checkpointFields(from);
  return { ...positionOf('a pagination', request, own, fields), ...(cursor !== undefined && { cursor }) };
}

/** A schema that takes the items and the place of a page from its body, which it first holds against the caller's schema. */
function readPage<Page, Item>(
  schema: StandardSchemaV1<unknown, Page> | undefined,
  itemsOf: ((page: Page) => readonly Item[]) | undefined,
  position: PagePosition<Item>,
): StandardSchemaV1<unknown, ReadPage<Item>> {
  const repeated = new RepeatedPage();
  const validate = async (body: unknown): Promise<StandardResult<ReadPage<Item>>> => {
    const checkedBody = schema ? await schema['~standard'].validate(body) : { value: body as Page };
    if (!isResult(checkedBody) || checkedBody.issues) return checkedBody as StandardResult<never>;
    const page = checkedBody.value;
    const items: unknown = itemsOf ? itemsOf(page) : (page as { readonly results?: unknown } | null)?.results;
    const place = placeInPages(body);
    if (items instanceof Promise) throw wrongReturn('items', 'an array', items);
    if (!Array.isArray(items))
      return { issues: [{ message: 'expected an array of items', path: itemsOf ? [] : ['results'] }] };
    // Pages go by offset, or each names the next one.
    const message =
      place.next === undefined
        ? (repeated.problemOf(position.query.offset ?? 0, items, body) ?? problemOfCount(items, body, position.query))
        : position.hasPassed(place.next) && `the next page is ${quote(place.next)}, which was read before`;
    return message ? { issues: [{ message, path: [] }] } : { value: { items, ...place } };
  };
  return { '~standard': { version: 1, vendor: 'stacks-quota', validate } };
}

/** Offsets count the results of the service: with some of them as items the pages would end too soon, or come again. */
function problemOfCount(items: readonly unknown[], body: unknown, { cursor }: PageQuery): string | undefined {
  const results = (body as { readonly results?: unknown } | null)?.results;
  if (!Array.isArray(results) || results.length === items.length || cursor !== undefined) return undefined;
  return `${results.length} results became ${items.length} items, but offsets count results: filter in the loop`;
}

/** Where a page stands among the others. Cursors come as `next_cursor` and `cursor`, or as `cursor.next` and `cursor.current`. */
function placeInPages(body: unknown): Omit<ReadPage<never>, 'items'> {
  const { limit, total, next_cursor, cursor } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const { next = next_cursor, current = cursor } = (cursor ?? {}) as Readonly<Record<string, unknown>>;
  return {
    limit: isWhole(limit) && limit > 0 ? limit : undefined,
    total: isWhole(total) ? total : undefined,
    next: next === null || isText(next) ? next : undefined,
    current: isText(current) ? current : undefined,
  };
}
