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

  it('types the items of pages', async () => {
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
