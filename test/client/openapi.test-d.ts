import type { paths } from '@stacks/blockchain-api-client';
import type { Client, Pagination, Result, TypedClient } from 'stacks-quota';
import { describe, expectTypeOf, it } from 'vitest';
import * as z from 'zod';

declare const client: Client;

describe('a path template', () => {
  it('asks for its parameters', () => {
    expectTypeOf(client.get('/x/{a}/{b}', { params: { a: 'text', b: 1 } })).resolves.toEqualTypeOf<Result<unknown>>();
    // @ts-expect-error: b is missing.
    void client.get('/x/{a}/{b}', { params: { a: 'text' } });
    // @ts-expect-error: c is not in it.
    void client.get('/x/{a}', { params: { a: 'text', c: 1 } });
    // @ts-expect-error: a is needed.
    void client.get('/x/{a}');
    // @ts-expect-error: there is none.
    void client.get('/x', { params: { a: 'text' } });
  });

  it('that is no literal takes any', () => {
    const path: string = '/x/{a}';
    expectTypeOf(client.get(path, { params: { a: 1 } })).resolves.toEqualTypeOf<Result<unknown>>();
  });
});

describe('a schema', () => {
  it('types the body, and the items of pages', () => {
    const schema = z.object({ results: z.array(z.object({ id: z.number() })) });
    expectTypeOf(client.get('/x', { schema })).resolves.toEqualTypeOf<Result<{ results: { id: number }[] }>>();
    expectTypeOf(client.request('POST', '/x/{a}', { schema, params: { a: 1 }, json: [] })).resolves.toEqualTypeOf<
      Result<{ results: { id: number }[] }>
    >();
    expectTypeOf(client.paginate('/x', { schema })).toEqualTypeOf<Pagination<{ id: number }>>();
    expectTypeOf(
      client.paginate('/x/{a}', { schema, params: { a: 1 }, items: (page) => page.results.map(({ id }) => id) }),
    ).toEqualTypeOf<Pagination<number>>();
    expectTypeOf(client.paginate('/x')).toEqualTypeOf<Pagination<unknown>>();
  });

  it('types the items that a key is asked for, also those that the option items takes', () => {
    const schema = z.object({ blocks: z.array(z.object({ hash: z.string() })) });
    expectTypeOf(
      client.paginate('/x/{a}', { schema, params: { a: 1 }, items: (page) => page.blocks, key: (block) => block.hash }),
    ).toEqualTypeOf<Pagination<{ hash: string }>>();
    // @ts-expect-error: a is needed.
    client.paginate('/x/{a}', { schema, items: (page) => page.blocks });
    // @ts-expect-error: a is needed.
    client.paginate('/x/{a}');
  });
});

