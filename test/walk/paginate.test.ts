import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createClient, isConfigError, type PageCheckpoint } from '../../src/index.ts';
import { virtualClock } from '../../src/testing/index.ts';
import { routes } from '../support/routes.ts';
import { byCursor, byOffset, clientOf, ids, keyed, type Row, rows, taken } from './support/rows.ts';

describe('client.paginate', () => {
  it.for([0, 1, 19, 20, 21, 60])('yields all of %i items by offset, with no request too many', async (count) => {
    const service = byOffset(() => rows(count));
    expect(await taken(clientOf(service).paginate('/rows'))).toEqual(ids(count));
    expect(service.seen).toHaveLength(Math.max(1, Math.ceil(count / 20)));
  });

  it.for(['next_cursor', 'cursor.next'] as const)('yields all items by %s', async (form) => {
    const service = byCursor(rows(25), form);
    expect(await taken(clientOf(service).paginate('/rows', { query: { limit: 10 } }))).toEqual(ids(25));
    expect(service.seen.map(({ path }) => path)).toEqual([
      '/rows?limit=10',
      '/rows?limit=10&cursor=c10',
      '/rows?limit=10&cursor=c20',
    ]);
  });

  it('keeps the query and fills the path', async () => {
    const service = byOffset(() => rows(3), 2);
    const pages = clientOf(service).paginate('/of/{name}', {
      params: { name: 'a/b' },
      query: { order: 'asc', limit: 2 },
    });
    expect(await taken(pages)).toEqual(ids(3));
    expect(service.seen.map(({ path }) => path)).toEqual([
      '/of/a%2Fb?order=asc&limit=2',
      '/of/a%2Fb?order=asc&limit=2&offset=2',
    ]);
  });

  it('asks for all pages of what it was given, although the caller changes that for the next one', async () => {
    const service = byOffset(() => rows(15), 10);
    const client = clientOf(service);
    const options = { params: { of: '' }, query: { limit: 0 }, headers: { 'x-of': '' } };
    const paginations = ['a', 'b'].map((of) => {
      Object.assign(options.params, { of });
      Object.assign(options.query, { limit: 10 });
      Object.assign(options.headers, { 'x-of': of });
      return client.paginate('/{of}', options);
    });
    options.query.limit = 1;
    for (const pages of paginations) await taken(pages);
    expect(service.seen.map(({ path, headers }) => [path, headers.get('x-of')])).toEqual([
      ['/a?limit=10', 'a'],
      ['/a?limit=10&offset=10', 'a'],
      ['/b?limit=10', 'b'],
      ['/b?limit=10&offset=10', 'b'],
    ]);
  });

  it('with a key yields each item once although offsets shift', async () => {
    let all = rows(10);
    const service = byOffset(() => all, 4);
    const seen: number[] = [];
    for await (const { id } of clientOf(service).paginate('/rows', {
      items: (page) => (page as { results: Row[] }).results,
      key: ({ id }) => String(id),
    })) {
      seen.push(id);
      if (id === 3) all = [{ id: 100 }, { id: 101 }, ...all];
    }
    expect(seen).toEqual(ids(10));
  });

  it.for(['offset', 'next_cursor', 'cursor.next'] as const)('continues from any checkpoint, by %s', async (form) => {
    const service = form === 'offset' ? byOffset(() => rows(25), 10) : byCursor(rows(25), form);
    for (let count = 1; count <= 25; count++) {
      const first = clientOf(service).paginate('/rows');
      const head = await taken(first, count);
      const from: PageCheckpoint = JSON.parse(JSON.stringify(first.checkpoint));
      expect([...head, ...(await taken(clientOf(service).paginate('/rows', { from })))]).toEqual(ids(25));
    }
  });

  it('a second loop continues, and is over at the end', async () => {
    const service = byCursor(rows(25), 'next_cursor');
    const pages = clientOf(service).paginate('/rows');
    expect([await taken(pages, 12), await taken(pages), await taken(pages)]).toEqual([ids(12), ids(25).slice(12), []]);
    expect(pages.checkpoint.isOver).toBe(true);
  });

  it.for([undefined, (item: unknown) => `${(item as Row).id}`])(
    'is read by one loop at a time: a later one goes on, and ends an earlier one',
    async (key) => {
      const pages = clientOf(byOffset(() => rows(45))).paginate('/rows', { key });
      const [earlier, later] = [pages[Symbol.asyncIterator](), pages[Symbol.asyncIterator]()];
      const seen = [await earlier.next(), await earlier.next(), await later.next()].map(
        ({ value }) => (value as Row).id,
      );
      await expect(earlier.next()).rejects.toThrow('only once at a time');
      expect([...seen, ...(await taken(later))]).toEqual(ids(45));
    },
  );

  it('is read by one loop at a time, also while a page is requested and page by page', async () => {
    const pages = clientOf(byOffset(() => rows(45))).paginate('/rows');
    const [earlier, later] = [pages.pages(), pages.pages()];
    const lost = earlier.next().catch(String);
    const [page] = [await later.next(), await lost];
    expect(page.value?.items).toEqual(rows(20));
    expect(await lost).toContain('only once at a time');
    expect(await taken(pages)).toEqual(ids(45).slice(20));
  });

  it.for([byOffset(() => rows(45), 10), byCursor(rows(45), 'next_cursor')])(
    'a page that an earlier loop had requested moves nothing',
    async (service) => {
      const clock = virtualClock();
      const held = Promise.withResolvers<void>();
      let requests = 0;
      const fetch: typeof service.fetch = async (...request) => {
        if (++requests === 2) await held.promise;
        return service.fetch(...request);
      };
      const pages = createClient({ baseUrl: 'https://api.test', fetch, clock }).paginate('/rows');
      const earlier = pages[Symbol.asyncIterator]();
      const head: number[] = [];
      for (let count = 0; count < 10; count++) head.push(((await clock.run(earlier.next())).value as Row).id);
      const lost = earlier.next().catch(String);
      const later = pages[Symbol.asyncIterator]();
      for (let count = 0; count < 12; count++) head.push(((await clock.run(later.next())).value as Row).id);
      held.resolve();
      expect(await clock.run(lost)).toContain('only once at a time');
      expect([...head, ...(await clock.run(taken(later)))]).toEqual(ids(45));
      expect(requests).toBe(1 + 1 + 4);
    },
  );

  it('yields page by page, with total and quota', async () => {
    const pages = clientOf(byCursor(rows(25), 'cursor.next'))
      .paginate('/rows')
      .pages();
    const sizes: unknown[] = [];
    for await (const { items, total, quota } of pages) sizes.push([items.length, total, quota.stacks.cost]);
    expect(sizes).toEqual([
      [10, 25, 1],
      [10, 25, 1],
      [5, 25, 1],
    ]);
  });

  it('reads its place from the body, whatever the schema leaves of it', async () => {
    const service = byCursor(rows(25), 'next_cursor');
    const schema = z.object({ results: z.array(z.object({ id: z.number() })) });
    expect(await taken(clientOf(service).paginate('/rows', { schema }))).toEqual(ids(25));
    const wrong = z.object({ results: z.array(z.string()) });
    await expect(taken(clientOf(service).paginate('/rows', { schema: wrong }))).rejects.toThrow('results.0');
  });

  it('ends where a page names itself, or has no items, as the next', async () => {
    const loop = routes(() => ({ results: [{ id: 1 }], next_cursor: 'c', cursor: 'c' }));
    expect(await taken(clientOf(loop).paginate('/rows'))).toEqual([1]);
    const empty = routes(({ query }) => ({ results: [], next_cursor: query.has('cursor') ? null : 'c' }));
    expect(await taken(clientOf(empty).paginate('/rows'))).toEqual([]);
    expect(empty.seen).toHaveLength(2);
  });

  it.for([
    ['next_cursor', (next: string) => ({ next_cursor: next })],
    ['cursor.next', (next: string) => ({ cursor: { next } })],
  ] as const)('says so where pages go in a cycle, by %s', async ([form, place]) => {
    const cycle = routes(({ query }) => ({ results: [{ id: 1 }], ...place(query.get('cursor') === 'a' ? 'b' : 'a') }));
    const pages = clientOf(cycle).paginate('/rows');
    await expect(taken(pages, 9)).rejects.toThrow('the next page is "a", which was read before');
    await expect(taken(pages, 9), form).rejects.toThrow('"a"');
    expect(cycle.seen.map(({ query }) => query.get('cursor'))).toEqual([null, 'a', 'b', 'b']);
  });

  it.for([
    ['next_cursor', (next: string) => ({ next_cursor: next })],
    ['cursor.next', (next: string) => ({ cursor: { next, current: 'here' } })],
  ] as const)('ends with a page that names no next where others did, by %s', async ([, place]) => {
    const service = routes(({ query }) =>
      query.has('cursor') ? { results: [{ id: 2 }] } : { results: [{ id: 1 }], ...place('c') },
    );
    expect(await taken(clientOf(service).paginate('/rows'), 9)).toEqual([1, 2]);
    expect(service.seen).toHaveLength(2);
  });

  it.for([{}, keyed])('begins at the offset of the query, %o', async (options) => {
    const service = byOffset(() => rows(100), 10);
    const pages = clientOf(service).paginate('/rows', { query: { offset: 75 }, ...options });
    expect(await taken(pages)).toEqual(ids(100).slice(75));
    expect(pages.checkpoint).toMatchObject({ request: '/rows?offset=75', offset: 100 });
  });

  it('looks for its place before the offset of the query, too', async () => {
    let all = rows(30);
    const service = byOffset(() => all, 10);
    const pages = clientOf(service).paginate('/rows', { query: { offset: 8 }, ...keyed });
    expect(await taken(pages, 1)).toEqual([8]);
    all = rows(30).slice(8);
    expect(await taken(pages)).toEqual(ids(30).slice(9));
    expect(service.seen[2]?.path).toBe('/rows');
  });

  it('leaves out results of pages by cursor, also of a last one that names no next', async () => {
    const service = routes(({ query }) =>
      query.has('cursor') ? { results: rows(5) } : { results: rows(5), next_cursor: 'c' },
    );
    const items = ({ results }: { readonly results: readonly Row[] }) => results.slice(3);
    const pages = clientOf(service).paginate<'/rows', { readonly results: readonly Row[] }>('/rows', { items });
    expect(await taken(pages, 9)).toEqual([3, 4, 3, 4]);
  });

  it('goes on after a page without items that names a next one', async () => {
    const gap = routes(({ query }) => {
      const at = Number(query.get('cursor') ?? 0);
      return { results: at % 2 === 0 ? [{ id: at }] : [], cursor: { next: at < 4 ? `${at + 1}` : null } };
    });
    expect(await taken(clientOf(gap).paginate('/rows'))).toEqual([0, 2, 4]);
  });

  it('says what is wrong with a body without items', async () => {
    const service = routes(() => ({ blocks: [] }));
    await expect(taken(clientOf(service).paginate('/rows'))).rejects.toThrow('results: expected an array of items');
  });

  it.for<[string, object]>([
    ['from belongs to a pagination of "/other", not of "/rows"', { from: { request: '/other' } }],
    ['from must be the checkpoint of a pagination', { from: { request: '/rows' } }],
    ['from must be the checkpoint of a pagination', { from: {} }],
    ['from must be an object, not number', { from: 5 }],
    ['from.offset must be a whole number', { from: { request: '/rows', offset: -1 } }],
    ['key must be a function', { key: 'id' }],
    ['limit must be a whole number, 1 or more, not "-1"', { query: { limit: -1 } }],
    ['limit must be a whole number, 1 or more, not 0', { query: { limit: 0 } }],
    ['limit must be a whole number, 1 or more, not "1.5"', { query: { limit: 1.5 } }],
    ['limit must be a whole number, 1 or more, not "all"', { query: { limit: 'all' } }],
    ['offset must be a whole number, 0 or more, not "-1"', { query: { offset: -1 } }],
    ['limit must be 2 or more with a key', { key: () => '', query: { limit: 1 } }],
  ])('refuses what cannot be meant: %s', ([message, options]) => {
    const service = routes(() => ({}));
    try {
      clientOf(service).paginate('/rows', options);
      expect.unreachable();
    } catch (error) {
      expect(isConfigError(error) && error.message).toContain(message);
    }
  });
});
