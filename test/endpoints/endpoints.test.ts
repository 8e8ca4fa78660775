import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AddressAssets } from '../../src/endpoints/bodies.ts';
import {
  type AddressAssetsParams,
  type ApiRequest,
  ASSETS_PARAMS,
  addressAssetsRequest,
  GET_INFO,
  HEAD_INFO,
  urlOf,
} from '../../src/endpoints/endpoints.ts';
import { fillTemplate, queryText } from '../../src/endpoints/path-template.ts';
import { optionsParser } from '../../src/validation/arguments.ts';
import { refusal } from '../support/refusal.ts';

const account = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';
const hash = `0x${'0aF9'.repeat(16)}`;

/** Stands for callers without types. */
const readParams = optionsParser('parameters', ASSETS_PARAMS);
const assets = (address: unknown, params: unknown = {}): ApiRequest<AddressAssets> =>
  addressAssetsRequest(address as string, readParams(params));

describe('a request', () => {
  test('for info is a GET of its path', () => {
    expect(GET_INFO).toMatchObject({
      endpoint: 'GET /extended/v1/info',
      method: 'GET',
      path: '/extended/v1/info',
      query: '',
    });
  });

  test('for headers alone is a HEAD, whose cost is remembered apart, and expects no body', () => {
    expect(HEAD_INFO).toEqual({
      endpoint: 'HEAD /extended/v1/info',
      method: 'HEAD',
      path: '/extended/v1/info',
      query: '',
    });
  });

  test('for the assets of an account has the account in its path, and not in the name of its endpoint', () => {
    expect(assets(account)).toMatchObject({
      endpoint: 'GET /extended/v1/address/{address}/assets',
      method: 'GET',
      path: `/extended/v1/address/${account}/assets`,
      query: '',
    });
  });

  test('for the assets of a contract has the contract in its path', () => {
    expect(assets(`${account}.a-b_9`).path).toBe(`/extended/v1/address/${account}.a-b_9/assets`);
  });

  test.each<[AddressAssetsParams, string]>([
    [{}, ''],
    [{ limit: 0, offset: 0 }, 'limit=0&offset=0'],
    [{ offset: 200, limit: 100 }, 'limit=100&offset=200'],
    [{ unanchored: true }, 'unanchored=true'],
    [{ unanchored: false }, ''],
    [{ untilBlock: 0 }, 'until_block=0'],
    [{ untilBlock: hash }, `until_block=${hash}`],
    [{ unanchored: false, untilBlock: 170_000 }, 'until_block=170000'],
    [{ limit: undefined, untilBlock: undefined }, ''],
  ])('with %o has the query %o', (params, query) => {
    expect(assets(account, params).query).toBe(query);
  });

  test.each<[unknown, string, string]>([
    [{ limit: 101 }, 'limit', 'limit must be a whole number from 0 to 100, not 101'],
    [{ limit: -1 }, 'limit', 'limit must be a whole number from 0 to 100, not -1'],
    [{ limit: '20' }, 'limit', 'limit must be a whole number from 0 to 100, not "20"'],
    [{ limit: null }, 'limit', 'limit must be a whole number from 0 to 100, not null'],
    [{ limit: Number.NaN }, 'limit', 'limit must be a whole number from 0 to 100, not NaN'],
    [{ offset: 1.5 }, 'offset', 'offset must be a whole number, 0 or more, not 1.5'],
    [{ offset: Infinity }, 'offset', 'offset must be a whole number, 0 or more, not Infinity'],
    [{ unanchored: 'true' }, 'unanchored', 'unanchored must be true or false, not "true"'],
    [
      { untilBlock: '170000' },
      'untilBlock',
      'untilBlock must be the height of a block or its hash (0x, 64 hexadecimal digits), not "170000"',
    ],
    [
      { untilBlock: -1 },
      'untilBlock',
      'untilBlock must be the height of a block or its hash (0x, 64 hexadecimal digits), not -1',
    ],
    [{ untilBlock: 5, unanchored: true }, 'untilBlock', 'untilBlock cannot be combined with unanchored'],
    [
      { limt: 5 },
      'limt',
      'limt is not one of the parameters: limit, offset, unanchored, untilBlock. Did you mean limit?',
    ],
    ['?limit=5', 'parameters', 'parameters must be an object, not string'],
  ])('with %o is refused before anything is spent', (params, option, message) => {
    const error = refusal(() => assets(account, params));
    expect(error.option).toBe(option);
    expect(error.message).toBe(message);
  });

  test.each([`${hash}0`, hash.slice(0, -1), `${hash}\n`, `${hash}&x=1`, hash.slice(2), '0x', '', '../..'])(
    'until the block %j is refused',
    (untilBlock) => {
      expect(refusal(() => assets(account, { untilBlock })).option).toBe('untilBlock');
    },
  );

  test.each([
    undefined,
    '',
    '..',
    `${account}/..`,
    `${account}?limit=1`,
    `${account}#`,
    `${account}%2F`,
    { toString: () => account },
  ])('for the address %o is refused', (address) => {
    expect(refusal(() => assets(address)).option).toBe('address');
  });

  test('ignores parameters that are set on Object.prototype', () => {
    Object.defineProperty(Object.prototype, 'limit', { value: 7, configurable: true, writable: true });
    try {
      expect(assets(account, { offset: 1 }).query).toBe('offset=1');
    } finally {
      Reflect.deleteProperty(Object.prototype, 'limit');
    }
  });
});

describe('the URL of a request', () => {
  const request = assets(account, { limit: 5 });

  test.each(['https://api.hiro.so', 'http://127.0.0.1:3999', 'https://gateway.example/stacks/main'])(
    'lies under %s',
    (base) => {
      expect(urlOf(base, request)).toBe(`${base}/extended/v1/address/${account}/assets?limit=5`);
      expect(urlOf(base, GET_INFO)).toBe(`${base}/extended/v1/info`);
    },
  );

  test.each(['/../admin', '/%2e%2e/admin', '/a\\b', '/a\tb', '/a?b', '.evil.example/', ':80@evil.example/', '/ä'])(
    'is made of no path that would become another, such as %j',
    (path) => {
      expect(refusal(() => fillTemplate(path)).option).toBe('path');
    },
  );

  test('is what it is made of, whatever the path', () => {
    const pieces = [
      '/',
      '//',
      '.',
      '..',
      '%2e',
      '%2E',
      '%',
      'a',
      'é',
      '\\',
      ' ',
      '\n',
      '@',
      ':80',
      "'",
      '"',
      '<',
      '|',
      '^',
      '`',
      '{',
      '[',
      '*',
      '+',
      ';',
      '=',
      '&',
      '~',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 6 }), (some) => {
        const path = `/${some.join('')}`;
        let filled: string;
        try {
          filled = fillTemplate(path);
        } catch {
          return;
        }
        const url = urlOf('https://api.hiro.so', { path: filled, query: queryText({ q: path }) });
        expect(new URL(url).href).toBe(url);
        expect(new URL(url).host).toBe('api.hiro.so');
      }),
    );
  });
});
