import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { routes } from '../support/routes.ts';
import { byOffset, clientOf, ids, keyed, type Row, rows, taken } from './support/rows.ts';

describe('a pagination by offset', () => {
  it.for([{}, keyed])('says so where the service heeds no offset, %o', async (options) => {
    const service = routes(() => ({ results: rows(3) }));
    const pages = clientOf(service).paginate('/rows', options);
    const message = /the page at offset [23] is that at 0 again: pages do not go by offset here/;
    await expect(taken(pages, 9)).rejects.toThrow(message);
    await expect(taken(pages, 9)).rejects.toThrow(message);
    expect(service.seen).toHaveLength(3);
  });

  it.each([7, undefined, null, {}])(
    'says so where the key is no text, which no checkpoint could hold: %s',
    async (key) => {
      const service = byOffset(() => rows(30), 10);
      const pages = clientOf(service).paginate('/rows', { key: () => key as never });
      await expect(taken(pages)).rejects.toThrow(/^key must return text, not /);
      expect(service.seen).toHaveLength(1);
    },
  );

  it.each(['items', 'key'])('says so where %s returns a promise, and leaves no rejection of it', async (option) => {
    const later = (): Promise<never> => Promise.reject(new Error('of the caller'));
    const pages = clientOf(byOffset(() => rows(30), 10)).paginate('/rows', { [option]: later as never });
    await expect(taken(pages)).rejects.toThrow(new RegExp(`^${option} must return .*, not an object \\(Promise\\)$`));
  });

  it.for([{}, keyed])('says so where a page tells the time beside the same items, too, %o', async (options) => {
    let time = 0;
    const service = routes(() => ({ time: ++time, offset: 0, results: rows(3) }));
    const message = /the page at offset [23] is that at 0 again/;
    await expect(taken(clientOf(service).paginate('/rows', options), 9)).rejects.toThrow(message);
    expect(service.seen).toHaveLength(2);
  });

  it('takes pages of equal items for pages that go by offset, where each states its own', async () => {
    const service = routes(({ query }) => {
      const offset = Number(query.get('offset') ?? 0);
      return { offset, total: 6, results: rows(1).concat(rows(1)) };
    });
    expect(await taken(clientOf(service).paginate('/rows', { query: { limit: 2 } }))).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it.for([{}, keyed])(
    'goes on after a page with fewer items than its limit, where the total says that more follow, %o',
    async (options) => {
      // The limit that was asked for is stated, but a page has ten items at most.
      const service = routes(({ query }) => {
        const offset = Number(query.get('offset') ?? 0);
        return { limit: Number(query.get('limit')), total: 25, results: rows(25).slice(offset, offset + 10) };
      });
      const pages = clientOf(service).paginate('/rows', { query: { limit: 50 }, ...options });
      expect(await taken(pages)).toEqual(ids(25));
      expect(service.seen).toHaveLength(3);
    },
  );

  it.for([{}, keyed])('ends with a page of nothing new, whatever the total says, %o', async (options) => {
    const service = byOffset(() => rows(15), 10);
    const boasting = routes(async (request) => ({
      ...(await (await service.fetch(`https://api.test${request.path}`)).json()),
      total: 100,
    }));
    expect(await taken(clientOf(boasting).paginate('/rows', { query: { limit: 10 }, ...options }), 99)).toEqual(
      ids(15),
    );
    expect(boasting.seen).toHaveLength(3);
  });

  it.for<[string, object]>([
    ['the items', { items: ({ results }: { results: Row[] }) => results.filter(({ id }) => id % 2 === 0) }],
    ['the schema', { schema: z.object({ results: z.array(z.unknown()).transform((all) => all.slice(1)) }) }],
  ])('says so where %s leave out results, which offsets count', async ([, options]) => {
    const pages = clientOf(byOffset(() => rows(100))).paginate('/rows', { query: { limit: 20 }, ...options });
    await expect(taken(pages)).rejects.toThrow(/: 20 results became \d+ items, but offsets count results: filter in/);
  });
});
