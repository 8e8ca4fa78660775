import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/create-client.ts';
import type { ClientEvent } from '../../../src/events.ts';
import type { ClientOptions } from '../../../src/options/client-options.ts';
import { createMockService, type MockServiceOptions, virtualClock } from '../../../src/testing/index.ts';

const KEY = 'k3y-of-32-characters-0123456789ab';
const ADDRESS = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';
const OTHER = 'SP1J1A6PJ50NS54VWAVFGA9C4HS53NAQXZQ07P5TK';
const assets = (address: string): string => `/extended/v1/address/${address}/assets`;
const reason = new Error('enough');

/** A client and the service it calls, a tenth of a second away, both in virtual time. */
function pair(options: ClientOptions = {}, service: MockServiceOptions = {}) {
  const clock = virtualClock({ wall: Date.UTC(2026, 0, 15, 12, 0, 20, 500) });
  const mock = createMockService({
    clock,
    latencyMs: 100,
    keyless: { minute: 10_000 },
    assetsOf: () => 30,
    ...service,
  });
  const events: ClientEvent[] = [];
  const conditions: (string | null)[] = [];
  const client = createClient({
    baseUrl: mock.origin,
    fetch: (input, init) => {
      conditions.push((input as Request).headers.get('if-none-match'));
      return mock.fetch(input, init);
    },
    clock,
    random: () => 0.5,
    onEvent: (event) => events.push(event),
    ...options,
  });
  const statuses = (): number[] => mock.log.map(({ status }) => status);
  return { clock, mock, client, events, conditions, statuses };
}

