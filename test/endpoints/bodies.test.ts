import fc from 'fast-check';
import { describe, expect, expectTypeOf, test, vi } from 'vitest';
import * as z from 'zod';
import type { AddressAssets, AssetEvent, UnknownAssetEvent } from '../../src/endpoints/bodies.ts';
import { validateBody } from '../../src/endpoints/body-check.ts';
import { addressAssetsRequest, GET_INFO } from '../../src/endpoints/endpoints.ts';
import type { StandardSchemaV1 } from '../../src/validation/standard-schema.ts';

const account = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';

describe('a body of address assets', () => {
  const { schema } = addressAssetsRequest(account, {});
  const seen = { event_index: 3, tx_id: '0xab' };
  const stx = {
    ...seen,
    event_type: 'stx_asset',
    asset: { asset_event_type: 'transfer', sender: account, recipient: account, amount: '1' },
  };
  const fungible = {
    ...seen,
    event_type: 'fungible_token_asset',
    asset: {
      asset_event_type: 'mint',
      asset_id: `${account}.c::t`,
      sender: '',
      recipient: account,
      amount: '340282366920938463463374607431768211455',
    },
  };
  const nonFungible = {
    ...seen,
    event_type: 'non_fungible_token_asset',
    asset: {
      asset_event_type: 'burn',
      asset_id: `${account}.c::t`,
      sender: account,
      recipient: '',
      value: { hex: '0x01', repr: 'u1' },
    },
  };
  const lock = {
    ...seen,
    event_type: 'stx_lock',
    stx_lock_event: { locked_amount: '5', unlock_height: 9, locked_address: account },
  };
  const page = (...results: unknown[]): unknown => ({ limit: 20, offset: 0, total: results.length, results });

  async function check(body: unknown): Promise<AddressAssets | string[]> {
    if (schema === undefined) throw new Error('no schema');
    const result = await validateBody(schema, body);
    return result.issues === undefined ? result.value : result.issues.map(({ path, message }) => `${path}: ${message}`);
  }

  test('is given as the service sends it', async () => {
    const body = page({ ...stx, asset: { ...stx.asset, memo: '0x' } }, fungible, nonFungible, lock);
    expect(await check(body)).toEqual(body);
  });

  test('may have fields and events of types that are not known yet', async () => {
    const body = page(
      { ...stx, block: { height: 1 } },
      { ...seen, event_type: 'stx_unlock', anything: [1] },
      { ...seen, event_type: 'constructor' },
    );
    expect(await check({ ...(body as object), next: null })).toEqual({ ...(body as object), next: null });
  });

  test('may have whole numbers for amounts, which become text', async () => {
    const body = page(
      { ...stx, asset: { ...stx.asset, amount: 9_007_199_254_740_991 } },
      { ...lock, stx_lock_event: { ...lock.stx_lock_event, locked_amount: 0 } },
    );
    expect(await check(body)).toMatchObject({
      results: [{ asset: { amount: '9007199254740991' } }, { stx_lock_event: { locked_amount: '0' } }],
    });
  });

  test.each([null, undefined])('may have %s for a party, which becomes empty', async (missing) => {
    const { sender: _, ...asset } = stx.asset;
    const body = page({ ...stx, asset: missing === null ? { ...asset, sender: null } : asset });
    expect(await check(body)).toMatchObject({ results: [{ asset: { sender: '', recipient: account } }] });
  });

  test.each([2 ** 53, 1.5, -1, '-1', '1e3', '0x1', '', ' 1', null, undefined, {}])(
    'must not have the amount %o',
    async (amount) => {
      expect(await check(page({ ...stx, asset: { ...stx.asset, amount } }))).toEqual([
        'results.0.asset.amount: expected a whole number in decimal digits',
      ]);
    },
  );

  test.each<[unknown, string[]]>([
    [undefined, [': expected object, not nothing']],
    [[], [': expected object, not array']],
    ['secret', [': expected object, not string']],
    [{ ...(page() as object), total: 'secret' }, ['total: expected number, not string']],
    [{ limit: 1, offset: 0, total: 0 }, ['results: expected array, not nothing']],
    [page(null), ['results.0: expected object, not null']],
    [page(lock, { ...stx, tx_id: 7 }), ['results.1.tx_id: expected string, not number']],
    [page({ ...stx, asset: undefined }), ['results.0.asset: expected object, not nothing']],
    [page({ ...stx, event_type: 'stx_lock' }), ['results.0.stx_lock_event: expected object, not nothing']],
    [
      page({ ...nonFungible, asset: { ...nonFungible.asset, asset_id: 1, value: null } }),
      ['results.0.asset.asset_id: expected string, not number', 'results.0.asset.value: expected object, not null'],
    ],
  ])('that is %o is refused, with the place and without what was there', async (body, issues) => {
    expect(await check(body)).toEqual(issues);
  });

  test('may have a thousand results, and no more are looked at', async () => {
    expect(await check(page(...Array(1_000).fill(stx)))).toMatchObject({ total: 1_000 });
    const tooMany = ['results: expected at most 1,000 elements'];
    expect(await check(page(...Array(1_001).fill(stx)))).toEqual(tooMany);
    const looked = vi.fn();
    const trap = Object.defineProperty({}, 'event_type', { get: looked, enumerable: true });
    expect(await check(page(...Array(1_001).fill(trap)))).toEqual(tooMany);
    expect(looked).not.toHaveBeenCalled();
  });

  test('is refused with one issue, however many results are wrong', async () => {
    const body = { ...(page() as object), results: Array(3_900_000).fill(0) };
    expect(await check(body)).toEqual(['results: expected at most 1,000 elements']);
  });

  test('cannot give its prototype another face', async () => {
    const body = JSON.parse(`{ "limit": 1, "offset": 0, "total": 0, "results": [], "__proto__": { "admin": true } }`);
    const checked = await check(body);
    expect(checked).not.toHaveProperty('admin');
    expect(Object.getPrototypeOf(checked)).toBe(Object.prototype);
  });

  test('is narrowed by the type of an event', () => {
    const told = (event: AssetEvent): string => {
      switch (event.event_type) {
        case 'stx_asset':
          expectTypeOf(event.asset.memo).toEqualTypeOf<string | undefined>();
          return event.asset.amount;
        case 'fungible_token_asset':
          return event.asset.asset_id;
        case 'non_fungible_token_asset':
          return event.asset.value.repr;
        case 'stx_lock':
          return event.stx_lock_event.locked_address;
        default:
          expectTypeOf(event).toEqualTypeOf<UnknownAssetEvent>();
          return String(event.event_type);
      }
    };
    expect(
      [stx, nonFungible, { ...seen, event_type: 'new' }].map((event) => told(event as unknown as AssetEvent)),
    ).toEqual(['1', 'u1', 'new']);
  });
});

