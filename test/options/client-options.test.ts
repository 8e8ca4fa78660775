import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import { backgroundClock, systemClock } from '../../src/clock.ts';
import type { ClientOptions, Settings } from '../../src/options/client-options.ts';
import { wholeShare } from '../../src/share.ts';
import { refusal } from '../support/refusal.ts';
import { KEY, settings } from './support/settings.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('settings', () => {
  test('have a default for every option', () => {
    const { key, onEvent, fetch, ...rest } = settings();
    expect(rest).toEqual({
      baseUrl: 'https://api.hiro.so',
      concurrency: 32,
      maxQueueMs: Infinity,
      maxWaiting: Infinity,
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
      'etags.entries must be a whole number, 1 or more, not 0',
    );
    expect(refusal(() => settings({ etags: { entires: 5 } })).message).toBe(
      'etags.entires is not one of the limits of etags: entries, bytes. Did you mean entries?',
    );
  });

  test('take an option that is undefined for one that is left out', () => {
    expect(settings({ concurrency: undefined, baseUrl: undefined })).toMatchObject({
      concurrency: 32,
      baseUrl: 'https://api.hiro.so',
    });
  });

  test('call the global fetch of the moment, which a mock may have replaced meanwhile', async () => {
    await using client = createClient({ clock: backgroundClock });
    const stand = vi.fn(async (_: string | URL | Request) => new Response('from the mock'));
    vi.stubGlobal('fetch', stand);
    const answer = await client.fetch('https://api.hiro.so/v2/info');
    expect(await answer.text()).toBe('from the mock');
    expect(stand.mock.calls.map(([input]) => input)).toEqual(['https://api.hiro.so/v2/info']);
  });

  test('ignore options that are set on Object.prototype', () => {
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
    [{ maxWaiting: 0.5 }, 'maxWaiting must be a whole number, 0 or more, or Infinity, not 0.5'],
    [{ onOverflow: 'drop' }, "onOverflow must be 'reject-new' or 'reject-lowest', not \"drop\""],
    [{ maxWaitMs: Number.NaN }, 'maxWaitMs must be milliseconds, 0 or more, or Infinity, not NaN'],
    [{ timeoutMs: 0 }, 'timeoutMs must be a finite number of milliseconds, more than 0, not 0'],
    [{ timeoutMs: Infinity }, 'timeoutMs must be a finite number of milliseconds, more than 0, not Infinity'],
    [{ timeoutMs: null }, 'timeoutMs must be a finite number of milliseconds, more than 0, not null'],
    [{ shareInFlight: 1 }, 'shareInFlight must be true or false, not 1'],
    [{ etags: 500 }, 'etags must be true, false, or an object such as { entries: 500 }, not 500'],
    [{ fetch: 'fetch' }, 'fetch must be a function, not "fetch"'],
    [{ random: 0.5 }, 'random must be a function, not 0.5'],
    [{ onEvent: {} }, 'onEvent must be a function, not an object'],
    [{ clock: { now: () => 0 } }, 'clock must be a clock with now, wall and timer, not an object'],
    [{ clock: Date }, 'clock must be a clock with now, wall and timer, not a function'],
    [{ share: { part: 1 } }, 'share must be a share of the quota, as redisShare({ redis, name }) makes, not an object'],
    [{ share: [] }, 'share must be a share of the quota, as redisShare({ redis, name }) makes, not an array'],
    [{ dangerouslyAllowBrowser: 1 }, 'dangerouslyAllowBrowser must be true or false, not 1'],
    [
      { concurency: 8 },
      'concurency is not one of the options: baseUrl, apiKey, concurrency, maxWaitMs, maxQueueMs, maxWaiting, onOverflow, maxAttempts, timeoutMs, shareInFlight, etags, cost, fetch, share, reserve, low, clock, random, onEvent, logger, dangerouslyAllowBrowser. Did you mean concurrency?',
    ],
  ])('are refused with %o, saying what would be right', (options, message) => {
    const error = refusal(() => settings(options));
    expect(error.message).toBe(message);
    expect(error.option).toBe(Object.keys(options)[0]);
  });

  test.each([KEY, null, [KEY], 5])('are refused with %o in place of options, without repeating it', (options) => {
    const error = refusal(() => settings(options));
    expect(error.message).toMatch(/^options must be an object, not (string|null|an array|number)$/);
  });

  test.each([
    [Promise.resolve({ apiKey: KEY }), 'an object (Promise)'],
    [new URL('https://api.hiro.so'), 'an object (URL)'],
    [new Map([['apiKey', KEY]]), 'an object (Map)'],
    [new Headers({ apiKey: KEY }), 'an object (Headers)'],
  ])('are refused with %o in place of options, which would be read as none', (options, kind) => {
    expect(refusal(() => settings(options)).message).toBe(`options must be an object, not ${kind}`);
  });

  test('may be an instance of a class, of another realm, or have no prototype', () => {
    class Own {}
    for (const options of [new Own(), runInNewContext('({})'), Object.create(null)])
      expect(settings(options)).toMatchObject({ concurrency: 32 });
  });
});