describe('calls that ask the same at the same time', () => {
  it('are a request each, unless the client is told otherwise', async () => {
    const { clock, mock, client } = pair();
    await clock.run(Promise.all([client.getAddressAssets(ADDRESS), client.getAddressAssets(ADDRESS)]));
    expect(mock.requests).toBe(2);
  });

  it('share one request, and each gets the whole answer', async () => {
    const { clock, mock, client } = pair({ shareInFlight: true });
    const named = Array.from({ length: 5 }, () => client.getAddressAssets(ADDRESS));
    const fetched = Array.from({ length: 5 }, async () => (await client.fetch(assets(ADDRESS))).json());
    const answers = await clock.run(Promise.all([...named.map(async (one) => (await one).data), ...fetched]));
    expect(answers).toEqual(Array(10).fill(answers[0]));
    expect(answers[0]).toMatchObject({ total: 30 });
    // The client's own and those by fetch differ in what a last refusal is to them.
    expect(mock.requests).toBe(2);
  });

  it('each get the whole answer of a fetch that leaves out whether it is a success', async () => {
    const fetch = async (): Promise<Response> => {
      const { status, headers, body: stream } = Response.json({ fee: 1 });
      return { status, headers, body: stream } as Response;
    };
    const client = createClient({ fetch, shareInFlight: true });
    const answers = await Promise.all([client.get('/v2/fees'), client.get('/v2/fees')]);
    expect(answers.map(({ data }) => data)).toEqual([{ fee: 1 }, { fee: 1 }]);
  });

  it('share it while they wait, too: a thousand cost one unit', async () => {
    const { clock, mock, client } = pair({ shareInFlight: true }, { keyless: { minute: 1 } });
    await clock.run(client.getInfo());
    await clock.run(Promise.all(Array.from({ length: 1_000 }, () => client.getAddressAssets(ADDRESS))));
    expect([mock.requests, mock.limited]).toEqual([2, 0]);
  });

  it('each own their Response: one may be changed and read without the other', async () => {
    const { clock, client } = pair({ shareInFlight: true });
    const [one, other] = await clock.run(Promise.all([client.fetch(assets(ADDRESS)), client.fetch(assets(ADDRESS))]));
    one?.headers.set('x-mine', 'a');
    const bytes = new Uint8Array((await one?.arrayBuffer()) ?? []);
    bytes.fill(0);
    expect(other?.headers.has('x-mine')).toBe(false);
    expect(await other?.json()).toMatchObject({ total: 30 });
  });

  it('ask anew when the answer has come', async () => {
    const { clock, mock, client } = pair({ shareInFlight: true });
    for (let nth = 0; nth < 3; nth++) await clock.run(client.getAddressAssets(ADDRESS));
    expect(mock.requests).toBe(3);
  });

  it('share a failure as well', async () => {
    const { clock, mock, client } = pair({ shareInFlight: true, maxAttempts: 1 });
    mock.faults.next(1, { status: 404, body: '{"error":"none"}' });
    const ends = await clock.run(Promise.allSettled([client.getInfo(), client.getInfo()]));
    const failure = { status: 'rejected', reason: expect.objectContaining({ status: 404, body: { error: 'none' } }) };
    expect(ends).toEqual([failure, failure]);
    expect(mock.requests).toBe(1);
  });

  it.each<[string, [string, RequestInit?], [string, RequestInit?]]>([
    ['URL', [assets(ADDRESS)], [assets(OTHER)]],
    ['query', [assets(ADDRESS)], [`${assets(ADDRESS)}?limit=1`]],
    ['header', [assets(ADDRESS)], [assets(ADDRESS), { headers: { accept: 'text/csv' } }]],
    [
      'value of a header',
      [assets(ADDRESS), { headers: { accept: 'text/csv' } }],
      [assets(ADDRESS), { headers: { accept: 'text/xml' } }],
    ],
    ['method', [assets(ADDRESS)], [assets(ADDRESS), { method: 'HEAD' }]],
    ['cache mode', [assets(ADDRESS)], [assets(ADDRESS), { cache: 'no-store' }]],
    ['hash of the body', [assets(ADDRESS)], [assets(ADDRESS), { integrity: 'sha256-AAAA' }]],
  ])('but for a %s that differs are a request each', async (_, one, other) => {
    const { clock, mock, client } = pair({ shareInFlight: true });
    await clock.run(Promise.all([client.fetch(...one), client.fetch(...other)]));
    expect(mock.requests).toBe(2);
  });

  it('share nothing where they are POSTs or ask for the headers alone', async () => {
    const { clock, mock, client } = pair({ shareInFlight: true });
    const post = () => client.fetch('/v2/transactions', { method: 'POST', body: 'words' });
    const look = () => client.getInfo({ headersOnly: true });
    await clock.run(Promise.all([post(), post(), look(), look()]));
    expect(mock.requests).toBe(4);
  });

  it('do not wait for a request of another priority that they could share', async () => {
    const { clock, mock, client } = pair({ shareInFlight: true, concurrency: 1 });
    const bulk = [1, 2, 3].map((limit) => client.getAddressAssets(ADDRESS, { limit }));
    const urgent = client.getAddressAssets(ADDRESS, { limit: 3, priority: 10 });
    await clock.run(Promise.all([...bulk, urgent]));
    expect(mock.log.map(({ path }) => path.slice(-1))).toEqual(['1', '3', '2', '3']);
  });

  it('go on when one of them is aborted, even the first', async () => {
    const { clock, mock, client } = pair({ shareInFlight: true });
    const controller = new AbortController();
    const first = client.getAddressAssets(ADDRESS, { signal: controller.signal }).catch((error: unknown) => error);
    const second = client.getAddressAssets(ADDRESS);
    clock.timer(50, () => controller.abort(reason));
    expect(await clock.run(first)).toBe(reason);
    expect(clock.now()).toBe(50);
    expect((await clock.run(second)).data.total).toBe(30);
    expect(mock.requests).toBe(1);
  });

  it('end when all of them are aborted, and a later call asks anew', async () => {
    const { clock, mock, client } = pair({ shareInFlight: true });
    const controllers = [new AbortController(), new AbortController()];
    const ends = controllers.map(({ signal }) => client.getInfo({ signal }).catch((error: unknown) => error));
    await clock.advance(50);
    for (const controller of controllers) controller.abort(reason);
    const late = client.getInfo();
    expect(await clock.run(Promise.all(ends))).toEqual([reason, reason]);
    expect(client.quota().inFlight).toBe(1);
    expect((await clock.run(late)).data).toMatchObject({ status: 'ready' });
    expect(mock.requests).toBe(2);
  });
});