describe('a body of info', () => {
  const { schema } = GET_INFO;

  test('may be any object', async () => {
    if (schema === undefined) throw new Error('no schema');
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
          fc.jsonValue(),
          { noNullPrototype: true },
        ),
        async (body) => {
          expect(await validateBody(schema, body)).toEqual({ value: body });
        },
      ),
    );
  });

  test.each([null, [], 'text', 3])('must not be %o', async (body) => {
    if (schema === undefined) throw new Error('no schema');
    expect(await validateBody(schema, body)).toMatchObject({ issues: [{ path: '' }] });
  });
});

describe("the caller's own schema", () => {
  test('gives the type and the value of the body', async () => {
    const schema = z.object({ height: z.string().transform(Number) });
    const checked = await validateBody(schema, { height: '5', more: true });
    if (checked.issues !== undefined) throw new Error('has issues');
    expectTypeOf(checked.value).toEqualTypeOf<{ height: number }>();
    expect(checked).toEqual({ value: { height: 5 } });
  });

  test('may take its time', async () => {
    const schema = z.object({ height: z.string().refine(async (text) => text !== '5', 'must not be 5') });
    expect(await validateBody(schema, { height: '5' })).toEqual({
      issues: [{ path: 'height', message: 'must not be 5' }],
    });
  });

  test('that a body is too deep for refuses it with one issue', async () => {
    const Tree = z.object({
      get child() {
        return z.optional(Tree);
      },
    });
    const deep = JSON.parse(`${'{"child":'.repeat(100_000)}{}${'}'.repeat(100_000)}`);
    expect(await validateBody(Tree, deep)).toEqual({
      issues: [{ path: '', message: 'too deep or too large to be checked' }],
      cause: expect.any(RangeError),
    });
  });

  const throwing = (error: Error): StandardSchemaV1 => ({
    '~standard': { version: 1, vendor: 'test', validate: () => Promise.reject(error) },
  });

  test('that gives up in its own time refuses the body, too', async () => {
    const cause = new RangeError('Invalid array length');
    expect(await validateBody(throwing(cause), {})).toMatchObject({ issues: [{ path: '' }], cause });
  });

  test('may throw what else it likes', async () => {
    const mistake = new TypeError('a mistake');
    await expect((async () => validateBody(throwing(mistake), {}))()).rejects.toBe(mistake);
  });

  test('may name places in any of the ways of Standard Schema', async () => {
    const issues = [
      { message: 'a', path: ['results', 0, { key: 'tx_id' }] },
      { message: 'b', path: [Symbol('s')] },
      { message: 'c' },
    ];
    const schema: StandardSchemaV1 = { '~standard': { version: 1, vendor: 'test', validate: () => ({ issues }) } };
    expect(await validateBody(schema, {})).toEqual({
      issues: [
        { path: 'results.0.tx_id', message: 'a' },
        { path: 'Symbol(s)', message: 'b' },
        { path: '', message: 'c' },
      ],
    });
  });
});
