import { describe, expect, it } from 'vitest';
import { createMockService, type MockServiceOptions, virtualClock } from '../../../src/testing/index.ts';

const ADDRESS = 'SP1J1A6PJ50NS54VWAVFGA9C4HS53NAQXZQ07P5TK';

interface Page {
  readonly limit: number;
  readonly offset: number;
  readonly total: number;
  readonly results: readonly {
    readonly event_type: string;
    readonly tx_id: string;
    readonly event_index: number;
    readonly asset?: { readonly amount?: string; readonly sender: string; readonly recipient: string };
    readonly stx_lock_event?: { readonly locked_amount: string };
  }[];
}

function service(options: MockServiceOptions = {}): (query?: string, init?: RequestInit) => Promise<Response> {
  const { fetch } = createMockService({ clock: virtualClock(), keyless: {}, assetsOf: () => 45, ...options });
  return (query = '', init) => fetch(`https://api.mock.test/extended/v1/address/${ADDRESS}/assets${query}`, init);
}

const page = async (response: Promise<Response>): Promise<Page> => (await response).json() as Promise<Page>;

describe('the assets of an address', () => {
  it('come twenty at a time from the newest on, the same in every run', async () => {
    const first = await page(service()());
    expect([first.limit, first.offset, first.total, first.results.length]).toEqual([20, 0, 45, 20]);
    expect(await page(service()())).toEqual(first);
  });

  it('are walked by offset without a gap, and end on a short page', async () => {
    const ask = service();
    const whole = await page(ask('?limit=100'));
    const pages = [await page(ask()), await page(ask('?offset=20')), await page(ask('?offset=40'))];
    expect(pages.flatMap(({ results }) => results)).toEqual(whole.results);
    expect(new Set(whole.results.map(({ tx_id }) => tx_id)).size).toBe(45);
  });

  it('know no total past the end', async () => {
    expect(await page(service()('?offset=45'))).toEqual({ limit: 20, offset: 45, total: 0, results: [] });
    expect(await page(service()('?limit=0'))).toMatchObject({ total: 0, results: [] });
  });

  it('shift when a new event arrives', async () => {
    let events = 45;
    const ask = service({ assetsOf: () => events });
    const before = await page(ask());
    events++;
    const after = await page(ask());
    expect(after.results.slice(1)).toEqual(before.results.slice(0, 19));
  });

  it('are of all four kinds, with amounts that no double can hold', async () => {
    const { results } = await page(service()('?limit=100'));
    const kinds = new Set(results.map(({ event_type }) => event_type));
    expect([...kinds].toSorted()).toEqual([
      'fungible_token_asset',
      'non_fungible_token_asset',
      'stx_asset',
      'stx_lock',
    ]);
    const amounts = results.flatMap(
      ({ asset, stx_lock_event }) => asset?.amount ?? stx_lock_event?.locked_amount ?? [],
    );
    expect(amounts.length).toBeGreaterThan(10);
    for (const amount of amounts) {
      expect(amount).toMatch(/^[1-9]\d+$/);
      expect(BigInt(amount)).toBeGreaterThan(BigInt(Number.MAX_SAFE_INTEGER));
      expect(BigInt(amount)).toBeLessThan(2n ** 128n);
    }
  });

  it('leave a missing party empty, never null', async () => {
    const { results } = await page(service()('?limit=100'));
    const parties = results.flatMap(({ asset }) => (asset ? [asset.sender, asset.recipient] : []));
    expect(parties).toContain('');
    expect(parties.filter((party) => typeof party !== 'string')).toEqual([]);
  });

  it.for<[string, string]>([
    ['?limit=101', 'limit'],
    ['?limit=-1', 'limit'],
    ['?limit=ten', 'limit'],
    ['?offset=-1', 'offset'],
    ['?offset=1.5', 'offset'],
    ['?unanchored=maybe', 'unanchored'],
    ['?until_block=0x12', 'until_block'],
    ['?until_block=12&unanchored=true', 'unanchored'],
  ])('are refused with 400 for %s', async ([query, named]) => {
    const response = await service()(query);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      statusCode: 400,
      error: 'Bad Request',
      message: expect.stringContaining(named),
    });
  });

  it.for(['?limit=100&offset=3', '?unanchored=true', '?until_block=123', `?until_block=0x${'ab'.repeat(32)}`])(
    'are given for %s',
    async (query) => {
      expect((await service()(query)).status).toBe(200);
    },
  );

  it('are refused with 400 for an address that cannot be one', async () => {
    const { fetch } = createMockService();
    expect((await fetch('https://api.mock.test/extended/v1/address/nobody/assets')).status).toBe(400);
    const contract = `${ADDRESS}.some-contract`;
    expect((await fetch(`https://api.mock.test/extended/v1/address/${contract}/assets`)).status).toBe(200);
  });

  it('carry an ETag that saves the body next time, and a warning that the route is old', async () => {
    const ask = service();
    const first = await ask();
    expect(first.headers.get('warning')).toMatch(/^299 /);
    const again = await ask('', { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect((await ask('?offset=1', { headers: { 'if-none-match': first.headers.get('etag') ?? '' } })).status).toBe(
      200,
    );
  });
});

describe('the other pages', () => {
  it('are an info that is found, or not, as on the real service', async () => {
    const path = 'https://api.mock.test/extended/v1/info';
    expect((await createMockService().fetch(path)).status).toBe(200);
    const missing = await createMockService({ info: 404 }).fetch(path);
    expect([missing.status, missing.headers.has('x-ratelimit-limit-stacks-minute')]).toEqual([404, true]);
  });

  it('are not found, in JSON and with quota headers', async () => {
    const response = await createMockService().fetch('https://api.mock.test/v2/elsewhere');
    expect([response.status, response.headers.get('ratelimit-remaining')]).toEqual([404, '49']);
    expect(await response.json()).toMatchObject({ statusCode: 404, error: 'Not Found' });
  });
});
