import { describe, expect, it } from 'vitest';
import { type Client, isClosed, isConfigError } from '../../src/index.ts';
import { mockWorld } from '../support/mock-world.ts';
import { quietly, ROOMY, refused, refusedSoon, world } from './support/deadline-world.ts';

const ADDRESS = 'SP1J1A6PJ50NS54VWAVFGA9C4HS53NAQXZQ07P5TK';

describe('client.close', () => {
  it.for<[unknown, string]>([
    [{ drian: true }, 'drian is not one of the options of close: drain'],
    [{ drain: 'yes' }, 'drain must be true or false, not "yes"'],
    ['drain', 'options of close must be an object, not string'],
    [null, 'options of close must be an object, not null'],
  ])('rejects no call if its options are %o', async ([options, message]) => {
    const { clock, client } = await world();
    client.pause();
    const call = client.getInfo();
    await expect(client.close(options as { drain?: boolean })).rejects.toThrow(message);
    expect(client.waiting).toBe(1);
    client.resume();
    await clock.run(call);
  });
});

describe('client.pause', () => {
  it('holds back what waits and what comes, and resume lets it go', async () => {
    const { clock, client, service } = await world();
    client.pause();
    const impatient = [client.getInfo({ maxQueueMs: 1_000 }), client.getInfo({ maxWaitMs: 1_000 })];
    const calls = [...impatient, client.fetch('/extended/v1/info')];
    await clock.advance(600_000);
    expect(service.requests).toBe(1);
    expect(client.queue()).toHaveLength(3);
    expect(client.quota().paused).toEqual({});
    for (const call of client.queue()) {
      expect(call).toMatchObject({ reason: { kind: 'paused', why: 'the client is paused' } });
      expect(call).not.toHaveProperty('until');
    }
    client.resume();
    await clock.run(Promise.all(calls));
    expect(client.quota().paused).toBeUndefined();
  });

  it('ends by itself, after milliseconds or at a date', async () => {
    const { clock, client, service } = await world();
    client.pause(5_000);
    const start = clock.now();
    await clock.run(client.getInfo());
    expect(clock.now() - start).toBe(5_080);
    client.pause(new Date(clock.wall() + 7_000));
    expect(client.quota().paused).toEqual({ until: new Date(clock.wall() + 7_000) });
    await clock.run(client.getInfo());
    expect(clock.now() - start).toBe(12_160);
    expect(service.limited).toBe(0);
  });

  it('is one without an end if no date can say when it ends', async () => {
    const { client } = await world();
    client.pause(Number.MAX_SAFE_INTEGER);
    expect(client.quota().paused).toEqual({});
  });

  it('is counted in estimates, and a call with less patience fails at once', async () => {
    const { client, clock } = await world();
    client.pause(100_000);
    expect(client.estimate().ms).toBeGreaterThanOrEqual(100_000);
    const call = client.getInfo({ maxWaitMs: 50_000 });
    expect(await refused(call)).toMatchObject({ window: 'paused', retryAfterMs: 100_000 });
    client.pause();
    expect(client.estimate().ms).toBeLessThan(1_000);
    client.resume();
    await clock.run(client.getInfo());
  });

  it('replaces one before it, for calls that wait already, too', async () => {
    const { clock, client } = await world();
    const start = clock.now();
    client.pause();
    const calls = [client.getInfo(), client.getInfo({ maxQueueMs: 5_000 })];
    const late = refusedSoon(client.getInfo({ maxQueueMs: 500 }));
    await clock.advance(10_000);
    client.pause(60_000);
    client.pause(1_000);
    await clock.advance(500);
    expect(late()).toMatchObject({ maxQueueMs: 500, why: expect.stringContaining('after about 1 s') });
    await clock.run(Promise.all(calls));
    expect(clock.now() - start).toBe(11_080);
  });

  // The first call of a client tells the limits, so that the others wait for its answer: where the pause was counted, all of them failed.
  it('without an end takes nothing of the time of calls with a maxQueueMs', async () => {
    const { clock, client, service } = mockWorld({ latencyMs: 80, ...ROOMY }, { maxQueueMs: 300 });
    client.pause();
    const calls = Array.from({ length: 20 }, () => client.getInfo());
    await clock.advance(10_000);
    client.resume();
    await clock.run(Promise.all(calls));
    expect(service.requests).toBe(20);
  });

  it('lets requests under way come back', async () => {
    const { clock, client } = await world();
    const call = client.getInfo();
    client.pause();
    await clock.run(call);
  });

  it.for([-1, Number.NaN, 'soon', new Date('never'), null])('refuses %s', async (until) => {
    const { client } = await world();
    expect(() => client.pause(until as number)).toThrow(/until must be milliseconds, 0 or more, or a Date/);
    try {
      client.pause(until as number);
    } catch (error) {
      expect(isConfigError(error)).toBe(true);
    }
  });
});

