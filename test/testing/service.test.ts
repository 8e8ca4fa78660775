import { describe, expect, it } from 'vitest';
import { createMockService, type MockService, virtualClock } from '../../src/testing/index.ts';

const INFO = 'https://api.mock.test/extended/v1/info';
const ASSETS = 'https://api.mock.test/extended/v1/address/SP1J1A6PJ50NS54VWAVFGA9C4HS53NAQXZQ07P5TK/assets';

const ask = (service: MockService, key?: string): Promise<Response> =>
  service.fetch(INFO, key === undefined ? {} : { headers: { 'x-api-key': key } });

const leftThisMinute = async (service: MockService, key?: string): Promise<number> =>
  Number((await ask(service, key)).headers.get('x-ratelimit-remaining-stacks-minute'));

describe('createMockService', () => {
  it('gives callers without a key 50 requests a minute, and names the whole seconds to wait', async () => {
    const clock = virtualClock({ wall: Date.UTC(2026, 0, 1, 0, 0, 12, 300) });
    const service = createMockService({ clock });
    for (let sent = 0; sent < 50; sent++) expect((await ask(service)).status).toBe(200);
    const refused = await ask(service);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('48');
    await clock.advance(47_699);
    expect((await ask(service)).status).toBe(429);
    await clock.advance(1);
    expect((await ask(service)).status).toBe(200);
    expect([service.requests, service.limited]).toEqual([53, 2]);
  });

  it('creates keys that have a quota of their own, and deletes them for ever', async () => {
    const service = createMockService({ clock: virtualClock() });
    const [one, other] = [
      service.createKey({ name: 'one' }),
      service.createKey({ name: 'other', description: 'second' }),
    ];
    expect(one).not.toBe(other);
    expect(await leftThisMinute(service, one)).toBe(499);
    expect(await leftThisMinute(service, one)).toBe(498);
    expect(await leftThisMinute(service, other)).toBe(499);
    expect(await leftThisMinute(service)).toBe(49);
    service.revokeKey(one);
    expect((await ask(service, one)).status).toBe(401);
    expect((await ask(service, other)).status).toBe(200);
    expect(() => service.revokeKey(one)).toThrow('Unknown key');
  });

  it.for<[key: object, sentence: string]>([
    [{}, 'The name of a key must be text, and not empty.'],
    [{ name: ' ' }, 'The name of a key must be text, and not empty.'],
    [{ name: {} }, 'The name of a key must be text, and not empty.'],
    [{ name: 'x', description: 5 }, 'The description of a key must be text.'],
    [{ name: 'x', descripton: 'y' }, 'descripton is not one of the fields of a key: name, description. Did you mean'],
    [undefined as never, 'The name of a key must be text, and not empty.'],
  ])('creates no key from %j', ([key, sentence]) => {
    const service = createMockService();
    expect(() => service.createKey(key as { name: string })).toThrow(sentence);
    expect(service.keys()).toEqual([]);
  });

  it('lists the keys that exist, and reveals each again until it is revoked', async () => {
    const service = createMockService({ clock: virtualClock(), keys: ['from-the-start'] });
    const value = service.createKey({ name: 'indexer', description: 'nightly run' });
    const nameless = { reveal: expect.any(Function) };
    expect(service.keys()).toEqual([
      { ...nameless, name: 'key 1' },
      { ...nameless, name: 'indexer', description: 'nightly run' },
    ]);
    const [first, second] = service.keys();
    expect([first?.reveal(), second?.reveal(), second?.reveal()]).toEqual(['from-the-start', value, value]);
    expect(JSON.stringify(service.keys())).not.toContain(value);
    service.revokeKey(value);
    expect(service.keys().map(({ name }) => name)).toEqual(['key 1']);
    expect(() => second?.reveal()).toThrow('The key "indexer" was revoked: it cannot be revealed.');
  });

  it('can answer 403 to a key that does not exist, or silently serve its bearer as one without a key', async () => {
    expect((await ask(createMockService({ unknownKey: 403 }), 'made up')).status).toBe(403);
    const treacherous = createMockService({ clock: virtualClock(), unknownKey: 'keyless' });
    expect(await leftThisMinute(treacherous)).toBe(49);
    expect(await leftThisMinute(treacherous, 'made up')).toBe(48);
  });

  it('authenticates no request by the older header', async () => {
    const service = createMockService({ clock: virtualClock(), keys: ['k'] });
    const response = await service.fetch(INFO, { headers: { 'x-hiro-api-key': 'k' } });
    expect(response.headers.get('x-ratelimit-limit-stacks-minute')).toBe('50');
  });

  it('counts HEAD like GET, or as told, and sends it no body', async () => {
    const same = createMockService({ clock: virtualClock(), cost: { info: 3 } });
    const head = await same.fetch(INFO, { method: 'HEAD' });
    expect([head.status, head.headers.get('x-ratelimit-cost-stacks'), await head.text()]).toEqual([200, '3', '']);
    const free = createMockService({ clock: virtualClock(), headCost: 0 });
    expect((await free.fetch(INFO, { method: 'HEAD' })).headers.get('x-ratelimit-remaining-stacks-minute')).toBe('50');
  });

  it('changes limits at run time and keeps what was used', async () => {
    const service = createMockService({ clock: virtualClock(), keyless: { minute: 10 } });
    for (let sent = 0; sent < 5; sent++) await ask(service);
    service.setLimits({ keyless: { minute: 7, hour: 100 } });
    const response = await ask(service);
    expect(response.headers.get('x-ratelimit-remaining-stacks-minute')).toBe('1');
    expect(response.headers.get('x-ratelimit-remaining-stacks-hour')).toBe('99');
    service.setLimits({ keyless: { minute: 3 } });
    expect((await ask(service)).status).toBe(429);
    service.setLimits({ keyless: {}, ceilings: { info: { limit: 1, period: 'day' } } });
    expect((await ask(service)).status).toBe(200);
    expect((await ask(service)).status).toBe(429);
  });

  it('takes limits that were changed in place for changed', async () => {
    const keyless = { minute: 10 };
    const service = createMockService({ clock: virtualClock(), keyless });
    expect(await leftThisMinute(service)).toBe(9);
    keyless.minute = 20;
    service.setLimits({ keyless });
    expect(await leftThisMinute(service)).toBe(18);
  });

  it.each([
    [{ keyed: { secnd: 5 } }, 'keyed has no period "secnd": it may have second, minute, hour, day, month.'],
    [{ keyless: { minute: -1 } }, 'keyless.minute must be 0 units or more, not -1.'],
    [
      { ceilings: { info: { limit: Number.NaN, period: 'minute' } } },
      'ceilings.info.limit must be units, 0 or more, not NaN.',
    ],
    [{ families: { nft: { keyed: { limit: 5 } } } }, 'families.nft.keyed has no period "limit"'],
  ])('refuses %o, which no service can have, saying what would be right', (options, message) => {
    expect(() => createMockService(options as object)).toThrow(message);
  });

  it('refuses limits that no service can have at run time, too, and a port that is not named', async () => {
    const service = createMockService({ clock: virtualClock() });
    expect(() => service.setLimits({ keyed: { years: 1 } as object })).toThrow('keyed has no period "years"');
    await expect(service.listen(3999 as unknown as object)).rejects.toThrow('listen takes { port: 3999 }, not 3999.');
  });

  it('lets another consumer use units of the same identity', async () => {
    const service = createMockService({ clock: virtualClock(), keys: ['k'], keyed: { minute: 500 } });
    service.spend(30);
    service.spend(100, 'k');
    expect([await leftThisMinute(service), await leftThisMinute(service, 'k')]).toEqual([19, 399]);
    expect(() => service.spend(1, 'made up')).toThrow('Unknown key');
  });

  it('can forget everything that was used', async () => {
    const service = createMockService({ clock: virtualClock(), keys: ['k'] });
    await leftThisMinute(service);
    await leftThisMinute(service, 'k');
    service.forget();
    expect([await leftThisMinute(service), await leftThisMinute(service, 'k')]).toEqual([49, 499]);
  });

  it('counts on each of its nodes alone, in turns', async () => {
    const service = createMockService({ clock: virtualClock(), nodes: 2 });
    const left: number[] = [];
    for (let sent = 0; sent < 4; sent++) left.push(await leftThisMinute(service));
    expect(left).toEqual([49, 49, 48, 48]);
  });

  it('lives by its own clock, which the wall clock of its callers cannot move once it runs', async () => {
    const clock = virtualClock({ wall: 0 });
    const service = createMockService({ clock, skewMs: 5_000 });
    await clock.advance(1_000);
    clock.setWall(99_000);
    expect(service.time()).toBe(6_000);
    service.setSkew(-500);
    expect(service.time()).toBe(500);
  });

  it('still knows the window before when its clock is set back', async () => {
    const clock = virtualClock({ wall: Date.UTC(2026, 0, 1, 0, 0, 58) });
    const service = createMockService({ clock });
    await leftThisMinute(service);
    service.setSkew(7_000);
    expect(await leftThisMinute(service)).toBe(49);
    service.setSkew(0);
    expect(await leftThisMinute(service)).toBe(48);
  });

  it('takes time to be reached and to answer', async () => {
    const clock = virtualClock();
    const service = createMockService({ clock, latencyMs: 100 });
    await clock.run(ask(service));
    expect(clock.now()).toBe(100);
    expect(service.log[0]).toMatchObject({ at: 0, arrivedAt: 40 });
    const parts = createMockService({ clock, latencyMs: () => ({ there: 7, back: 3 }) });
    await clock.run(ask(parts));
    expect(clock.now()).toBe(110);
    expect(parts.log[0]).toMatchObject({ at: 100, arrivedAt: 107 });
  });

  it('draws latencies between bounds, the same in every run', async () => {
    const times = async (): Promise<number[]> => {
      const clock = virtualClock();
      const service = createMockService({ clock, latencyMs: [20, 200] });
      const ends: number[] = [];
      await clock.run(() =>
        Promise.all(Array.from({ length: 30 }, () => ask(service).then(() => ends.push(clock.now())))),
      );
      return ends;
    };
    const first = await times();
    expect(await times()).toEqual(first);
    expect(Math.min(...first)).toBeGreaterThanOrEqual(20);
    expect(Math.max(...first)).toBeLessThanOrEqual(200);
    expect(new Set(first).size).toBe(30);
  });

  it('keeps a log in which no key value ever stands', async () => {
    const clock = virtualClock({ wall: 1_000 });
    const service = createMockService({ clock, keys: ['the-secret'], skewMs: 10, keyed: { minute: 1 } });
    await service.fetch(`${ASSETS}?limit=1`, { headers: { 'x-api-key': 'the-secret' } });
    await ask(service, 'the-secret');
    await service.fetch('https://api.mock.test/elsewhere', { method: 'HEAD' });
    const common = { at: 0, arrivedAt: 0, serviceTime: 1_010, method: 'GET', cost: 1, limited: false };
    const path = `${new URL(ASSETS).pathname}?limit=1`;
    expect(service.log).toEqual([
      { ...common, key: 'keyed', endpoint: 'assets', path, status: 200 },
      { ...common, key: 'keyed', endpoint: 'info', path: '/extended/v1/info', status: 429, limited: true },
      { ...common, key: 'keyless', endpoint: '/elsewhere', path: '/elsewhere', method: 'HEAD', status: 404 },
    ]);
    expect(JSON.stringify(service)).not.toContain('the-secret');
    service.clearLog();
    expect([service.log, service.requests, service.limited]).toEqual([[], 0, 0]);
  });

  it('keeps as long a log as it is told to, and counts all the same', async () => {
    const last = createMockService({ keepLog: 2 });
    const none = createMockService({ keepLog: false });
    for (const service of [last, none]) for (let sent = 0; sent < 5; sent++) await ask(service);
    expect([last.log.length, last.requests]).toEqual([2, 5]);
    expect([none.log.length, none.requests]).toEqual([0, 5]);
  });

  it('answers in real time when it is given no clock', async () => {
    const service = createMockService({ latencyMs: 5 });
    const start = performance.now();
    await ask(service);
    expect(performance.now() - start).toBeGreaterThanOrEqual(4);
    expect(Math.abs(service.time() - Date.now())).toBeLessThan(1_000);
  });
});
