import { inspect } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { systemClock } from '../../src/clock.ts';
import { type ConfigError, isConfigError } from '../../src/errors.ts';
import {
  type CallOptions,
  type ClientOptions,
  checkCallOptions,
  readSettings,
  type Settings,
} from '../../src/options/client-options.ts';
import { environmentOf, type KeyEnvironment } from '../../src/options/credentials.ts';
import { wholeShare } from '../../src/share.ts';

const KEY = 'sk_live_0123456789abcdef';
const server: KeyEnvironment = { browser: false, variables: {} };
const browser: KeyEnvironment = { browser: true, variables: {} };

/** Stands for callers without types. */
const settings = (options?: unknown, environment: KeyEnvironment = server): Settings =>
  readSettings(options as ClientOptions, environment);

function refusal(read: () => unknown): ConfigError {
  try {
    read();
  } catch (error) {
    if (isConfigError(error)) return error;
    throw error;
  }
  throw new Error('was accepted');
}

async function refusalOf(promise: unknown): Promise<ConfigError> {
  const error = await Promise.resolve(promise).then(
    () => new Error('was accepted'),
    (error: unknown) => error,
  );
  if (isConfigError(error)) return error;
  throw error;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('settings', () => {
  test('have a default for every option', () => {
    const { key, onEvent, fetch, ...rest } = settings();
    expect(rest).toEqual({
      baseUrl: 'https://api.hiro.so',
      concurrency: 32,
      maxQueueMs: Number.POSITIVE_INFINITY,
      maxWaiting: Number.POSITIVE_INFINITY,
      onOverflow: 'reject-new',
      maxWaitMs: 300_000,
      maxAttempts: 3,
      timeoutMs: 30_000,
      shareInFlight: false,
      etags: undefined,
      cost: undefined,
      share: wholeShare,
      clock: systemClock,
      random: Math.random,
      logger: undefined,
      userAgent: expect.stringMatching(/^stacks-quota\//),
    });
    expect(key()).toBeUndefined();
  });

  test('are what the options say', () => {
    const options: ClientOptions = {
      baseUrl: 'https://gateway.example',
      concurrency: 1,
      maxWaitMs: Infinity,
      maxAttempts: 1,
      timeoutMs: 0.5,
      shareInFlight: true,
      fetch: async () => new Response(),
      share: { ...wholeShare },
      clock: { ...systemClock },
      random: () => 0,
      onEvent: () => {},
    };
    expect(settings(options)).toMatchObject(options);
    expect(settings({ ...options, maxWaitMs: 0 }).maxWaitMs).toBe(0);
  });

  test.each<[ClientOptions['etags'], Settings['etags']]>([
    [false, undefined],
    [true, { entries: 500, bytes: 16 * 1024 * 1024 }],
    [{}, { entries: 500, bytes: 16 * 1024 * 1024 }],
    [{ entries: 3 }, { entries: 3, bytes: 16 * 1024 * 1024 }],
    [
      { entries: 3, bytes: 4 },
      { entries: 3, bytes: 4 },
    ],
  ])('take etags of %o for %o', (etags, limits) => {
    expect(settings({ etags }).etags).toEqual(limits);
  });

  test('refuse limits of etags that cannot be used, saying what would be right', () => {
    expect(refusal(() => settings({ etags: { entries: 0 } })).message).toBe(
      'entries must be a whole number, 1 or more, not 0',
    );
    expect(refusal(() => settings({ etags: { entires: 5 } })).message).toBe(
      'entires is not one of the limits of etags: entries, bytes',
    );
  });

  test('take an option that is undefined for one that is left out', () => {
    expect(settings({ concurrency: undefined, baseUrl: undefined })).toMatchObject({
      concurrency: 32,
      baseUrl: 'https://api.hiro.so',
    });
  });

  test('call the global fetch of the moment, which a mock may have replaced meanwhile', async () => {
    const { fetch } = settings();
    const stand = vi.fn(async () => new Response('from the mock'));
    vi.stubGlobal('fetch', stand);
    const answer = await fetch('https://api.hiro.so/', { method: 'HEAD' });
    expect(await answer.text()).toBe('from the mock');
    expect(stand).toHaveBeenCalledWith('https://api.hiro.so/', { method: 'HEAD' });
  });

  test('ignore options that somebody planted on every object', () => {
    const planted = { baseUrl: 'https://evil.example', apiKey: KEY, concurrency: 99, dangerouslyAllowBrowser: true };
    for (const [name, value] of Object.entries(planted)) {
      Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true });
    }
    try {
      const { baseUrl, concurrency, key } = settings({ maxAttempts: 2 });
      expect({ baseUrl, concurrency, key: key() }).toEqual({
        baseUrl: 'https://api.hiro.so',
        concurrency: 32,
        key: undefined,
      });
    } finally {
      for (const name of Object.keys(planted)) Reflect.deleteProperty(Object.prototype, name);
    }
  });

  test.each<[object, string]>([
    [{ concurrency: 0 }, 'concurrency must be a whole number, 1 or more, not 0'],
    [{ concurrency: 1.5 }, 'concurrency must be a whole number, 1 or more, not 1.5'],
    [{ concurrency: Infinity }, 'concurrency must be a whole number, 1 or more, not Infinity'],
    [{ concurrency: '8' }, 'concurrency must be a whole number, 1 or more, not "8"'],
    [{ maxAttempts: 0 }, 'maxAttempts must be a whole number, 1 or more, not 0'],
    [{ maxWaitMs: -1 }, 'maxWaitMs must be milliseconds, 0 or more, or Infinity, not -1'],
    [{ maxQueueMs: -1 }, 'maxQueueMs must be milliseconds, 0 or more, or Infinity, not -1'],
    [{ maxWaiting: 0.5 }, 'maxWaiting must be a whole number, 0 or more, not 0.5'],
    [{ onOverflow: 'drop' }, "onOverflow must be 'reject-new' or 'reject-lowest', not \"drop\""],
    [{ maxWaitMs: Number.NaN }, 'maxWaitMs must be milliseconds, 0 or more, or Infinity, not NaN'],
    [{ timeoutMs: 0 }, 'timeoutMs must be milliseconds, more than 0, not 0'],
    [{ timeoutMs: Infinity }, 'timeoutMs must be milliseconds, more than 0, not Infinity'],
    [{ timeoutMs: null }, 'timeoutMs must be milliseconds, more than 0, not null'],
    [{ shareInFlight: 1 }, 'shareInFlight must be true or false, not 1'],
    [{ etags: 500 }, 'etags must be true, or an object such as { entries: 500 }, not 500'],
    [{ fetch: 'fetch' }, 'fetch must be a function, not "fetch"'],
    [{ random: 0.5 }, 'random must be a function, not 0.5'],
    [{ onEvent: {} }, 'onEvent must be a function, not an object'],
    [{ clock: { now: () => 0 } }, 'clock must be a clock, not an object'],
    [{ clock: Date }, 'clock must be a clock, not a function'],
    [{ share: { part: 1 } }, 'share must be a share of the quota, not an object'],
    [{ dangerouslyAllowBrowser: 1 }, 'dangerouslyAllowBrowser must be true or false, not 1'],
    [
      { concurency: 8 },
      'concurency is not one of the options: baseUrl, apiKey, concurrency, maxWaitMs, maxQueueMs, maxWaiting, onOverflow, maxAttempts, timeoutMs, shareInFlight, etags, cost, fetch, share, reserve, low, clock, random, onEvent, logger, dangerouslyAllowBrowser',
    ],
  ])('are refused with %o, saying what would be right', (options, message) => {
    const error = refusal(() => settings(options));
    expect(error.message).toBe(message);
    expect(error.option).toBe(Object.keys(options)[0]);
  });

  test.each([KEY, null, [KEY], 5])('are refused with %o in place of options, without repeating it', (options) => {
    const error = refusal(() => settings(options));
    expect(error.message).toMatch(/^options must be an object, not (string|null|object|number)$/);
  });
});

