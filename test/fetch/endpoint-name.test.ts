import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressAssetsRequest, GET_INFO, HEAD_INFO } from '../../src/endpoints/endpoints.ts';
import { EndpointNames, endpointName } from '../../src/fetch/endpoint-name.ts';

const ACCOUNT = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';
const CONTRACT = 'SP2C2YFP12AJZB4MABJBAJ55XECVS7E4PMMZ89YZR.arkadiko-token';
const HASH = '0x2a1c0c8a7e5a4a3a9c4b2f1d6e8f7a6b5c4d3e2f1a0b9c8d7e6f5a4b3c2d1e0f';

describe('the name of an endpoint', () => {
  it.each<[string, string]>([
    ['/extended/v1/info', '/extended/v1/info'],
    [`/extended/v1/address/${ACCOUNT}/assets`, '/extended/v1/address/{address}/assets'],
    [`/extended/v1/address/${CONTRACT}/assets`, '/extended/v1/address/{address}/assets'],
    ['/extended/v1/address/ST000000000000000000002AMW42H/nonces', '/extended/v1/address/{address}/nonces'],
    [`/extended/v1/tx/${HASH}`, '/extended/v1/tx/{hash}'],
    [`/extended/v1/tx/${HASH.slice(2)}/raw`, '/extended/v1/tx/{hash}/raw'],
    ['/extended/v1/tx/multiple', '/extended/v1/tx/multiple'],
    ['/extended/v1/block/by_height/1234', '/extended/v1/block/by_height/{number}'],
    ['/extended/v2/burn-blocks/latest/blocks', '/extended/v2/burn-blocks/latest/blocks'],
    ['/extended/v2/smart-contracts/status', '/extended/v2/smart-contracts/status'],
    [`/extended/v1/contract/${CONTRACT}/events`, '/extended/v1/contract/{address}/events'],
    [
      `/extended/v2/addresses/${ACCOUNT}/balances/ft/${CONTRACT}::diko`,
      '/extended/v2/addresses/{address}/balances/ft/{asset}',
    ],
    [
      `/extended/v2/addresses/${ACCOUNT}/balances/ft/${encodeURIComponent(`${CONTRACT}::diko`)}`,
      '/extended/v2/addresses/{address}/balances/ft/{asset}',
    ],
    [`/v2/accounts/${ACCOUNT}`, '/v2/accounts/{address}'],
    [`/v2/contracts/interface/${ACCOUNT}/my-token`, '/v2/contracts/interface/{address}/{name}'],
    [`/v2/contracts/call-read/${ACCOUNT}/pox-4/get-stacker-info`, '/v2/contracts/call-read/{address}/{name}/{name}'],
    [`/v2/traits/${ACCOUNT}/a/${ACCOUNT}/b/sip-010`, '/v2/traits/{address}/{name}/{address}/{name}/{name}'],
    ['/v2/fees/transfer', '/v2/fees/transfer'],
    [`/metadata/v1/nft/${CONTRACT}/17`, '/metadata/v1/nft/{address}/{number}'],
    ['/v1/names/muneeb.btc', '/v1/names/{name}'],
    ['/v1/names/%F0%9F%A6%84.btc', '/v1/names/{name}'],
    ['/extended/v1/search/3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', '/extended/v1/search/{name}'],
    ['/extended/v1/search/bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', '/extended/v1/search/{name}'],
    ['/extended/v1/search/%E0%A4%A', '/extended/v1/search/{name}'],
    ['/extended//v1/info/', '/extended/v1/info'],
    ['/', '/'],
    ['', '/'],
    [`/a${'/b'.repeat(20)}`, `/a${'/b'.repeat(11)}/…`],
  ])('of %s is GET %s', (path, name) => {
    expect(endpointName('GET', path)).toBe(`GET ${name}`);
  });

  it('is told apart by the method', () => {
    expect(endpointName('POST', '/v2/transactions')).toBe('POST /v2/transactions');
  });

  it('is the one that the client’s own calls have, so that what they cost is learned together', () => {
    for (const { endpoint, method, path } of [GET_INFO, HEAD_INFO, addressAssetsRequest(CONTRACT, {})]) {
      expect(endpointName(method, path)).toBe(endpoint);
    }
  });

  it('never holds an address, a hash or a number, wherever they stand', () => {
    const id = fc.constantFrom(ACCOUNT, CONTRACT, HASH, HASH.slice(2), '1234567', `${CONTRACT}::diko`);
    const word = fc.constantFrom('extended', 'v1', 'v2', 'address', 'tx', 'by_height', 'burn-blocks');
    fc.assert(
      fc.property(fc.array(fc.oneof(id, word), { maxLength: 15 }), (segments) => {
        expect(endpointName('GET', `/${segments.join('/')}`)).not.toMatch(/S[PT][0-9A-Z]{20}|[0-9a-f]{20}|\d{3}/);
      }),
    );
  });
});

describe('the names that are given', () => {
  it('are no more than 551, whatever is called', () => {
    const names = new EndpointNames();
    const given = new Set<string>();
    for (let nth = 0; nth < 5_000; nth++) given.add(names.of('GET', `/w${nth}/x${nth}/y${nth}`));
    expect(given.size).toBe(551);
    expect([...given].slice(499, 501)).toEqual(['GET /w499/x499/y499', 'GET /w500/x500/…']);
    expect([...given].at(-1)).toBe('GET /…');
  });

  it('begin with the method of the call however many there are, but for methods of the caller’s own', () => {
    const names = new EndpointNames();
    for (let nth = 0; nth < 1_000; nth++) names.of('GET', `/w${nth}/x${nth}/y`);
    expect(['POST', 'HEAD', 'PURGE', 'LOCK'].map((method) => names.of(method, '/late/one/here'))).toEqual([
      'POST /…',
      'HEAD /…',
      '* /…',
      '* /…',
    ]);
  });

  it('stay the same once they are given', () => {
    const names = new EndpointNames();
    const first = names.of('GET', '/extended/v1/info');
    for (let nth = 0; nth < 600; nth++) names.of('GET', `/w${nth}`);
    expect(names.of('GET', '/extended/v1/info')).toBe(first);
  });

  it('are by the first segments when there are many, so that the version of an interface is still told', () => {
    const names = new EndpointNames();
    for (let nth = 0; nth < 500; nth++) names.of('GET', `/w${nth}`);
    const late = ['/extended/v1/a/b', '/extended/v1/c', '/extended/v2/c', '/extended/v1'].map((path) =>
      names.of('GET', path),
    );
    expect(late).toEqual(['GET /extended/v1/…', 'GET /extended/v1/…', 'GET /extended/v2/…', 'GET /extended/v1']);
  });
});
