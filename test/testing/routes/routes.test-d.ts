import { expectTypeOf, it } from 'vitest';
import { createMockService, type MockServiceOptions } from '../../../src/testing/index.ts';

it('types the params of each route by its path', () => {
  createMockService({
    routes: {
      'GET /extended/v2/addresses/{principal}/transactions/{tx_id}': ({ params }) => {
        expectTypeOf(params).toEqualTypeOf<{ readonly principal: string; readonly tx_id: string }>();
        return {};
      },
      'POST /v2/transactions': async ({ params, bytes }) => {
        expectTypeOf<keyof typeof params>().toBeNever();
        return (await bytes()).length;
      },
    },
  });
});

it('knows no names where the routes are not known', () => {
  const options: MockServiceOptions = {
    routes: {
      'GET /v2/accounts/{principal}': ({ params }) => {
        expectTypeOf(params).toEqualTypeOf<Readonly<Record<string, string>>>();
        return params.principal;
      },
    },
  };
  createMockService(options);
});

it('accepts a method and a path only', () => {
  // @ts-expect-error -- no method
  createMockService({ routes: { '/v2/info': () => ({}) } });
  // @ts-expect-error -- no path
  createMockService({ routes: { 'GET v2/info': () => ({}) } });
});