describe('a client typed by OpenAPI', () => {
  const typed: TypedClient<paths> = client.typed<paths>();

  it('gives the body of a path', async () => {
    const { data } = await typed.get('/extended/v1/tx/{tx_id}/raw', { params: { tx_id: '0x00' } });
    expectTypeOf(data).toEqualTypeOf<{ raw_tx: string }>();
    expectTypeOf((await typed.get('/extended')).data.status).toEqualTypeOf<string>();
  });

  it('knows paths, parameters and the query', () => {
    // @ts-expect-error: no such path.
    void typed.get('/extended/v9/nothing');
    // @ts-expect-error: tx_id is needed.
    void typed.get('/extended/v1/tx/{tx_id}/raw');
    // @ts-expect-error: the parameter has another name.
    void typed.get('/extended/v1/tx/{tx_id}/raw', { params: { id: '0x00' } });
    void typed.get('/extended/v2/blocks/', { query: { limit: 1 }, priority: 2, label: 'newest' });
    // @ts-expect-error: limit is a number.
    void typed.get('/extended/v2/blocks/', { query: { limit: 'one' } });
    // @ts-expect-error: it can only be posted to.
    void typed.get('/extended/v1/faucets/btc');
  });

  it('has a schema take the place of the type', () => {
    const schema = z.object({ raw_tx: z.string().transform((hex) => hex.length) });
    expectTypeOf(
      typed.get('/extended/v1/tx/{tx_id}/raw', { params: { tx_id: '0x00' }, schema }),
    ).resolves.toEqualTypeOf<Result<{ raw_tx: number }>>();
  });

  it('types other methods and their bodies', async () => {
    const { data } = await typed.request('POST', '/extended/v1/faucets/btc', { query: { address: 'a' } });
    expectTypeOf(data.txid).toEqualTypeOf<string>();
    // @ts-expect-error: there is only a GET.
    void typed.request('POST', '/extended/v2/blocks/');
    interface Own {
      '/own': { put: { requestBody: { content: { 'application/json': { a: number } } }; responses: { 204: object } } };
    }
    expectTypeOf(client.typed<Own>().request('PUT', '/own', { json: { a: 1 } })).resolves.toEqualTypeOf<
      Result<undefined>
    >();
    // @ts-expect-error: a is a number.
    void client.typed<Own>().request('PUT', '/own', { json: { a: 'one' } });
    // @ts-expect-error: a body is needed.
    void client.typed<Own>().request('PUT', '/own');
  });

  it('takes undefined for what may be left out of a query, with exactOptionalPropertyTypes', () => {
    const limit = undefined as number | undefined;
    void typed.get('/extended/v2/blocks/', { query: { limit } });
    void typed.paginate('/extended/v2/blocks/', { query: { limit } });
  });

  it('takes a body only where the document has one, in the form that it has', () => {
    interface Own {
      '/get': { get: { requestBody?: never; responses: { 200: object } } };
      '/maybe': { post: { requestBody?: { content: { 'application/json': { a: number } } }; responses: object } };
      '/bytes': { post: { requestBody: { content: { 'application/octet-stream': string } }; responses: object } };
      '/either': {
        post: {
          requestBody: { content: { 'application/json': { a: number }; 'text/plain': string } };
          responses: object;
        };
      };
    }
    const own = client.typed<Own>();
    // @ts-expect-error: a GET has none.
    void own.get('/get', { json: {} });
    void own.request('POST', '/maybe');
    void own.request('POST', '/maybe', { json: { a: 1 } });
    // @ts-expect-error: a is a number.
    void own.request('POST', '/maybe', { json: { a: 'one' } });
    void own.request('POST', '/bytes', { body: new Uint8Array(1), headers: { 'content-type': 'application/wasm' } });
    // @ts-expect-error: a body is needed.
    void own.request('POST', '/bytes');
    // @ts-expect-error: it takes no JSON.
    void own.request('POST', '/bytes', { json: 'text' });
    void own.request('POST', '/either', { body: 'text' });
    void own.request('POST', '/either', { json: { a: 1 } });
    // @ts-expect-error: one of both is needed.
    void own.request('POST', '/either');
    // @ts-expect-error: not both.
    void own.request('POST', '/either', { json: { a: 1 }, body: 'text' });
  });

  it('knows nothing of a body where the document has no success', () => {
    interface Own {
      '/moved': { get: { responses: { 302: { content?: never } } } };
    }
    expectTypeOf(client.typed<Own>().get('/moved')).resolves.toEqualTypeOf<Result<unknown>>();
  });

  it('is not what the caller takes its result for', () => {
    // @ts-expect-error: the height of a block is a number.
    void (typed.get('/extended/v2/blocks/') satisfies Promise<Result<{ results: { height: string }[] }>>);
    // @ts-expect-error: the height of a block is a number.
    const blocks: Pagination<{ height: string }> = typed.paginate('/extended/v2/blocks/');
    void blocks;
  });

  it('types the items of pages', async () => {
    const hashes = typed.paginate('/extended/v2/blocks/', {
      items: (page) => page.results.map(({ hash }) => [hash] as const),
      key: ([hash]) => hash,
    });
    expectTypeOf(hashes).toEqualTypeOf<Pagination<readonly [string]>>();
    for await (const block of typed.paginate('/extended/v2/blocks/', { key: ({ hash }) => hash })) {
      expectTypeOf(block.height).toEqualTypeOf<number>();
    }
    for await (const { transaction } of typed.paginate('/extended/v3/principals/{principal}/transactions', {
      params: { principal: 'SP1J1A6PJ50NS54VWAVFGA9C4HS53NAQXZQ07P5TK' },
    })) {
      expectTypeOf(transaction.tx_id).toEqualTypeOf<string>();
    }
  });
});
