import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import type { ConnectionError } from '../../src/errors.ts';
import type { ClientEvent } from '../../src/events.ts';
import type { ClientOptions } from '../../src/options/client-options.ts';
import { createMockService, mockNetwork, type ServiceFault, virtualClock } from '../../src/testing/index.ts';
import { wire } from '../support/wire.ts';

const KEY = 'k3y-of-32-characters-0123456789ab';
const INFO = '/extended/v1/info';

/** A client of one service, on a network on which there is another. */
function neighbours(options: ClientOptions = {}) {
  const clock = virtualClock({ wall: Date.UTC(2026, 0, 15, 12, 0, 20, 500) });
  const mine = createMockService({ clock, latencyMs: 100, keys: [KEY], keyed: { minute: 1_000 } });
  const other = createMockService({ clock, origin: 'https://other.test', keys: [KEY] });
  const fetch = vi.fn(mockNetwork(mine, other).fetch);
  const sent: string[] = [];
  const client = createClient({
    baseUrl: mine.origin,
    apiKey: KEY,
    fetch,
    clock,
    onEvent: ({ type }) => sent.push(type),
    ...options,
  });
  const count = (type: string) => sent.filter((one) => one === type).length;
  const errorOf = (work: Promise<unknown>): Promise<unknown> =>
    clock.run(
      work.then(
        () => 'no error',
        (error) => error,
      ),
    );
  return { clock, mine, other, fetch, client, count, errorOf };
}

describe('a redirect within the origin', () => {
  it.each([301, 302, 303, 307, 308] as const)(
    'with %i is followed, with the key, at the cost of a request',
    async (status) => {
      const { clock, mine, client, count } = neighbours();
      mine.faults.next(1, { redirect: '/extended/v1/info?again', status });
      const { data } = await clock.run(client.getInfo());
      expect(data).toMatchObject({ status: 'ready' });
      expect(mine.log.map(({ path, key }) => [path, key])).toEqual([
        [INFO, 'keyed'],
        [`${INFO}?again`, 'keyed'],
      ]);
      expect(count('sent')).toBe(2);
      expect(client.quota()).toMatchObject({
        inFlight: 0,
        windows: [{ window: 'minute', remaining: 998, headroom: 998 }],
      });
    },
  );

  it.each([
    ['/extended/v1/straße?ü=é', '/extended/v1/stra%C3%9Fe?%C3%BC=%C3%A9'],
    ['/extended/v1/stra%C3%9Fe', '/extended/v1/stra%C3%9Fe'],
  ])('is read as UTF-8, as fetch does: %s', async (place, path) => {
    const { mine, client, errorOf } = neighbours();
    mine.faults.next(1, { redirect: Buffer.from(place).toString('latin1') });
    await errorOf(client.getInfo());
    expect(mine.log.map((request) => request.path)).toEqual([INFO, path]);
  });

  it('that is no UTF-8 keeps its bytes', async () => {
    const { mine, client, errorOf } = neighbours();
    mine.faults.next(1, { redirect: '/stra\xdfe' });
    await errorOf(client.getInfo());
    expect(mine.log[1]?.path).toBe('/stra%DFe');
  });

  it('waits at the gate like any other request', async () => {
    const { clock, mine, client } = neighbours();
    mine.setLimits({ keyed: { minute: 1 } });
    mine.faults.next(1, { redirect: INFO });
    await clock.run(client.getInfo());
    const [first, second] = mine.log.map(({ at }) => at);
    expect(first).toBe(0);
    expect(second).toBeGreaterThan(39_500);
    expect(mine.limited).toBe(0);
  });

  it('is followed three times, and is no attempt', async () => {
    const { clock, mine, client } = neighbours({ maxAttempts: 1 });
    for (const hop of ['?1', '?2', '?3']) mine.faults.next(1, { redirect: hop });
    await clock.run(client.getInfo());
    expect(mine.log.map(({ path }) => path)).toEqual([INFO, `${INFO}?1`, `${INFO}?2`, `${INFO}?3`]);
  });

  it('that leads in a circle is given up after three', async () => {
    const { mine, client, errorOf } = neighbours();
    mine.faults.when(() => ({ redirect: INFO }));
    expect(await errorOf(client.getInfo())).toMatchObject({ name: 'ConnectionError', code: 'REDIRECT' });
    expect(mine.requests).toBe(4);
    expect(client.quota().inFlight).toBe(0);
  });

  it.each(['https://me:secret@api.mock.test/', '//me@api.mock.test/', '//:secret@api.mock.test/'])(
    'that brings a name or a password is not followed, for fetch would not: %s',
    async (redirect) => {
      const { mine, client, errorOf } = neighbours();
      mine.faults.next(1, { redirect });
      const error = await errorOf(client.getInfo());
      expect(error).toMatchObject({ name: 'ConnectionError', code: 'REDIRECT', attempts: 1 });
      expect(String(error)).not.toContain('secret');
      expect(mine.requests).toBe(1);
      expect(client.quota()).toMatchObject({ inFlight: 0, held: 0 });
    },
  );

  it('that says where to only in its status is an answer like any other', async () => {
    const { mine, client, errorOf } = neighbours();
    mine.faults.next(1, { status: 302 });
    expect(await errorOf(client.getInfo())).toMatchObject({ name: 'ServiceError', status: 302 });
  });

  it('that carries retry-after is a refusal', async () => {
    const { clock, mine, client, count } = neighbours();
    mine.faults.next(1, { status: 302, headers: { location: 'https://other.test/', 'retry-after': '9' } });
    await clock.run(client.getInfo());
    expect(mine.log.map(({ path }) => path)).toEqual([INFO, INFO]);
    expect(clock.now()).toBe(9_200);
    expect(count('limited')).toBe(1);
  });
});