describe('the base URL', () => {
  test.each([
    ['https://api.hiro.so/', 'https://api.hiro.so'],
    ['HTTPS://API.HIRO.SO:443', 'https://api.hiro.so'],
    ['https://gateway.example/stacks/main///', 'https://gateway.example/stacks/main'],
    ['http://localhost:3999', 'http://localhost:3999'],
    ['http://[::1]:3999/', 'http://[::1]:3999'],
    ['http://gateway.example', 'http://gateway.example'],
    ['https://gateway.example/a/%2e%2e/b', 'https://gateway.example/b'],
  ])('%s is taken as %s', (baseUrl, normalised) => {
    expect(settings({ baseUrl }).baseUrl).toBe(normalised);
  });

  test.each([
    ['', 'must begin with https:// or http://, such as https://api.hiro.so'],
    ['api.hiro.so', 'must begin with https:// or http://, such as https://api.hiro.so'],
    ['ftp://api.hiro.so', 'must begin with https:// or http://, such as https://api.hiro.so'],
    ['https:api.hiro.so', 'must begin with https:// or http://, such as https://api.hiro.so'],
    ['https:///api.hiro.so', 'must begin with https:// or http://, such as https://api.hiro.so'],
    ['javascript:alert(1)', 'must begin with https:// or http://, such as https://api.hiro.so'],
    ['https://api.hiro.so/?', 'must not have a query or a fragment'],
    ['https://api.hiro.so?a=b', 'must not have a query or a fragment'],
    ['https://api.hiro.so#', 'must not have a query or a fragment'],
    ['https://user:secret@api.hiro.so', 'must not have a user name or a password'],
    ['https://secret@api.hiro.so', 'must not have a user name or a password'],
    [' https://api.hiro.so', 'must begin with https:// or http://, such as https://api.hiro.so'],
    ['https://api.hiro.so\n', 'must not have white space, control characters or backslashes'],
    ['https://api.hi\tro.so', 'must not have white space, control characters or backslashes'],
    ['https://api.hiro.so\\@evil.example', 'must not have white space, control characters or backslashes'],
    ['https://api.hiro.so:99999', 'must be a URL such as https://api.hiro.so'],
    ['https://%', 'must be a URL such as https://api.hiro.so'],
    [`https://api.hiro.so/${'/'.repeat(100_000)}`, 'must be a URL of at most 2048 characters, not 100020'],
  ])('%j is refused', (baseUrl, problem) => {
    const error = refusal(() => settings({ baseUrl }));
    expect(error.option).toBe('baseUrl');
    expect(error.message).toBe(`baseUrl ${problem}`);
  });

  test('must be text', () => {
    expect(refusal(() => settings({ baseUrl: new URL('https://api.hiro.so') })).message).toBe(
      'baseUrl must be text, not an object',
    );
  });

  test.each([
    'http://localhost',
    'http://LOCALHOST:3999/api',
    'http://127.0.0.1',
    'http://127.1:80',
    'http://127.255.0.9',
    'http://[::1]:8080',
    'http://[0:0:0:0:0:0:0:1]',
  ])('may be %s with a key, for that is this very machine', (baseUrl) => {
    expect(settings({ baseUrl, apiKey: KEY }).key()).toBe(KEY);
  });

  test.each([
    'http://api.hiro.so',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'http://128.0.0.1',
    'http://0.0.0.0',
    'http://[::2]',
    'http://192.168.0.1',
  ])('must not be %s with a key, whose way there can be listened to', (baseUrl) => {
    for (const apiKey of [KEY, () => KEY, () => undefined]) {
      const error = refusal(() => settings({ baseUrl, apiKey }));
      expect(error.message).toBe('baseUrl must be https when a key is set (apiKey), except on this machine');
    }
    expect(settings({ baseUrl }).baseUrl).toBe(baseUrl);
  });
});

