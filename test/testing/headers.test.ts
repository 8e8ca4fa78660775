import { describe, expect, it } from 'vitest';
import { createMockService, type MockServiceOptions, virtualClock } from '../../src/testing/index.ts';

const INFO = 'https://api.mock.test/extended/v1/info';
const START = Date.UTC(2026, 2, 14, 15, 9, 26, 535);

async function headersOf(options: MockServiceOptions, requests = 1, path = INFO): Promise<Record<string, string>> {
  const service = createMockService({ clock: virtualClock({ wall: START }), keys: ['k'], ...options });
  let response: Response | undefined;
  for (let sent = 0; sent < requests; sent++) response = await service.fetch(path, { headers: { 'x-api-key': 'k' } });
  return Object.fromEntries(response?.headers ?? []);
}

describe('the headers of the mock', () => {
  it('are all of section 8 when nothing is said', async () => {
    expect(await headersOf({})).toEqual({
      'content-type': 'application/json; charset=utf-8',
      date: 'Sat, 14 Mar 2026 15:09:26 GMT',
      'x-ratelimit-cost-stacks': '1',
      'x-ratelimit-limit-stacks-second': '20',
      'x-ratelimit-remaining-stacks-second': '19',
      'x-ratelimit-limit-stacks-minute': '500',
      'x-ratelimit-remaining-stacks-minute': '499',
      'x-ratelimit-limit-stacks-month': '150000',
      'x-ratelimit-remaining-stacks-month': '149999',
      'ratelimit-limit': '20',
      'ratelimit-remaining': '19',
      'ratelimit-reset': String(Date.UTC(2026, 2, 14, 15, 9, 27) / 1_000),
    });
  });

  it('name hours and days too, where those are limited', async () => {
    const headers = await headersOf({ keyed: { hour: 7, day: 9 } });
    expect(headers['x-ratelimit-remaining-stacks-hour']).toBe('6');
    expect(headers['x-ratelimit-remaining-stacks-day']).toBe('8');
    expect(headers).not.toHaveProperty('x-ratelimit-limit-stacks-month');
  });

  it('describe by the generic three the window with the least left, and of equals the longer', async () => {
    const tight = await headersOf({ keyed: { second: 9, minute: 5, hour: 5, day: 6 } });
    expect([tight['ratelimit-limit'], tight['ratelimit-remaining']]).toEqual(['5', '4']);
    expect(Number(tight['ratelimit-reset']) * 1_000).toBe(Date.UTC(2026, 2, 14, 16));
  });

  it.for<[MockServiceOptions['reset'], string]>([
    ['epoch-seconds', String(Date.UTC(2026, 2, 14, 15, 10) / 1_000)],
    ['epoch-ms', String(Date.UTC(2026, 2, 14, 15, 10))],
    ['seconds-left', '34'],
  ])('say when the window resets in %s', async ([reset, expected]) => {
    const headers = await headersOf({ keyed: { minute: 5 }, ...(reset && { reset }) });
    expect(headers['ratelimit-reset']).toBe(expected);
  });

  it('can be left out by family', async () => {
    const names = Object.keys(await headersOf({ headers: { family: false, date: false, cost: false } }));
    expect(names).toEqual(['content-type', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']);
    expect(Object.keys(await headersOf({ headers: { generic: false } })).join()).not.toMatch(/(^|,)ratelimit-/);
  });

  it('can be left out by name, retry-after included', async () => {
    const only = (name: string): boolean => name.endsWith('-minute');
    const headers = await headersOf({ keyed: { minute: 1 }, headers: { only } }, 2);
    expect(Object.keys(headers).toSorted()).toEqual([
      'content-type',
      'x-ratelimit-limit-stacks-minute',
      'x-ratelimit-remaining-stacks-minute',
    ]);
  });

  it("describe an endpoint's own ceiling where it has one, counted in requests and kept", async () => {
    const options: MockServiceOptions = {
      keyed: { minute: 100 },
      cost: { info: 10 },
      ceilings: { info: { limit: 3, period: 'hour' } },
      headers: { generic: 'per endpoint ceiling' },
    };
    const first = await headersOf(options, 2);
    expect([first['ratelimit-limit'], first['ratelimit-remaining']]).toEqual(['3', '1']);
    expect(Number(first['ratelimit-reset']) * 1_000).toBe(Date.UTC(2026, 2, 14, 16));
    expect((await headersOf(options, 4))['retry-after']).toBe(String(50 * 60 + 34));
    const elsewhere = await headersOf(options, 1, 'https://api.mock.test/elsewhere');
    expect(elsewhere['ratelimit-limit']).toBe('100');
  });

  it('state the cost of the endpoint', async () => {
    expect((await headersOf({ cost: { info: 7 } }))['x-ratelimit-cost-stacks']).toBe('7');
    const byQuery = await headersOf({ cost: ({ url }) => Number(url.searchParams.get('units')) }, 1, `${INFO}?units=0`);
    expect(byQuery['x-ratelimit-cost-stacks']).toBe('0');
    expect(byQuery['x-ratelimit-remaining-stacks-second']).toBe('20');
  });

  it('say of an exhausted window that -1 is left, if told so, and only on a refusal', async () => {
    const options: MockServiceOptions = { keyed: { minute: 2, month: 9 }, headers: { exhausted: -1 } };
    const leftAfter = async (requests: number) => {
      const headers = await headersOf(options, requests);
      return ['x-ratelimit-remaining-stacks-minute', 'x-ratelimit-remaining-stacks-month', 'ratelimit-remaining'].map(
        (name) => headers[name],
      );
    };
    expect(await leftAfter(2)).toEqual(['0', '7', '0']);
    expect(await leftAfter(3)).toEqual(['-1', '7', '-1']);
  });

  it('are on the answer to an unknown key if told so, which then counts as a request without one', async () => {
    const options: MockServiceOptions = { keys: [], keyless: { minute: 2 }, headers: { unknownKey: true } };
    const service = createMockService({ clock: virtualClock({ wall: START }), ...options });
    const ask = () => service.fetch(INFO, { headers: { 'x-api-key': 'made up' } });
    const first = await ask();
    expect([first.status, first.headers.get('x-ratelimit-remaining-stacks-minute')]).toEqual([401, '1']);
    expect((await service.fetch(INFO)).headers.get('x-ratelimit-remaining-stacks-minute')).toBe('0');
    const refused = await ask();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '34']);
    expect(Object.keys(await headersOf({ keys: [] }))).toEqual(['content-type', 'date']);
  });

  it('name a second family, with its own limits and cost, where the request counts in it', async () => {
    const isBitcoin = (url: URL): boolean => url.pathname.startsWith('/ordinals');
    const options: MockServiceOptions = {
      keyed: { minute: 9 },
      cost: ({ url }) => (isBitcoin(url) ? undefined : 1),
      families: { bitcoin: { keyed: { minute: 5, hour: 7 }, cost: ({ url }) => (isBitcoin(url) ? 3 : undefined) } },
      routes: { 'GET /ordinals/v1/inscriptions': () => ({ results: [] }) },
    };
    const own = await headersOf(options);
    expect(Object.keys(own).filter((name) => name.includes('bitcoin'))).toEqual([]);
    const other = await headersOf(options, 1, 'https://api.mock.test/ordinals/v1/inscriptions');
    expect(other).toMatchObject({
      'x-ratelimit-cost-bitcoin': '3',
      'x-ratelimit-limit-bitcoin-minute': '5',
      'x-ratelimit-remaining-bitcoin-minute': '2',
      'x-ratelimit-remaining-bitcoin-hour': '4',
      'ratelimit-remaining': '2',
    });
    expect(Object.keys(other).filter((name) => name.includes('stacks'))).toEqual([]);
    const refused = await headersOf(options, 2, 'https://api.mock.test/ordinals/v1/inscriptions');
    expect([refused['retry-after'], refused['x-ratelimit-remaining-bitcoin-minute']]).toEqual(['34', '2']);
  });

  it('name both families where a request counts in both, which either may refuse', async () => {
    const options: MockServiceOptions = { keyed: { minute: 9 }, families: { bitcoin: { keyed: { hour: 1 } } } };
    const names = Object.keys(await headersOf(options));
    expect(names).toContain('x-ratelimit-remaining-stacks-minute');
    expect(names).toContain('x-ratelimit-remaining-bitcoin-hour');
    const refused = await headersOf(options, 2);
    expect(refused['retry-after']).toBe(String(50 * 60 + 34));
    expect(refused['x-ratelimit-remaining-stacks-minute']).toBe('8');
  });

  it("follow the service's own clock", async () => {
    const ahead = await headersOf({ skewMs: 3_600_000 });
    expect(ahead.date).toBe('Sat, 14 Mar 2026 16:09:26 GMT');
  });
});