describe('a redirect to another origin', () => {
  const places = [
    'https://other.test/extended/v1/info',
    '//other.test/extended/v1/info',
    'http://api.mock.test/extended/v1/info',
    'https://api.mock.test:8443/extended/v1/info',
    'https://api.mock.test@other.test/',
    'https://api.mock.test.other.test/',
    'data:application/json,{}',
    'https://',
  ];

  it.each(places)('is never followed: %s', async (redirect) => {
    const { mine, other, client, fetch, errorOf } = neighbours();
    mine.faults.next(1, { redirect });
    expect(await errorOf(client.getInfo())).toMatchObject({ name: 'ConnectionError', code: 'REDIRECT', attempts: 1 });
    expect([mine.requests, other.requests]).toEqual([1, 0]);
    expect(fetch.mock.calls.map(([input]) => new URL((input as Request).url).origin)).toEqual([mine.origin]);
    expect(client.quota()).toMatchObject({ inFlight: 0, windows: [{ headroom: 999 }] });
  });

  it('is told with the origin that it leads to, and nothing else of the URL', async () => {
    const { mine, client, errorOf } = neighbours();
    mine.faults.next(1, { redirect: 'https://me@Other.test:8443/login?of=me#there' });
    const message = expect.stringMatching(/ \(REDIRECT: to https:\/\/other\.test:8443\)$/);
    expect(await errorOf(client.getInfo())).toMatchObject({ code: 'REDIRECT', message });
  });

  it.each(['data:application/json,{}', 'file:///etc/hosts', 'about:blank'])(
    'is told with the scheme where there is no origin: %s',
    async (redirect) => {
      const { mine, client, errorOf } = neighbours();
      mine.faults.next(1, { redirect });
      const message = expect.stringMatching(`\\(REDIRECT: to ${redirect.split(':', 1)[0]}:\\)$`);
      expect(await errorOf(client.getInfo())).toMatchObject({ code: 'REDIRECT', message });
    },
  );

  it('is told to be none where it is no URL', async () => {
    const { mine, client, errorOf } = neighbours();
    mine.faults.next(1, { redirect: 'https://[::1/' });
    const message = expect.stringMatching(/ \(REDIRECT: to what is no URL\)$/);
    expect(await errorOf(client.getInfo())).toMatchObject({ code: 'REDIRECT', message });
  });

  it('that a browser hides is given up too', async () => {
    const hidden = Object.defineProperties(new Response(null), {
      type: { value: 'opaqueredirect' },
      status: { value: 0 },
    });
    const fetch = vi.fn(async () => hidden);
    const { client, errorOf } = neighbours({ fetch });
    expect(await errorOf(client.getInfo())).toMatchObject({ name: 'ConnectionError', code: 'REDIRECT' });
    expect(fetch).toHaveBeenCalledOnce();
  });
});