describe('the key', () => {
  test('is given by a function, and shown by no inspection', () => {
    const found = settings({ apiKey: KEY });
    expect(found.key()).toBe(KEY);
    expect(inspect(found, { depth: 9, showHidden: true })).not.toContain(KEY);
    expect(JSON.stringify(found)).not.toContain(KEY);
  });

  test('may come from a function, which is asked each time', async () => {
    const keys = ['first', 'second', undefined];
    const { key } = settings({ apiKey: async () => keys.shift() });
    expect([await key(), await key(), await key()]).toEqual(['first', 'second', undefined]);
  });

  test.each(['!', '~'.repeat(512), 'it\'s#a"key'])('may be %j', (apiKey) => {
    expect(settings({ apiKey }).key()).toBe(apiKey);
  });

  const bad = [
    '',
    ' ',
    `${KEY} `,
    ` ${KEY}`,
    `${KEY}\n`,
    `${KEY}\r\nx: y`,
    `${KEY}\u0000`,
    `${KEY}é`,
    `${KEY}€`,
    'k'.repeat(513),
  ];

  test.each(bad)('must not be %j, which is not repeated', async (apiKey) => {
    const errors = [refusal(() => settings({ apiKey })), await refusalOf(settings({ apiKey: () => apiKey }).key())];
    for (const error of errors) {
      expect(error.option).toBe('apiKey');
      expect(error.message).toMatch(/^apiKey (is empty: omit it|must be 1 to 512 visible ASCII characters)/);
      expect(inspect(error)).not.toMatch(/sk_live|kkk/);
    }
  });

  test.each([12345, null, [KEY], { key: KEY }, true])('must not be %o, which is no text', async (apiKey) => {
    const errors = [refusal(() => settings({ apiKey })), await refusalOf(settings({ apiKey: () => apiKey }).key())];
    for (const error of errors) {
      expect(error.message).toMatch(/^apiKey must be a string or a function that returns one, not of type \w+$/);
    }
  });

  test("comes with its function's own failure", async () => {
    const failure = new Error('the vault is shut');
    const { key } = settings({
      apiKey: () => {
        throw failure;
      },
    });
    await expect(key()).rejects.toBe(failure);
  });
});

