import { type Client, createClient } from '../../../src/index.ts';
import { type Routes, routes, type SeenRequest } from '../../support/routes.ts';

/** A client of a service. */
export const clientOf = (service: Routes): Client =>
  createClient({ baseUrl: 'https://api.test', fetch: service.fetch });

/** An item of a page. */
export interface Row {
  readonly id: number;
}

/** Rows with the identities 0, 1, 2 and so on. */
export const rows = (count: number): Row[] => Array.from({ length: count }, (_, id) => ({ id }));

/** Pages by offset of what `all` holds at the time. */
export function byOffset(all: () => readonly Row[], most = 20): Routes {
  return routes(({ query }: SeenRequest) => {
    const limit = Math.min(most, Number(query.get('limit') ?? most));
    const offset = Number(query.get('offset') ?? 0);
    return { limit, offset, total: all().length, results: all().slice(offset, offset + limit) };
  });
}

/** Pages by cursor, in either form that the real service has. */
export function byCursor(all: readonly Row[], form: 'next_cursor' | 'cursor.next', size = 10): Routes {
  return routes(({ query }: SeenRequest) => {
    const at = Number(query.get('cursor')?.slice(1) ?? 0);
    const next = at + size < all.length ? `c${at + size}` : null;
    const results = all.slice(at, at + size);
    const current = `c${at}`;
    return form === 'next_cursor'
      ? { results, total: all.length, next_cursor: next, prev_cursor: null, cursor: current }
      : { results, total: all.length, limit: size, cursor: { next, previous: null, current } };
  });
}

/** The identities of the items that are yielded, `most` at most. */
export async function taken(items: AsyncIterable<unknown>, most: number = Infinity): Promise<number[]> {
  const ids: number[] = [];
  for await (const item of items) {
    ids.push((item as Row).id);
    if (ids.length >= most) break;
  }
  return ids;
}

/** The identities of so many rows. */
export const ids = (count: number): number[] => rows(count).map(({ id }) => id);

/** Options with which each item is yielded once. */
export const keyed: { readonly key: (row: unknown) => string } = { key: (row) => `${(row as Row).id}` };