describe('a refusal of the mock', () => {
  const refuse = (limited: MockServiceOptions['limited']): Promise<Response> => {
    const service = createMockService({
      clock: virtualClock({ wall: START }),
      keyless: { minute: 0 },
      ...(limited && { limited }),
    });
    return service.fetch(INFO);
  };

  it('is a 429 with whole seconds to wait and a message, when nothing is said', async () => {
    const response = await refuse(undefined);
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('34');
    expect(await response.json()).toEqual({ message: 'API rate limit exceeded' });
  });

  it.for<[NonNullable<MockServiceOptions['limited']>['retryAfter'], string | null]>([
    ['date', 'Sat, 14 Mar 2026 15:10:00 GMT'],
    ['none', null],
    [7, '7'],
    [() => 'soon', 'soon'],
  ])('can ask to wait in other ways: %s', async ([retryAfter, expected]) => {
    const response = await refuse(retryAfter === undefined ? {} : { retryAfter });
    expect(response.headers.get('retry-after')).toBe(expected);
  });

  it.for([
    ['text', 'text/plain', 'API rate limit exceeded'],
    ['html', 'text/html', '<html>'],
    ['empty', null, ''],
  ] as const)('can have another status and a body of %s', async ([body, type, start]) => {
    const response = await refuse({ status: 503, body });
    expect(response.status).toBe(503);
    expect(response.headers.get('content-type')).toBe(type);
    expect((await response.text()).slice(0, start.length)).toBe(start);
  });
});