describe('the environment', () => {
  const variables = { STACKS_API_URL: 'https://env.example/', STACKS_API_KEY: 'from-env' };

  test('gives the base URL and the key where the options do not', () => {
    const found = settings({}, { browser: false, variables });
    expect(found.baseUrl).toBe('https://env.example');
    expect(found.key()).toBe('from-env');
  });

  test('gives way to the options', () => {
    const options = { baseUrl: 'https://gateway.example', apiKey: () => undefined };
    const found = settings(options, { browser: false, variables });
    expect(found.baseUrl).toBe('https://gateway.example');
    return expect(found.key()).resolves.toBeUndefined();
  });

  test('with empty variables is one without them', () => {
    const found = settings({}, { browser: false, variables: { STACKS_API_URL: '', STACKS_API_KEY: '' } });
    expect(found.baseUrl).toBe('https://api.hiro.so');
    expect(found.key()).toBeUndefined();
  });

  test.each([
    [{ STACKS_API_URL: 'nonsense' }, 'STACKS_API_URL'],
    [{ STACKS_API_KEY: 'two words' }, 'STACKS_API_KEY'],
    [{ STACKS_API_URL: 'http://env.example', STACKS_API_KEY: 'from-env' }, 'STACKS_API_URL'],
  ])('with the bad variables %o is refused by their name', (variables, option) => {
    expect(refusal(() => settings({}, { browser: false, variables })).option).toBe(option);
  });

  test('is that of this process by default', () => {
    vi.stubEnv('STACKS_API_URL', 'https://process.example');
    vi.stubEnv('STACKS_API_KEY', 'from-process');
    const found = readSettings();
    expect(found.baseUrl).toBe('https://process.example');
    expect(found.key()).toBe('from-process');
  });

  test('is read only where it is its own', () => {
    const env = Object.create({ STACKS_API_KEY: 'planted' });
    expect(environmentOf({ process: { env, versions: { node: '24' } } }).variables.STACKS_API_KEY).toBeUndefined();
    const globals = Object.create({ process: { env: { STACKS_API_KEY: 'planted' }, versions: { node: '24' } } });
    expect(environmentOf(globals).variables.STACKS_API_KEY).toBeUndefined();
  });

  test('that may not be read is an empty one', () => {
    const env = new Proxy(
      {},
      {
        getOwnPropertyDescriptor: () => {
          throw new Error('NotCapable');
        },
      },
    );
    expect(environmentOf({ process: { env, versions: { node: '24' } } }).variables.STACKS_API_KEY).toBeUndefined();
  });
});

describe('a browser', () => {
  const env = { STACKS_API_KEY: 'baked in by a bundler' };
  const node = { process: { env, versions: { node: '24.21.0' } } };

  test.each<[string, object, boolean]>([
    ['a page', { document: {}, window: {} }, true],
    ['a page with what a bundler puts for process', { document: {}, process: { env, versions: {} } }, true],
    ['a worker', { importScripts: () => {} }, true],
    ['Node', node, false],
    ['a test of a page under Node', { ...node, document: {}, window: {} }, false],
    ['Deno or Bun, in a worker', { ...node, importScripts: () => {} }, false],
    ['an edge service', { WorkerGlobalScope: class {}, navigator: { userAgent: 'edge' } }, false],
    ['an edge service of old', { importScripts: () => {}, navigator: { userAgent: 'Cloudflare-Workers' } }, false],
    ['an edge service with variables', { process: { env } }, false],
    ['nothing at all', {}, false],
  ])('is told from a server: %s', (_, globals, isBrowser) => {
    expect(environmentOf(globals).browser).toBe(isBrowser);
  });

  test('has no environment to read', () => {
    expect(environmentOf({ document: {}, process: { env } }).variables).toEqual({});
    expect(environmentOf({ process: { env } }).variables).toEqual(env);
  });

  test.each([[KEY], [() => KEY]])('must have no key, and says why', (apiKey) => {
    const error = refusal(() => settings({ apiKey }, browser));
    expect(error.option).toBe('apiKey');
    expect(error.message).toMatch(/^apiKey would be visible to every visitor of this page: .* dangerouslyAllowBrowser/);
  });

  test('may have a key when that is said to be meant', () => {
    expect(settings({ apiKey: KEY, dangerouslyAllowBrowser: true }, browser).key()).toBe(KEY);
    expect(refusal(() => settings({ apiKey: KEY, dangerouslyAllowBrowser: false }, browser)).option).toBe('apiKey');
  });

  test('needs no leave to call without a key', () => {
    expect(settings({}, browser).key()).toBeUndefined();
  });
});

