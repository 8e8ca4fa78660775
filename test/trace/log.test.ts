import { createClient, type Logger } from 'stacks-quota';
import type { MockServiceOptions } from 'stacks-quota/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isDebugged, logEvents } from '../../src/trace/log.ts';
import { mockWorld } from '../support/mock-world.ts';

const KEY = 'key-of-the-log-test';
const SP = 'SP3HXJJMJQ06GNAZ8XWDN1QM48JEDC6PP6W3YZPZJ';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

function world(logger: Logger | undefined, options: MockServiceOptions = {}) {
  return mockWorld({ keys: [KEY], ...options }, { apiKey: KEY, logger });
}

/** A logger like `console`: it takes text. */
function lines(): Logger & { readonly all: string[] } {
  const all: string[] = [];
  const write =
    (level: string) =>
    (...line: unknown[]): void =>
      void all.push([level, ...line].join(' '));
  return { all, debug: write('debug'), info: write('info'), warn: write('warn') };
}

describe('a logger', () => {
  it('gets the steps of a call, in whole milliseconds', async () => {
    const logger = lines();
    const { clock, client } = world(logger, { latencyMs: 10.4 });
    await clock.run(client.getInfo({ label: 'job 7' }));
    expect(logger.all).toEqual([
      'debug stacks-quota: call 1 (job 7) GET /extended/v1/info: called',
      'debug stacks-quota: call 1 (job 7) GET /extended/v1/info: sent to https://api.mock.test/extended/v1/info, after 0 ms',
      'debug stacks-quota: call 1 (job 7) GET /extended/v1/info: answered with 200 in 10 ms',
      'debug stacks-quota: call 1 (job 7) GET /extended/v1/info: done with 200 after 10 ms',
    ]);
  });

  it('gets long waits as infos, and refusals, losses and failures as warnings', async () => {
    const logger = lines();
    const { clock, client, service } = world(logger, { keyed: { minute: 2 } });
    await clock.run(Promise.all([1, 2, 3].map(() => client.getInfo())));
    service.faults.next(1, { status: 429 });
    await clock.run(client.getInfo());
    service.faults.next(3, 'reset');
    await clock.run(client.getInfo().catch(() => {}));
    const of = (level: string): string => logger.all.filter((line) => line.startsWith(level)).join('\n');
    expect(of('info')).toMatch(/waits up to (\d\d(\.\d)? s|1 min): .*minute/);
    expect(of('info')).toMatch(/attempt 2 follows in \d+ ms/);
    expect(of('warn')).toContain('refused because of a limit, with 429');
    expect(of('warn')).toMatch(/no usable response \(ECONNRESET\) after \d+ ms/);
    expect(of('warn')).toMatch(/ended with ConnectionError after \d+ ms \(ECONNRESET\)$/m);
  });

  it('gets the wait of a call for one reason once as an info, and else as debug', () => {
    const logger = lines();
    const tell = logEvents(logger);
    const at = new Date(0);
    const wait = (call: number, window: string, ms: number): void =>
      tell({
        ...{ type: 'waiting', call, endpoint: 'GET /x', at, until: new Date(ms), parked: false, waiting: 1 },
        reason: { kind: 'window', window, why: `${ms} units are reserved` }, // the numbers change all the time
      });
    wait(1, 'second', 3_000);
    wait(1, 'second', 3_100);
    wait(1, 'minute', 3_200);
    wait(2, 'minute', 3_300);
    wait(3, 'hour', 10); // short: debug by itself
    wait(3, 'hour', 3_400);
    expect(logger.all.map((line) => line.split(' ')[0])).toEqual(['info', 'debug', 'info', 'info', 'debug', 'info']);
  });

  it('learns that nothing was sent with a key that was refused', () => {
    const logger = lines();
    logEvents(logger)({ type: 'lost', call: 1, endpoint: 'GET /x', at: new Date(0), code: 'KEY_REFUSED', tookMs: 0 });
    expect(logger.all).toEqual([
      'warn stacks-quota: call 1 GET /x: not sent: the service refused the API key five times in a row; check it, it is tried again after a minute',
    ]);
  });

  it('gets why a call failed, and when it may be retried', async () => {
    const logger = lines();
    const { clock, client } = world(logger, { keyed: { minute: 1 } });
    await clock.run(client.getInfo());
    const { why, retryAt } = await client.getInfo({ maxWaitMs: 0 }).catch((error) => error);
    expect(logger.all.at(-1)).toBe(
      `warn stacks-quota: call 2 GET /extended/v1/info: ended with QuotaExhaustedError after 0 ms: ${why}; retry at ${retryAt.toISOString()}`,
    );
  });

  it('of pino gets fields before the text', async () => {
    const seen: unknown[][] = [];
    const write = (...line: unknown[]): void => void seen.push(line);
    const pino = { debug: write, info: write, warn: write, bindings: () => ({}) };
    const { clock, client } = world(pino);
    await clock.run(client.getInfo());
    expect(seen.at(-1)).toEqual([
      { type: 'done', call: 1, endpoint: 'GET /extended/v1/info', status: 200, tookMs: 0 },
      'call 1 GET /extended/v1/info: done with 200 after 0 ms',
    ]);
  });

  it('never gets the key, a body or a query', async () => {
    const logger = lines();
    const { clock, client, service } = world(logger, { assetsOf: () => 3 });
    await clock.run(client.getAddressAssets(SP, { limit: 3 }));
    await clock.run(client.fetch(`/extended/v1/info?secret=${KEY}`));
    service.faults.next(1, { status: 401, body: `{"error":"${KEY}"}` });
    await clock.run(client.getInfo().catch(() => {}));
    expect(logger.all.length).toBeGreaterThan(10);
    expect(logger.all.join('\n')).not.toMatch(new RegExp(`${KEY}|secret|limit=3|tx_id`));
  });

  it.each<[string, () => void]>([
    [
      'throws',
      () => {
        throw new Error('the disk is full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('the disk is full'))],
  ])('that %s harms no call', async (_, fail) => {
    const { clock, client } = world({ debug: fail, info: fail, warn: fail });
    expect((await clock.run(client.getInfo())).data).toHaveProperty('status');
  });

  it('gets the loss of a store, and its return', () => {
    const logger = lines();
    const hear = logEvents(logger);
    hear({ type: 'share-lost', code: 'ECONNREFUSED', mode: 'partial' });
    hear({ type: 'share-regained', afterMs: 1_234.5, debited: 7 });
    expect(logger.all).toEqual([
      'warn stacks-quota: the store of the shared quota cannot be used (ECONNREFUSED); going on as partial',
      'info stacks-quota: the store of the shared quota can be used again, after 1235 ms',
    ]);
  });

  it('must have the methods', () => {
    expect(() => createClient({ logger: { debug() {} } as never })).toThrow(
      'logger must be a logger with the methods debug, info and warn, not an object',
    );
  });
});

describe('DEBUG', () => {
  it.for<[value: string | undefined, is: boolean]>([
    ['stacks-quota', true],
    ['http,stacks-quota', true],
    ['http stacks-quota', true],
    ['*', true],
    ['stacks-*', true],
    ['stacks-quota:*', true],
    ['*,-stacks-quota', false],
    ['http', false],
    ['stacks', false],
    ['', false],
    [undefined, false],
  ])('%o asks for the log: %s', ([value, is]) => {
    expect(isDebugged(value)).toBe(is);
  });

  it('of stacks-quota logs on standard error, unless there is a logger', async () => {
    vi.stubEnv('DEBUG', 'stacks-quota');
    const print = vi.spyOn(console, 'error').mockImplementation(() => {});
    const own = lines();
    const logged = world(own);
    await logged.clock.run(logged.client.getInfo());
    expect(print).not.toHaveBeenCalled();
    const { clock, client } = world(undefined);
    await clock.run(client.getInfo());
    expect(print.mock.calls[0]?.[0]).toMatch(/^\d{4}-.*Z stacks-quota: call 1 GET \/extended\/v1\/info: called$/);
    expect(print.mock.calls.join('\n')).not.toContain(KEY);
  });
});