describe('an answer with an ETag', () => {
  it('is asked for in full each time, unless the client is told otherwise', async () => {
    const { clock, client, conditions } = pair();
    for (let nth = 0; nth < 2; nth++) await clock.run(client.getAddressAssets(ADDRESS));
    expect(conditions).toEqual([null, null]);
  });

  it('is kept, and given again if the service says that it holds', async () => {
    const { clock, client, statuses } = pair({ etags: true });
    const first = await clock.run(client.getAddressAssets(ADDRESS));
    const second = await clock.run(client.getAddressAssets(ADDRESS));
    expect(second.data).toEqual(first.data);
    expect(statuses()).toEqual([200, 304]);
    expect([first.quota.stacks.minute?.remaining, second.quota.stacks.minute?.remaining]).toEqual([9_999, 9_998]);
  });

  it('is kept for the client’s own calls and for those by fetch alike', async () => {
    const { clock, client, statuses } = pair({ etags: true });
    const { data } = await clock.run(client.getAddressAssets(ADDRESS));
    const response = await clock.run(client.fetch(assets(ADDRESS)));
    expect([response.status, await response.json()]).toEqual([200, data]);
    expect(response.headers.get('x-ratelimit-remaining-stacks-minute')).toBe('9998');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(statuses()).toEqual([200, 304]);
  });

  it('costs what the service says that a 304 costs', async () => {
    const { clock, mock, client } = pair({ etags: true });
    await clock.run(client.getAddressAssets(ADDRESS));
    mock.faults.next(1, {
      status: 304,
      headers: { 'x-ratelimit-cost-stacks': '0', 'x-ratelimit-remaining-stacks-minute': '9999' },
    });
    const { data, quota } = await clock.run(client.getAddressAssets(ADDRESS));
    expect([data.total, quota.stacks.cost]).toEqual([30, 0]);
    expect(client.quota().windows[0]).toMatchObject({ window: 'minute', headroom: 9_999 });
  });

  it('says nothing old of the quota where the 304 says nothing', async () => {
    const { clock, mock, client } = pair({ etags: true });
    await clock.run(client.fetch(assets(ADDRESS)));
    mock.faults.next(1, { status: 304, counted: false });
    const response = await clock.run(client.fetch(assets(ADDRESS)));
    expect(response.status).toBe(200);
    expect([...response.headers.keys()].filter((name) => /ratelimit|date/.test(name))).toEqual([]);
  });

  it.each(['"other"', 'W/"other"'])('is not given for a 304 about another, %s: the call is made anew', async (etag) => {
    let events = 30;
    const { clock, mock, client, conditions, statuses } = pair({ etags: true }, { assetsOf: () => events });
    await clock.run(client.getAddressAssets(ADDRESS));
    events = 31;
    mock.faults.next(1, { status: 304, headers: { etag } });
    const { data, response } = await clock.run(client.getAddressAssets(ADDRESS));
    expect([data.total, response.status]).toEqual([31, 200]);
    await clock.run(client.getAddressAssets(ADDRESS));
    expect(statuses()).toEqual([200, 304, 200, 304]);
    expect(conditions.map((one) => one !== null)).toEqual([false, true, false, true]);
  });

  it('is given for a 304 that weakens its ETag', async () => {
    const { clock, mock, client, statuses } = pair({ etags: true });
    const etag = (await clock.run(client.fetch(assets(ADDRESS)))).headers.get('etag');
    mock.faults.next(1, { status: 304, headers: { etag: `W/${etag}` } });
    expect((await clock.run(client.getAddressAssets(ADDRESS))).data.total).toBe(30);
    expect(statuses()).toEqual([200, 304]);
  });

  it('gives way to a newer one', async () => {
    let events = 30;
    const { clock, client, statuses } = pair({ etags: true }, { assetsOf: () => events });
    const totals: number[] = [];
    for (const now of [30, 31, 31, 30]) {
      events = now;
      totals.push((await clock.run(client.getAddressAssets(ADDRESS))).data.total);
    }
    expect(totals).toEqual([30, 31, 31, 30]);
    expect(statuses()).toEqual([200, 200, 304, 200]);
  });

  it('is kept through an outage, and forgotten when there is nothing any more', async () => {
    const { clock, mock, client, conditions } = pair({ etags: true, maxAttempts: 1 });
    const ask = () => clock.run(client.fetch(assets(ADDRESS)));
    await ask();
    mock.faults.next(1, { status: 503 });
    await ask();
    mock.faults.next(1, { status: 410 });
    await ask();
    await ask();
    expect(conditions.map((etag) => etag !== null)).toEqual([false, true, true, false]);
  });

  it.each<[string, RequestInit]>([
    ['asks on a condition of its own', { headers: { 'If-None-Match': '"mine"' } }],
    ['asks for a part', { headers: { range: 'bytes=0-1' } }],
    ['asks anew', { cache: 'no-cache' }],
    ['expects a hash, which a 304 does not have', { integrity: 'sha256-AAAA' }],
    ['has other headers', { headers: { accept: 'text/csv' } }],
  ])('is not given to a call that %s', async (_, init) => {
    const { clock, client, conditions } = pair({ etags: true });
    await clock.run(client.fetch(assets(ADDRESS)));
    await clock.run(client.fetch(assets(ADDRESS), init));
    expect(conditions).toEqual([null, new Headers(init.headers).get('if-none-match')]);
  });

  it('is not asked for by a look at the quota, though the service refuses HEAD', async () => {
    const { clock, mock, client, conditions } = pair({ etags: true });
    const kept = { status: 200, headers: { etag: '"1"' }, body: '{}' };
    mock.faults.when(({ method }) => (method === 'HEAD' ? { status: 405 } : kept));
    for (let nth = 0; nth < 2; nth++) await clock.run(client.getInfo({ headersOnly: true }));
    expect(conditions).toEqual([null, null, null, null]);
  });

  it('never replaces a condition of the caller’s own, though the same was asked before', async () => {
    const { clock, client, conditions } = pair({ etags: true });
    for (let nth = 0; nth < 2; nth++)
      await clock.run(client.fetch(assets(ADDRESS), { headers: { 'if-none-match': '"mine"' } }));
    expect(conditions).toEqual(['"mine"', '"mine"']);
  });

  it('on a condition of the caller’s own is answered with 304', async () => {
    const { clock, client } = pair({ etags: true });
    const etag = (await clock.run(client.fetch(assets(ADDRESS)))).headers.get('etag') ?? '';
    const response = await clock.run(client.fetch(assets(ADDRESS), { headers: { 'if-none-match': etag } }));
    expect([response.status, response.body]).toEqual([304, null]);
  });

  it.each<[string, Record<string, string>, string]>([
    ['says that it may not be', { etag: '"1"', 'cache-control': 'private, no-store' }, '{}'],
    ['differs in ways unknown', { etag: '"1"', vary: '*' }, '{}'],
    ['has none', {}, '{}'],
    ['holds the key', { etag: '"1"' }, JSON.stringify({ key: KEY })],
    ['holds the key in a header', { etag: '"1"', 'x-echo': KEY }, '{}'],
  ])('is not kept if it %s', async (_, headers, body) => {
    const { clock, mock, client, conditions } = pair({ etags: true, apiKey: KEY }, { keys: [KEY] });
    mock.faults.when(() => ({ status: 200, headers, body }));
    for (let nth = 0; nth < 2; nth++) await clock.run(client.getInfo());
    expect(conditions).toEqual([null, null]);
  });

  it('is kept while there is room: the one not asked for the longest is dropped first', async () => {
    const { clock, client, conditions } = pair({ etags: { entries: 2 } });
    for (const limit of [1, 2, 1, 3, 2, 1]) await clock.run(client.getAddressAssets(ADDRESS, { limit }));
    expect(conditions.map((etag) => etag !== null)).toEqual([false, false, true, false, false, false]);
  });

  it('is kept only as far as the bytes allow', async () => {
    const sizes: number[] = [];
    for (const bytes of [1_000, 100_000]) {
      const { clock, client, conditions } = pair({ etags: { bytes } });
      for (const limit of [5, 5]) await clock.run(client.getAddressAssets(ADDRESS, { limit }));
      sizes.push(conditions.filter((etag) => etag !== null).length);
    }
    expect(sizes).toEqual([0, 1]);
  });

  it.each([
    [15_000, [1, 2, 1, 1], [false, false, false, true]],
    [25_000, [1, 2, 1, 2], [false, false, true, true]],
    [15_000, [1, 1, 1, 2, 2], [false, true, true, false, true]],
  ])('of 10,000 bytes is kept with others as far as %i bytes allow: %j', async (bytes, limits, known) => {
    const { clock, mock, client, conditions } = pair({ etags: { bytes } });
    mock.faults.when(() => ({ status: 200, headers: { etag: '"1"' }, body: 'x'.repeat(10_000) }));
    for (const limit of limits) await clock.run(client.fetch(`${assets(ADDRESS)}?limit=${limit}`));
    expect(conditions.map((etag) => etag !== null)).toEqual(known);
  });

  it('can be shared as well', async () => {
    const { clock, client, statuses } = pair({ etags: true, shareInFlight: true });
    const all = () => Promise.all(Array.from({ length: 5 }, () => client.getAddressAssets(ADDRESS)));
    await clock.run(all());
    const totals = (await clock.run(all())).map(({ data }) => data.total);
    expect([totals, statuses()]).toEqual([Array(5).fill(30), [200, 304]]);
  });
});