describe('the options of a call', () => {
  /** Stands for callers without types. */
  const check = (options?: unknown): CallOptions => checkCallOptions(options as CallOptions);

  test('may be left out', () => {
    expect({ ...check() }).toEqual({});
    expect({ ...check({}) }).toEqual({});
  });

  test('are given back as they are', () => {
    const options: CallOptions<{ height: number }> = {
      signal: new AbortController().signal,
      priority: -1.5,
      maxWaitMs: Infinity,
      timeoutMs: 1,
      cost: 0,
      schema: z.object({ height: z.number() }),
      headers: { 'If-None-Match': '"abc"', accept: 'ä' },
    };
    const checked: CallOptions<{ height: number }> = checkCallOptions(options);
    expect({ ...checked }).toEqual(options);
    expect(checked.signal).toBe(options.signal);
    expect(checked.schema).toBe(options.schema);
  });

  test('may have a schema that is a function, as some libraries make them', () => {
    const schema = Object.assign(() => {}, {
      '~standard': { version: 1, vendor: 'test', validate: () => ({ value: 1 }) },
    });
    expect(check({ schema }).schema).toBe(schema);
  });

  test.each<[object, string]>([
    [{ priority: Number.NaN }, 'priority must be a number, not NaN'],
    [{ priority: Infinity }, 'priority must be a number, not Infinity'],
    [{ priority: 'high' }, 'priority must be a number, not "high"'],
    [{ maxWaitMs: -1 }, 'maxWaitMs must be milliseconds, 0 or more, or Infinity, not -1'],
    [{ timeoutMs: -1 }, 'timeoutMs must be milliseconds, more than 0, not -1'],
    [{ cost: -1 }, 'cost must be a number of units, 0 or more, not -1'],
    [{ cost: Infinity }, 'cost must be a number of units, 0 or more, not Infinity'],
    [{ signal: new AbortController() }, 'signal must be an AbortSignal, not an object'],
    [{ signal: null }, 'signal must be an AbortSignal, not null'],
    [{ schema: null }, 'schema must be a Standard Schema, not null'],
    [{ schema: { parse: () => {} } }, 'schema must be a Standard Schema, not an object'],
    [
      { schema: { '~standard': { version: 2, validate: () => {} } } },
      'schema must be a Standard Schema, not an object',
    ],
    [{ headers: 'accept: text/html' }, 'headers must be an object of names and values, not "accept: text/html"'],
    [{ headers: new Headers({ a: 'b' }) }, 'headers must be an object of names and values, not an object'],
    [{ headers: [['a', 'b']] }, 'headers must be an object of names and values, not an array'],
    [
      { retries: 3 },
      'retries is not one of the call options: signal, label, priority, maxWaitMs, maxQueueMs, timeoutMs, cost, schema, headers',
    ],
  ])('with %o are refused, saying what would be right', (options, message) => {
    const error = refusal(() => check(options));
    expect(error.message).toBe(message);
    expect(error.option).toBe(Object.keys(options)[0]);
  });

  test.each(['x-api-key', 'X-API-Key', 'x-hiro-api-key'])('must not carry a key in %s', (name) => {
    const error = refusal(() => check({ headers: { [name]: KEY } }));
    expect(error.option).toBe('headers');
    expect(error.message).toBe(`headers cannot carry a key in ${name}: it is the option apiKey`);
  });

  test.each(['', 'two words', 'a:b', 'a\r\nb', 'ä', 'a\u0000'])('must not have a header of the name %j', (name) => {
    expect(refusal(() => check({ headers: { [name]: 'x' } })).message).toBe(
      `headers cannot have the name ${JSON.stringify(name)}`,
    );
  });

  test.each([
    'secret\r\nx-api-key: y',
    'secret\n',
    'secret\u0000',
    'secret\t',
    'secret\u007f',
    'secret€',
    5,
    null,
    ['secret'],
  ])('must not have a header of the value %j, which is not repeated', (value) => {
    const { message } = refusal(() => check({ headers: { accept: value } }));
    expect(message).toBe('headers must have text for accept, without line breaks and other control characters');
  });

  test('that pass make headers that fetch takes', () => {
    for (let code = 0x20; code <= 0xff; code++) {
      const headers = { accept: `a${String.fromCharCode(code)}b` };
      if (code >= 0x7f && code < 0xa0) refusal(() => check({ headers }));
      else expect(new Headers(check({ headers }).headers).get('accept')).toBe(headers.accept);
    }
  });
});
