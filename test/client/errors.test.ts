import { type createClient, isConfigError, isConnectionError, type QuotaExhaustedError } from 'stacks-quota';
import type { MockServiceOptions } from 'stacks-quota/testing';
import { describe, expect, it } from 'vitest';
import { mockWorld } from '../support/mock-world.ts';

const SP = 'SP3HXJJMJQ06GNAZ8XWDN1QM48JEDC6PP6W3YZPZJ';

function world(options: MockServiceOptions = {}) {
  return mockWorld({ keyless: { minute: 2 }, ...options }, { maxWaitMs: 5_000 });
}

/** What the promise rejects with. */
async function rejection(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: Error) => error,
  );
}

/** Stands for the code of a user: its name is to be in the stack. */
async function theCallersHandler(call: () => Promise<unknown>): Promise<Error | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

describe('the stack of an error leads to the caller', () => {
  const calls = {
    getInfo: (client: ReturnType<typeof createClient>) => client.getInfo(),
    getAddressAssets: (client: ReturnType<typeof createClient>) => client.getAddressAssets(SP),
    fetch: (client: ReturnType<typeof createClient>) => client.fetch('/extended/v1/info'),
    get: (client: ReturnType<typeof createClient>) => client.get('/extended/v1/info'),
  };

  it.for(Object.entries(calls))('where the quota is exhausted: %s', async ([, call]) => {
    const { clock, service, client } = world();
    await clock.run(client.getInfo());
    service.spend(1);
    await clock.run(client.getInfo().catch(() => {}));
    const error = await clock.run(theCallersHandler(() => call(client)));
    expect(error?.name).toBe('QuotaExhaustedError');
    expect(error?.stack).toContain('theCallersHandler');
  });

  it('where the call stood in the queue behind others', async () => {
    const { clock, client } = world({ latencyMs: 50 });
    const all = Array.from({ length: 6 }, () => theCallersHandler(() => client.getInfo()));
    const errors = (await clock.run(Promise.all(all))).filter((error) => error !== undefined);
    expect(errors).toHaveLength(4);
    for (const { stack } of errors) expect(stack).toContain('theCallersHandler');
  });

  it('where no service answers, and where the client is closed', async () => {
    const { clock, service, client } = world();
    service.faults.when(() => 'reset');
    const lost = await clock.run(theCallersHandler(() => client.getInfo()));
    const waiting = theCallersHandler(() => client.getInfo());
    const closed = client.close();
    const [error] = await clock.run(Promise.all([waiting, closed]));
    expect([lost?.name, error?.name]).toEqual(['ConnectionError', 'ClosedError']);
    for (const one of [lost, error]) expect(one?.stack).toContain('theCallersHandler');
  });

  it('of the caller’s own abort stays as it was', async () => {
    const { clock, client } = world();
    const reason = new Error('enough');
    const { stack } = reason;
    expect(await clock.run(rejection(client.getInfo({ signal: AbortSignal.abort(reason) })))).toBe(reason);
    expect(reason.stack).toBe(stack);
  });
});

describe('the message of an error', () => {
  it('names the path that was asked for, and keeps its endpoint beside it', async () => {
    const { clock, service, client } = world();
    service.faults.next(1, { status: 404, body: '{"error":"gone fishing"}' });
    const error = await clock.run(rejection(client.getAddressAssets(SP, { limit: 5 })));
    expect(error.message).toBe(`GET /extended/v1/address/${SP}/assets?limit=5: the service answered 404: gone fishing`);
    expect(error).toMatchObject({
      endpoint: 'GET /extended/v1/address/{address}/assets',
      url: `${service.origin}/extended/v1/address/${SP}/assets?limit=5`,
    });
  });

  it('names host and cause while the service is down, also where nothing was sent', async () => {
    const { clock, service, client } = world();
    service.faults.when(() => 'reset');
    const errors: Error[] = [];
    for (let call = 0; call < 20; call++) errors.push(await clock.run(rejection(client.getInfo({ maxWaitMs: 10 }))));
    expect(errors.every(isConnectionError)).toBe(true);
    expect(errors[0]?.message).toContain(`from ${service.origin} after 3 attempts (ECONNRESET)`);
    expect(errors.at(-1)?.message).toMatch(/\(OUTAGE: the last \d+ requests failed, the latest with ECONNRESET\)$/);
  });

  it('lists the parameters of the call, too, where an option is unknown', async () => {
    const { client, service } = world();
    const error = await rejection(client.getAddressAssets(SP, { limt: 5 } as object));
    expect(isConfigError(error)).toBe(true);
    expect(error.message).toBe(
      'limt is not one of the call options: limit, offset, unanchored, untilBlock, signal, label, priority, maxWaitMs, maxQueueMs, ' +
        'timeoutMs, cost, schema, headers. Did you mean limit?',
    );
    expect((await rejection(client.getInfo({ headerOnly: true } as object))).message).toContain(
      ': headersOnly, signal,',
    );
    expect(service.requests).toBe(0);
  });
});

describe('numbers for people', () => {
  it('are whole: milliseconds to wait, headroom, and units a day', async () => {
    const { clock, client, service } = world({ keyless: { minute: 7, month: 1_000 }, latencyMs: [3.3, 77.7] });
    const all = Array.from({ length: 9 }, (_, index) =>
      client.getInfo({ label: String(index) }).catch((error) => error),
    );
    const errors: unknown[] = await clock.run(Promise.all(all));
    for (const { headroom } of client.quota().windows) expect(headroom).toBe(Math.floor(headroom));
    const refusals = errors.filter((one): one is QuotaExhaustedError => one instanceof Error);
    expect(refusals).not.toEqual([]);
    for (const { retryAfterMs } of refusals) expect(Number.isInteger(retryAfterMs)).toBe(true);
    const month = client.month();
    expect([month?.perDay, month?.affordablePerDay].every(Number.isInteger)).toBe(true);
    expect(Number.isInteger(client.estimate({ count: 50 }).ms)).toBe(true);
    expect(service.limited).toBe(0);
  });
});
