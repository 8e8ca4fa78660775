import {
  type AddressAssets,
  type AssetEvent,
  type BulkOutcome,
  type Client,
  createClient,
  type HeadersResult,
  type Info,
  isQuotaExhausted,
  type Method,
  type Pagination,
  type RequestOptions,
  type Result,
} from 'stacks-quota';
import type { FetchClient } from 'stacks-quota/fetch';
import type { createProxy } from 'stacks-quota/proxy';
import { createMockService } from 'stacks-quota/testing';
import { describe, expectTypeOf, it } from 'vitest';
import * as z from 'zod';

declare const client: Client;

describe('a call', () => {
  it('gives the body that the service is known to send', () => {
    expectTypeOf(client.getInfo()).resolves.toEqualTypeOf<Result<Info>>();
    expectTypeOf(client.getAddressAssets('address')).resolves.toEqualTypeOf<Result<AddressAssets>>();
  });

  it('gives what the schema of the caller makes of the body', () => {
    const schema = z.object({ total: z.number().transform(String) });
    expectTypeOf(client.getAddressAssets('address', { schema })).resolves.toEqualTypeOf<Result<{ total: string }>>();
  });

  it('gives a body of unknown type where no schema says what it is, whatever the caller takes it for', () => {
    interface Own {
      readonly own: number;
    }
    expectTypeOf(client.get('/own')).resolves.toEqualTypeOf<Result<unknown>>();
    // @ts-expect-error: nothing has checked it.
    void (client.get('/own') satisfies Promise<Result<Own>>);
    // @ts-expect-error: nor here.
    void (client.request('POST', '/own') satisfies Promise<Result<Own>>);
    // @ts-expect-error: the type of this body is known, and is another.
    void (client.getInfo() satisfies Promise<Result<Own>>);
    // @ts-expect-error: nor the items of a page.
    void (client.paginate('/own') satisfies Pagination<Own>);
    expectTypeOf(client.get<'/own', Own>('/own')).resolves.toEqualTypeOf<Result<Own>>();
    expectTypeOf(client.get('/own', { schema: z.object({ own: z.number() }) })).resolves.toExtend<Result<Own>>();
  });

  it('may be made by a function that is given the schema, or the method and the options', () => {
    const read = <Body>(schema: z.ZodType<Body>): Promise<Result<Body>> => client.get('/own', { schema });
    const send = <Body>(method: Method, path: string, options: RequestOptions<Body>): Promise<Result<Body>> =>
      client.request(method, path, options);
    expectTypeOf(read(z.number())).resolves.toEqualTypeOf<Result<number>>();
    expectTypeOf(send('POST', '/own', { json: {}, schema: z.number() })).resolves.toEqualTypeOf<Result<number>>();
  });

  it('has no body with GET and HEAD', () => {
    void client.request('GET', '/own/{id}', { params: { id: 1 }, query: { limit: 1 } });
    void client.request('DELETE', '/own/{id}', { params: { id: 1 }, json: {} });
    // @ts-expect-error: it would be a ConfigError.
    void client.request('GET', '/own', { json: {} });
    // @ts-expect-error: it would be a ConfigError.
    void client.request('HEAD', '/own/{id}', { params: { id: 1 }, body: 'text' });
  });

  it('gives no body where only the headers were asked for', () => {
    expectTypeOf(client.getInfo({ headersOnly: true })).resolves.toEqualTypeOf<HeadersResult>();
  });
});

describe('options', () => {
  it('may be undefined, as those of a configuration are that has none, with exactOptionalPropertyTypes', () => {
    const none = undefined as undefined;
    createClient({ etags: { entries: none, bytes: none }, reserve: { share: { month: none } }, low: { month: none } });
    void client.close({ drain: none });
    void createMockService({ windows: { minute: none }, cost: { info: none } }).listen({ port: none });
    createMockService().faults.next(1, { status: 500, headers: none, body: none, counted: none });
  });
});

describe('client.fetch', () => {
  it('has the type of fetch, and so has what client.fetchWith gives', () => {
    expectTypeOf(client.fetch).toEqualTypeOf<typeof fetch>();
    expectTypeOf(client.fetchWith({ priority: -1, elsewhere: fetch })).toEqualTypeOf<typeof fetch>();
  });
});

describe('a proxy', () => {
  it('is created of either client, because it makes all requests by fetch', () => {
    expectTypeOf<Client>().toExtend<Parameters<typeof createProxy>[0]>();
    expectTypeOf<FetchClient>().toExtend<Parameters<typeof createProxy>[0]>();
  });
});

describe('a walk', () => {
  it('gives asset events, one by one', () => {
    const first = async () => {
      for await (const event of client.walkAddressAssets('address')) return event;
      return undefined;
    };
    expectTypeOf(first()).resolves.toEqualTypeOf<AssetEvent | undefined>();
  });

  it('has neither an offset nor a schema', () => {
    // @ts-expect-error: where it is, is its own affair.
    client.walkAddressAssets('address', { offset: 5 });
    // @ts-expect-error: it goes by the fields of the events.
    client.walkAddressAssets('address', { schema: z.object({}) });
  });
});

describe('a bulk', () => {
  it('gives outcomes with the types of the items and of what the call makes of them', () => {
    const bulk = client.bulk(new Set([1n]), async (item) => String(item));
    expectTypeOf(bulk[Symbol.asyncIterator]().next()).resolves.toEqualTypeOf<
      IteratorResult<BulkOutcome<bigint, string>, void>
    >();
  });

  it('gives a value only where there is one, as Promise.allSettled does', () => {
    const yieldOf = (outcome: BulkOutcome<string, Result<AddressAssets>>) =>
      outcome.status === 'fulfilled' ? outcome.value.data.total : outcome.reason;
    expectTypeOf(yieldOf).returns.toEqualTypeOf<unknown>();
    expectTypeOf<BulkOutcome<string, number>>().toExtend<PromiseSettledResult<number>>();
  });
});

describe('an asset event', () => {
  it('is told by its type', () => {
    const amountOf = (event: AssetEvent) => (event.event_type === 'stx_asset' ? event.asset.amount : undefined);
    expectTypeOf(amountOf).returns.toEqualTypeOf<string | undefined>();
  });
});

describe('a guard', () => {
  it('gives an error of unknown kind its fields', () => {
    const comeBackAt = (error: unknown) => (isQuotaExhausted(error) ? error.retryAt : undefined);
    expectTypeOf(comeBackAt).returns.toEqualTypeOf<Date | undefined>();
  });
});