/** After more turns than any chain of promises takes. */
async function later<T>(value: T): Promise<T> {
  for (let turn = 0; turn < 100; turn++) await undefined;
  return value;
}

const SLOW_SCHEMA = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => later({ value }) },
} as const;

/** A body of which a part comes late. */
function slowPost(): RequestInit {
  const body = new ReadableStream({
    async pull(controller) {
      controller.enqueue(await later(new TextEncoder().encode('{}')));
      controller.close();
    },
  });
  return { method: 'POST', body, duplex: 'half' } as RequestInit;
}

describe('close and idle', () => {
  it('with drain sends what waits, and says that nothing was rejected', async () => {
    const { clock, client, service } = await world();
    const calls = Array.from({ length: 30 }, () => client.getInfo());
    const closing = client.close({ drain: true });
    const late = client.getInfo().catch(isClosed);
    await clock.run(Promise.all(calls));
    expect(await closing).toEqual({ rejected: 0 });
    expect(await late).toBe(true);
    expect(service.requests).toBe(31);
  });

  it('with drain ends a pause, and may be cut short', async () => {
    const { clock, client } = await world({}, { concurrency: 1 });
    client.pause();
    let sent = 0;
    client.subscribe(({ type }) => {
      if (type === 'sent') sent++;
    });
    const calls = quietly(Array.from({ length: 30 }, () => client.getInfo()));
    const draining = client.close({ drain: true });
    await clock.advance(500);
    expect(sent).toBeGreaterThan(0);
    const closing = client.close();
    await clock.run(Promise.all([calls, draining, closing]));
    expect([await draining, await closing]).toEqual([{ rejected: 30 - sent }, { rejected: 30 - sent }]);
  });

  it('without drain tells how many it rejected', async () => {
    const { clock, client } = await world({}, { concurrency: 1 });
    const calls = quietly(Array.from({ length: 4 }, () => client.getInfo()));
    expect(await clock.run(client.close())).toEqual({ rejected: 3 });
    await calls;
  });

  it('without drain counts a call under way whose failure would be retried', async () => {
    const { clock, client, service } = await world();
    service.faults.next(1, { status: 502 });
    const call = client.getInfo().catch(isClosed);
    expect(client.quota().inFlight).toBe(1);
    expect(await clock.run(client.close())).toEqual({ rejected: 1 });
    expect(await call).toBe(true);
  });

  it('a misspelt option of close is an error, and the client stays open', async () => {
    const { clock, client } = await world();
    const error = await client.close({ drian: true } as object).catch((reason: unknown) => reason);
    expect(isConfigError(error) && error.message).toMatch(/^drian is not one of the options of close: drain/);
    expect((await clock.run(client.getInfo())).data).toBeDefined();
  });

  it('close may be the listener of a signal, which is given the name of it', async () => {
    const { client } = await world();
    expect(await client.close('SIGTERM' as never)).toEqual({ rejected: 0 });
  });

  it('close with drain sends a fetch that was made just before', async () => {
    const { clock, client } = await world();
    const response = client.fetch('/extended/v1/info');
    const closed = client.close({ drain: true });
    expect((await clock.run(response)).status).toBe(200);
    expect(await clock.run(closed)).toEqual({ rejected: 0 });
  });

  it('close with drain sends a fetch with a body that was made just before, and none that is made after', async () => {
    const { clock, client, service } = await world({ routes: { 'POST /v2/echo': ({ text }) => text() } });
    const post = (body: string): Promise<Response> => client.fetch('/v2/echo', { method: 'POST', body });
    const response = post('before');
    const closed = client.close({ drain: true });
    const after = post('after').catch(isClosed);
    expect(await (await clock.run(response)).text()).toBe('before');
    expect(await clock.run(closed)).toEqual({ rejected: 0 });
    expect([await after, service.log.filter(({ method }) => method === 'POST').length]).toEqual([true, 1]);
  });

  it('close without drain rejects a fetch whose body is being read, and counts it', async () => {
    const { clock, client, service } = await world();
    const response = client.fetch('/extended/v1/info', { method: 'POST', body: '{}' }).catch(isClosed);
    expect(await clock.run(client.close())).toEqual({ rejected: 1 });
    expect([await response, service.log.some(({ method }) => method === 'POST')]).toEqual([true, false]);
  });

  it('close without drain does not wait for the end of such a body', async () => {
    const { clock, client } = await world();
    const body = new ReadableStream({ pull: () => new Promise(() => {}) });
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
    const response = client.fetch('/extended/v1/info', init).catch(isClosed);
    expect(await clock.run(client.close())).toEqual({ rejected: 1 });
    expect(await response).toBe(true);
  });

  it('a second close rejects a fetch whose body is being read while the first drains', async () => {
    const { clock, client } = await world();
    const response = client.fetch('/extended/v1/info', { method: 'POST', body: '{}' }).catch(isClosed);
    const closing = [client.close({ drain: true }), client.close()];
    expect(await clock.run(Promise.all(closing))).toEqual([{ rejected: 1 }, { rejected: 1 }]);
    expect(await response).toBe(true);
  });

  it('idle does not wait for a fetch whose body cannot be read', async () => {
    const { clock, client } = await world();
    const body = new ReadableStream({ pull: (stream) => stream.error(new Error('broken')) });
    const response = client.fetch('/extended/v1/info', { method: 'POST', body, duplex: 'half' } as RequestInit);
    const [outcome] = await clock.run(Promise.allSettled([response, client.idle()]));
    expect(outcome.status).toBe('rejected');
  });

  it('idle resolves when all calls have come back, for everyone who asks', async () => {
    const { clock, client } = await world();
    await client.idle();
    let back = 0;
    for (let nth = 0; nth < 25; nth++) void client.getInfo().then(() => back++);
    const counts = await clock.run(Promise.all([client.idle().then(() => back), client.idle().then(() => back)]));
    expect(counts).toEqual([25, 25]);
  });

  // Each kind of call has promises of its own between the scheduler and its caller; the longest chain bounds `TELLING_TURNS`.
  it.for<[string, (client: Client) => Promise<unknown>]>([
    ['getInfo', (client) => client.getInfo()],
    ['getInfo with headersOnly', (client) => client.getInfo({ headersOnly: true })],
    ['getAddressAssets', (client) => client.getAddressAssets(ADDRESS)],
    ['get', (client) => client.get('/extended/v1/info')],
    ['request', (client) => client.request('GET', '/extended/v1/info')],
    ['fetch', (client) => client.fetch('/extended/v1/info')],
    ['fetch with a body', (client) => client.fetch('/extended/v1/info', { method: 'POST', body: '{}' })],
    ['fetchWith', (client) => client.fetchWith({ priority: 1 })('/extended/v1/info')],
    ['a call that fails', (client) => client.get('/nowhere')],
    ['a call whose schema takes its time', (client) => client.get('/extended/v1/info', { schema: SLOW_SCHEMA })],
    ['fetch with a body that takes its time', (client) => client.fetch('/extended/v1/info', slowPost())],
  ])('idle resolves after the caller of %s was told', async ([, call]) => {
    const { clock, client } = await world();
    let isTold = false;
    const tell = (): void => {
      isTold = true;
    };
    void call(client).then(tell, tell);
    expect(await clock.run(client.idle().then(() => isTold))).toBe(true);
  });
});

describe('client.concurrency', () => {
  it('may be raised and lowered while calls wait', async () => {
    const { clock, client } = await world(ROOMY, { concurrency: 2 });
    const calls = quietly(Array.from({ length: 40 }, () => client.getInfo()));
    expect([client.concurrency, client.quota().inFlight]).toEqual([2, 2]);
    client.concurrency = 10;
    expect(client.quota().inFlight).toBe(10);
    client.concurrency = 3;
    await clock.advance(85);
    expect(client.quota().inFlight).toBeLessThanOrEqual(3);
    await clock.run(calls);
  });

  it.for([0, 1.5, '4', undefined])('refuses %s', async (given) => {
    const { client } = await world();
    expect(() => {
      client.concurrency = given as number;
    }).toThrow(/concurrency must be a whole number, 1 or more/);
  });
});
