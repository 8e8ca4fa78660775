import { describe, expect, it } from 'vitest';
import { type ClientEvent, isQuotaExhausted, type QuotaExhaustedError } from '../../src/index.ts';
import { type MockServiceOptions, virtualClock } from '../../src/testing/index.ts';
import { worldOf } from './support/world.ts';

const errorOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => expect.unreachable('the call must fail'),
    (error: unknown) => error,
  );

const BITCOIN = '/ordinals/v1/inscriptions';
const isBitcoin = ({ url }: { url: URL }): boolean => url.pathname === BITCOIN;

/** A second family, for endpoints of its own. */
const TWO_FAMILIES: MockServiceOptions = {
  keyed: { second: 20, minute: 200 },
  cost: (request) => (isBitcoin(request) ? undefined : 1),
  families: { bitcoin: { keyed: { minute: 60 }, cost: (request) => (isBitcoin(request) ? 1 : undefined) } },
  routes: { 'GET /ordinals/v1/inscriptions': () => ({ results: [] }) },
};

describe('a remaining of -1', () => {
  const exhausted = (keyed: MockServiceOptions['keyed']) => worldOf({ keyed, headers: { exhausted: -1 } });

  it('of the month means that nothing is left: the call fails at once, and nothing more is sent', async () => {
    const { clock, service, ask, client } = exhausted({ minute: 100, month: 3 });
    service.spend(3, 'a-key');
    const error = await clock.run(errorOf(ask(1)));
    expect(isQuotaExhausted(error)).toBe(true);
    expect((error as QuotaExhaustedError).retryAt.toISOString()).toMatch(/^2026-02-01T00:00:/);
    expect(client.quota().windows.find(({ window }) => window === 'month')).toMatchObject({
      remaining: 0,
      headroom: 0,
    });
    await clock.run(errorOf(ask(2)));
    expect(service.requests).toBe(1);
  });

  it('of the minute is waited out', async () => {
    const { clock, service, ask } = exhausted({ minute: 10 });
    service.spend(10, 'a-key');
    await clock.run(ask(1));
    expect([service.requests, service.limited]).toEqual([2, 1]);
  });
});

describe('a gateway whose store is down', () => {
  it('does not make the client send more: none is refused when the store is back', async () => {
    const { clock, service, ask } = worldOf({ keyed: { second: 20, minute: 100 } });
    service.faults.outage(20_000, 80_000, 'store down');
    await clock.run(Promise.all(Array.from({ length: 500 }, (_, number) => ask(number))));
    expect([service.requests, service.limited]).toEqual([500, 0]);
  });

  it('serves a client that has never seen a limit', async () => {
    const { clock, service, ask } = worldOf();
    service.faults.outage(0, 600_000, 'store down');
    await clock.run(Promise.all(Array.from({ length: 300 }, (_, number) => ask(number))));
    expect([service.requests, service.limited]).toEqual([300, 0]);
  });
});

describe('a second family of windows', () => {
  it('that has endpoints of its own is kept once it has refused, and is no ignored key', async () => {
    const ignored: ClientEvent[] = [];
    const onEvent = (event: ClientEvent): void => void (event.type === 'key-ignored' && ignored.push(event));
    const { clock, service, client, ask } = worldOf(TWO_FAMILIES, { onEvent });
    const inscriptions = Array.from({ length: 180 }, () => client.get(BITCOIN));
    const assets = Array.from({ length: 400 }, (_, number) => ask(number));
    await clock.run(Promise.all([...inscriptions, ...assets]));
    expect(ignored).toEqual([]);
    expect(service.limited).toBeLessThanOrEqual(2);
  });
});

describe('an answer to a revoked key that has the limits of callers without one', () => {
  it('fails as a 401, and is no ignored key', async () => {
    const ignored: ClientEvent[] = [];
    const onEvent = (event: ClientEvent): void => void (event.type === 'key-ignored' && ignored.push(event));
    const { clock, service, client, ask } = worldOf({ headers: { unknownKey: true } }, { onEvent });
    await clock.run(ask(1));
    service.revokeKey('a-key');
    for (let call = 0; call < 5; call++) {
      expect(await clock.run(errorOf(ask(2)))).toMatchObject({ name: 'ServiceError', status: 401 });
    }
    expect(ignored).toEqual([]);
    expect(client.quota().isKeyIgnored).toBeUndefined();
  });
});

describe('a page of Cloudflare', () => {
  it.for([520, 521, 522, 523, 524, 525, 526, 527, 530])(
    'with status %d passes: the request is sent again',
    async (status) => {
      const { clock, service, ask } = worldOf();
      service.faults.next(2, { status, counted: false });
      await clock.run(ask(1));
      expect(service.requests).toBe(1);
    },
  );
});

describe('a month that is stated to end after 30 days', () => {
  it('keeps the client shut in February no longer than until the 1st', async () => {
    const clock = virtualClock({ wall: Date.UTC(2026, 1, 27) });
    const { service, ask } = worldOf(
      { clock, keyed: { minute: 100, month: 5 }, windows: 'aligned-30-days' },
      { clock },
    );
    service.spend(5, 'a-key');
    const error = await clock.run(errorOf(ask(1)));
    expect((error as QuotaExhaustedError).retryAt.toISOString()).toMatch(/^2026-03-01T00:/);
    await clock.advance(2 * 86_400_000 + 3_600_000);
    await clock.run(ask(2));
  });

  it.for([
    ['30 January', 30],
    ['31 January', 31],
  ] as const)('is told on %s to end on the 1st', async ([, day]) => {
    const clock = virtualClock({ wall: Date.UTC(2026, 0, day, 12) });
    const { service, ask } = worldOf(
      { clock, keyed: { minute: 100, month: 5 }, windows: 'aligned-30-days' },
      { clock },
    );
    for (let call = 0; call < 5; call++) await clock.run(ask(call));
    const error = await clock.run(errorOf(ask(6)));
    expect((error as QuotaExhaustedError).retryAt.toISOString()).toMatch(/^2026-02-01T00:00:/);
    expect(service.limited).toBe(0);
  });

  it('tempts it to few requests on a 31st, when the end is always a second away', async () => {
    const clock = virtualClock({ wall: Date.UTC(2026, 0, 31, 5) });
    const { service, ask } = worldOf(
      { clock, keyed: { minute: 100, month: 5 }, windows: 'aligned-30-days' },
      { clock },
    );
    service.spend(5, 'a-key');
    for (let hour = 0; hour < 10; hour++) {
      await clock.run(ask(hour).catch(() => {}));
      await clock.advance(3_600_000);
    }
    expect(service.limited).toBeLessThanOrEqual(12);
  });
});
