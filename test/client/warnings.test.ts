import { describe, expect, it } from 'vitest';
import { type ClientEvent, type ClientOptions, createClient } from '../../src/index.ts';
import type { MockServiceOptions } from '../../src/testing/index.ts';
import { mockWorld } from '../support/mock-world.ts';
import { ROOM, routes } from '../support/routes.ts';

function world(serviceOptions: MockServiceOptions = {}, options: ClientOptions = {}) {
  const events: ClientEvent[] = [];
  const onEvent = (event: ClientEvent): unknown => events.push(event);
  const { clock, service, client } = mockWorld(
    { keys: ['a-key', 'b-key'], ...serviceOptions },
    { apiKey: 'a-key', onEvent, ...options },
  );
  const told = (type: ClientEvent['type']) => events.filter((event) => event.type === type);
  const call = async (times = 1): Promise<void> => {
    for (let nth = 0; nth < times; nth++) await clock.run(client.getInfo());
  };
  return { clock, service, client, told, call };
}

describe('a key that is served as if there were none', () => {
  it('is reported once, and shown in quota()', async () => {
    const { service, client, told, call } = world({ unknownKey: 'keyless' });
    await call(3);
    expect(client.quota().isKeyIgnored).toBeUndefined();
    service.revokeKey('a-key');
    await call(1);
    expect(told('key-ignored')).toEqual([]);
    await call(4);
    expect(told('key-ignored')).toEqual([expect.objectContaining({ endpoint: 'GET /extended/v1/info' })]);
    expect(client.quota().isKeyIgnored).toBe(true);
  });

  it('is reported when limits shrink to a tenth, too, and not when a plan is raised or cut by less', async () => {
    const { service, told, call } = world({ keyed: { minute: 600 } });
    await call(1);
    for (const minute of [900, 300]) {
      service.setLimits({ keyed: { minute } });
      await call(3);
    }
    expect(told('key-ignored')).toEqual([]);
    service.setLimits({ keyed: { minute: 30 } });
    await call(3);
    expect(told('key-ignored')).toHaveLength(1);
  });

  it('is forgotten with another key, and with answers as before', async () => {
    let key = 'a-key';
    const { service, client, told, call } = world({ unknownKey: 'keyless' }, { apiKey: () => key });
    await call(1);
    service.revokeKey('a-key');
    await call(3);
    key = 'b-key';
    await call(1);
    expect(client.quota().isKeyIgnored).toBeUndefined();
    service.revokeKey('b-key');
    await call(3);
    expect(told('key-ignored')).toHaveLength(2);
  });

  it('is not reported without a key, nor because an endpoint names fewer windows than another', async () => {
    const { told, call, client, service, clock } = world(
      { keyless: { second: 5, minute: 50 } },
      { apiKey: () => undefined },
    );
    await call(2);
    service.setLimits({ keyless: { minute: 5 } });
    await call(3);
    expect(told('key-ignored')).toEqual([]);
    await clock.run(client.close());
    const events: string[] = [];
    const mixed = createClient({
      baseUrl: 'https://api.test',
      apiKey: 'a-key',
      fetch: routes(({ path }) => Response.json({}, { headers: path === '/two' ? TWO : ROOM })).fetch,
      onEvent: ({ type }) => events.push(type),
    });
    for (const path of ['/two', '/one', '/one', '/two', '/one']) await mixed.get(path);
    expect(events).not.toContain('key-ignored');
  });
});

const TWO = { ...ROOM, 'x-ratelimit-limit-stacks-month': '1000', 'x-ratelimit-remaining-stacks-month': '900' };

describe('five 403s in a row', () => {
  it('open the breaker of the key like five 401s', async () => {
    const { clock, service, client } = world({ unknownKey: 403 });
    service.revokeKey('a-key');
    const all = await clock.run(Promise.allSettled(Array.from({ length: 50 }, () => client.getInfo())));
    expect(service.requests).toBeGreaterThanOrEqual(5);
    expect(service.requests).toBeLessThan(12);
    const codes = all.map((one) => one.status === 'rejected' && (one.reason.code ?? one.reason.status));
    expect(new Set(codes)).toEqual(new Set([403, 'KEY_REFUSED']));
  });

  it('leave it closed where they refuse because of a limit', async () => {
    const { clock, service, client } = world({ limited: { status: 403 }, keyed: { minute: 100 } });
    service.spend(100, 'a-key');
    const calls = Promise.allSettled(Array.from({ length: 20 }, () => client.getInfo()));
    expect((await clock.run(calls)).every(({ status }) => status === 'fulfilled')).toBe(true);
  });
});

describe('the event low', () => {
  it('comes once when less is left than the caller set, and again after more was left', async () => {
    const { clock, told, call } = world({ keyed: { minute: 10, month: 1_000 } }, { low: { minute: 0.35 } });
    await call(6);
    expect(told('low')).toEqual([]);
    await call(2);
    expect(told('low')).toEqual([expect.objectContaining({ window: 'minute', limit: 10, remaining: 3 })]);
    await clock.advance(60_000);
    await call(8);
    expect(told('low')).toHaveLength(2);
  });

  it('concerns every window where one part is set', async () => {
    const { told, call } = world({ keyed: { minute: 10, month: 10 } }, { low: 0.75 });
    await call(3);
    expect(told('low').map((event) => event.type === 'low' && event.window)).toEqual(['minute', 'month']);
  });

  it.for<[unknown, string]>([
    [1, 'low must be a share of every window, from 0 up to but not including 1, or such a share by period'],
    [-0.1, 'low must be a share of every window'],
    [{ minutes: 0.5 }, 'low.minutes is not one of the periods: second, minute, hour, day, month. Did you mean minute?'],
    [{ minute: 2 }, 'low.minute must be a share, from 0 up to but not including 1, not 2'],
  ])('refuses %o', ([low, message]) => {
    expect(() => createClient({ low: low as number })).toThrow(message);
  });
});
