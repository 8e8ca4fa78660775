import { describe, expect, it } from 'vitest';
import { worldOf } from './support/world.ts';

const REFUSED = { name: 'ConnectionError', code: 'KEY_REFUSED', attempts: 0 };

describe('a key that the service knows no more', () => {
  it('is not sent with all that waits: the calls fail at once, and nothing is spent for them', async () => {
    const { clock, service, client } = worldOf({ keyed: { minute: 1_000 } });
    await clock.run(client.getInfo());
    service.faults.when(() => ({ status: 401 }));
    const all = Array.from({ length: 500 }, () => client.getInfo().catch((error: unknown) => error));
    const ends = await clock.run(Promise.all(all));
    expect(service.requests).toBeLessThan(80);
    expect(ends[0]).toMatchObject({ name: 'ServiceError', status: 401 });
    expect(ends.at(-1)).toMatchObject(REFUSED);
    expect([client.waiting, client.quota().inFlight, client.quota().cooldown]).toEqual([0, 0, undefined]);
  });

  it('is not taken for one that a single endpoint refuses: calls of another one are sent as before', async () => {
    const { clock, service, client, ask } = worldOf();
    await clock.run(client.getInfo());
    service.faults.when(({ url }) => (url.pathname.endsWith('/assets') ? { status: 403 } : undefined));
    for (let call = 0; call < 20; call++) void ask(call).catch(() => {});
    for (let second = 0; second < 10; second++) {
      const call = client.getInfo();
      await clock.advance(1_000);
      expect(await call).toMatchObject({ data: {} });
    }
  });

  it('is tried again after a minute, and another one at once', async () => {
    let key = 'a-key';
    let isKnown = false;
    const { clock, service, client } = worldOf({ keys: ['a-key', 'another'] }, { apiKey: () => key, concurrency: 1 });
    service.faults.when(() => (isKnown ? undefined : { status: 401 }));
    const ask = () => clock.run(client.getInfo().catch((error: unknown) => error));
    for (let call = 0; call < 5; call++) expect(await ask()).toMatchObject({ status: 401 });
    isKnown = true;
    expect(await ask()).toMatchObject(REFUSED);
    key = 'another';
    expect(await ask()).toMatchObject({ data: {} });
    key = 'a-key';
    expect(await ask()).toMatchObject(REFUSED);
    await clock.advance(60_000);
    expect(await ask()).toMatchObject({ data: {} });
  });
});
