import {
  type AddressAssets,
  type AssetEvent,
  type Client,
  type HeadersResult,
  type Info,
  isQuotaExhausted,
  type Result,
} from 'stacks-quota';
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

  it('gives no body where only the headers were asked for', () => {
    expectTypeOf(client.getInfo({ headersOnly: true })).resolves.toEqualTypeOf<HeadersResult>();
  });
});

describe('client.fetch', () => {
  it('has the type of fetch, and so has what client.fetchWith gives', () => {
    expectTypeOf(client.fetch).toEqualTypeOf<typeof fetch>();
    expectTypeOf(client.fetchWith({ priority: -1, elsewhere: fetch })).toEqualTypeOf<typeof fetch>();
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