describe('a redirect to a URL with the key in it', () => {
  it.each([
    `?api-key=${KEY}`,
    `/${KEY}/info`,
    `/extended/v1/info#${KEY}`,
    `?api-key=${KEY.replaceAll('-', '%2D')}`,
    `https://me:${KEY}@api.mock.test/`,
    `https://${KEY}.other.test/`,
  ])('is never followed: %s', async (redirect) => {
    const events: ClientEvent[] = [];
    const { mine, client, errorOf } = neighbours({ onEvent: (event) => events.push(event) });
    mine.faults.when(() => ({ redirect }));
    const refused = { name: 'ConnectionError', code: 'REDIRECT', attempts: 1 };
    const errors = [await errorOf(client.getInfo()), await errorOf(client.fetch(INFO))];
    expect(errors).toMatchObject([refused, refused]);
    expect(mine.requests).toBe(2);
    expect(decodeURIComponent(inspect([errors, events], { depth: 20 }))).not.toContain(KEY);
    expect(client.quota().inFlight).toBe(0);
  });
});

it.each<[string, number, Record<string, string>]>([
  ['a refusal', 429, { 'retry-after': '1' }],
  ['a redirect', 302, { location: '/elsewhere' }],
  ['a redirect to another origin', 302, { location: 'https://other.test/' }],
])('the body of %s is not read but cancelled, so that it holds no connection', async (_, status, headers) => {
  const { call, last } = wire();
  await call('only');
  const pull = vi.fn();
  const cancel = vi.fn();
  await last('only').answer(status, headers, new ReadableStream({ pull, cancel }, { highWaterMark: 0 }));
  expect(cancel).toHaveBeenCalledOnce();
  expect(pull).not.toHaveBeenCalled();
});

describe('over a real socket', () => {
  const outcomes: [string, ServiceFault, string][] = [
    ['to another origin is never followed', { redirect: 'http://localhost:1/' }, 'REDIRECT'],
    ['that is reset is a failure', 'reset', 'ECONNRESET'],
    ['whose body breaks off is a failure', 'truncate', 'UND_ERR_SOCKET'],
  ];

  it.each(outcomes)('an answer %s', async (_, fault, code) => {
    const mock = createMockService();
    const door = await mock.listen();
    const client = createClient({ baseUrl: door.url, maxAttempts: 1 });
    mock.faults.next(1, fault);
    const error = await client.getInfo().catch((thrown: unknown) => thrown);
    await door.close();
    expect(error).toMatchObject({ name: 'ConnectionError', code });
  });

  it('a request that never left is not charged', async () => {
    const mock = createMockService({ keyless: { minute: 10_000 } });
    const door = await mock.listen();
    const client = createClient({ baseUrl: door.url, maxAttempts: 1 });
    const fail = (cost: number): Promise<ConnectionError> =>
      client.getInfo({ cost }).then(
        () => expect.unreachable(),
        (error) => error,
      );
    const headroom = () => client.quota().windows[0]?.headroom ?? Number.NaN;
    await client.getInfo();
    await door.close();
    // The first may still try the connection that was kept.
    await fail(0);
    const before = headroom();
    for (let nth = 0; nth < 5; nth++) expect(await fail(100)).toMatchObject({ code: 'ECONNREFUSED', attempts: 1 });
    expect(headroom()).toBeGreaterThanOrEqual(before);
    expect(client.quota()).toMatchObject({ inFlight: 0, held: 0 });
  });
});
