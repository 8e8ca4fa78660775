import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import * as errors from '../src/errors.ts';
import {
  ClosedError,
  ConfigError,
  ConnectionError,
  type ErrorFacts,
  QuotaExhaustedError,
  quote,
  ResponseShapeError,
  ServiceError,
} from '../src/errors.ts';
import type { QuotaSnapshot } from '../src/quota/headers/snapshot.ts';

const quota: QuotaSnapshot = { receivedAt: 0, stacks: {}, malformed: [], unrecognised: {} };
const endpoint = 'GET /extended/v1/info';

const exhausted = (facts: Partial<ErrorFacts<QuotaExhaustedError>> = {}): QuotaExhaustedError =>
  new QuotaExhaustedError({
    window: 'month',
    limit: 150_000,
    remaining: 0,
    retryAt: new Date('2026-12-01T00:00:00Z'),
    retryAfterMs: 86_400_000,
    why: "The month's quota is spent",
    endpoint,
    quota,
    ...facts,
  });
const service = (body: unknown, status = 404): ServiceError => new ServiceError({ status, endpoint, body, quota });
const shape = (...paths: string[]): ResponseShapeError => {
  const issues = paths.map((path) => ({ path, message: 'expected string, not nothing' }));
  return new ResponseShapeError({ endpoint, issues, quota, status: 200 });
};

const KINDS = [
  { name: 'QuotaExhaustedError', error: exhausted(), guard: errors.isQuotaExhausted },
  { name: 'ServiceError', error: service({}), guard: errors.isServiceError },
  {
    name: 'ConnectionError',
    error: new ConnectionError({ endpoint, code: 'ECONNRESET', attempts: 3 }),
    guard: errors.isConnectionError,
  },
  { name: 'ResponseShapeError', error: shape('total'), guard: errors.isResponseShape },
  { name: 'ConfigError', error: new ConfigError('limit', 'must be less'), guard: errors.isConfigError },
  { name: 'ClosedError', error: new ClosedError(), guard: errors.isClosed },
] as const;

describe.each(KINDS)('a $name', ({ name, error, guard }) => {
  test('is an Error of its name, in its stack and when inspected too', () => {
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe(name);
    expect(error.stack).toMatch(new RegExp(`^${name}: `));
    expect(inspect(error)).toMatch(new RegExp(`^${name}: `));
  });

  test('is told by its own guard and by no other', () => {
    for (const kind of KINDS) expect(kind.guard(error)).toBe(kind.name === name);
  });

  test('is not mistaken for a foreign error of the same name', () => {
    expect(guard(Object.assign(new Error('not ours'), { name }))).toBe(false);
    for (const thing of [undefined, null, name, 0, {}, () => {}]) expect(guard(thing)).toBe(false);
  });
});

test('an error of another copy of the package is told by the guards of this one, though it is no instance', async () => {
  const another = '../src/errors.ts?another-copy';
  const copy: typeof errors = await import(/* @vite-ignore */ another);
  expect(copy.ClosedError).not.toBe(ClosedError);
  const error = new copy.ClosedError();
  expect(error).not.toBeInstanceOf(ClosedError);
  expect(errors.isClosed(error)).toBe(true);
  expect(errors.isConfigError(error)).toBe(false);
});

describe('an error that another library wrapped', () => {
  const inner = exhausted();
  const wrapped = new Error('Request failed', { cause: new Error('adapter', { cause: inner }) });

  test('is told by the guard of the error inside, and unwrapped', () => {
    expect(errors.isQuotaExhausted(wrapped)).toBe(true);
    expect(errors.isConnectionError(wrapped)).toBe(false);
    expect(errors.unwrapError(wrapped)).toBe(inner);
  });

  test('is identified by the outermost error, if both are of this package', () => {
    const error = new ConnectionError({ endpoint, code: 'ECONNRESET', attempts: 1, cause: inner });
    expect([errors.isConnectionError(error), errors.isQuotaExhausted(error)]).toEqual([true, false]);
  });

  test('is not identified if it has itself as its cause and no error of this package in it', () => {
    const error = new Error('round');
    error.cause = error;
    expect(errors.isQuotaExhausted(error)).toBe(false);
    expect(errors.unwrapError(error)).toBe(error);
    for (const thing of [undefined, null, 7, 'text']) expect(errors.unwrapError(thing)).toBe(thing);
  });
});

describe('the cause', () => {
  const cause = new TypeError('fetch failed');

  test.each([
    exhausted({ cause }),
    new ServiceError({ status: 500, endpoint, body: '', quota, cause }),
    new ConnectionError({ endpoint, code: 'ECONNRESET', attempts: 3, cause }),
    new ResponseShapeError({ endpoint, issues: [], quota, status: 200, cause }),
    new ConfigError('apiKey', 'is bad', { cause }),
    new ClosedError({ cause }),
  ])('of a $name is kept', (error) => {
    expect(error.cause).toBe(cause);
  });

  test('is not there at all when there is none', () => {
    for (const { error } of KINDS) expect('cause' in error).toBe(false);
  });
});

describe('QuotaExhaustedError', () => {
  test('names the endpoint, why the call is not sent, and when to try again', () => {
    expect(exhausted().message).toBe(
      "GET /extended/v1/info: The month's quota is spent. Retry at 2026-12-01T00:00:00.000Z.",
    );
  });

  test('says the window, its limit and when to call again in its fields', () => {
    expect(exhausted()).toMatchObject({
      window: 'month',
      limit: 150_000,
      remaining: 0,
      retryAt: new Date('2026-12-01T00:00:00Z'),
      retryAfterMs: 86_400_000,
      why: "The month's quota is spent",
      endpoint,
    });
  });

  test('names the path that was asked for, and the wait that the call allowed', () => {
    const url = 'https://api.hiro.so/extended/v1/address/SP123/assets?limit=5';
    const error = exhausted({ url, maxWaitMs: 150_000, endpoint: 'GET /extended/v1/address/{address}/assets' });
    expect(error.message).toBe(
      "GET /extended/v1/address/SP123/assets?limit=5: The month's quota is spent, " +
        'and the wait is longer than maxWaitMs (2.5 min). Retry at 2026-12-01T00:00:00.000Z.',
    );
    expect(error).toMatchObject({ url, maxWaitMs: 150_000, endpoint: 'GET /extended/v1/address/{address}/assets' });
  });

  test.each([new Date(Infinity), new Date(8.64e15)])(
    'says so if no time is known at which the call may be sent',
    (retryAt) => {
      expect(exhausted({ retryAt, retryAfterMs: Infinity, maxWaitMs: 1_000 }).message).toBe(
        "GET /extended/v1/info: The month's quota is spent. No time to retry is known.",
      );
    },
  );
});

describe('ServiceError', () => {
  test.each([
    [
      'the message of a JSON body',
      { statusCode: 404, error: 'Not Found', message: 'no such route' },
      ': no such route',
    ],
    ['the error of a JSON body without a message', { error: 'Gone' }, ': Gone'],
    ['a text', 'API rate limit exceeded', ': API rate limit exceeded'],
    ['several lines as one', 'Bad\r\n\u001b[31mGateway\u0000', ': Bad [31mGateway'],
    ['nothing of a page', '\n<html><body>502 Bad Gateway</body></html>', ''],
    ['nothing of an empty body', '', ''],
    ['nothing of a body of another shape', { message: 42 }, ''],
    ['nothing of a body that is null', null, ''],
  ])('quotes %s', (_, body, words) => {
    expect(service(body).message).toBe(`GET /extended/v1/info: the service answered 404${words}`);
  });

  test('quotes a long message in 200 characters', () => {
    const { message } = service({ message: 'x'.repeat(10_000) });
    expect(message).toMatch(/: x{199}…$/);
  });

  test('keeps a parsed body as it is, and a text up to 2,000 characters', () => {
    const body = { message: 'x'.repeat(10_000) };
    expect(service(body).body).toBe(body);
    expect(service('x'.repeat(2_000)).body).toBe('x'.repeat(2_000));
    expect(service('x'.repeat(2_001)).body).toBe(`${'x'.repeat(1_999)}…`);
  });

  test('says the status, the endpoint and the quota in its fields', () => {
    expect(service({}, 410)).toMatchObject({ status: 410, endpoint, quota });
  });
});

describe('ConnectionError', () => {
  test('says how often it was tried and what went wrong', () => {
    const error = new ConnectionError({ endpoint, code: 'TIMEOUT', attempts: 3 });
    expect(error.message).toBe(
      'GET /extended/v1/info: no usable response after 3 attempts (TIMEOUT: it took longer than timeoutMs)',
    );
    expect(error).toMatchObject({ endpoint, code: 'TIMEOUT', attempts: 3 });
  });

  test('says so when it does not know what went wrong', () => {
    const error = new ConnectionError({ endpoint, code: undefined, attempts: 1 });
    expect(error.message).toBe('GET /extended/v1/info: no usable response after 1 attempt (unknown cause)');
  });

  test('names the host that was asked', () => {
    const url = 'https://api.hiro.so/extended/v1/info';
    expect(new ConnectionError({ endpoint, url, code: 'ENOTFOUND', attempts: 3 }).message).toBe(
      'GET /extended/v1/info: no usable response from https://api.hiro.so after 3 attempts (ENOTFOUND: no such host)',
    );
  });

  test('says during an outage what failed, because nothing was sent', () => {
    const cause = new Error('the last 8 requests failed, the latest with ECONNREFUSED');
    expect(new ConnectionError({ endpoint, code: 'OUTAGE', attempts: 0, cause }).message).toContain(
      ': nothing was sent (OUTAGE: the last 8 requests failed, the latest with ECONNREFUSED)',
    );
  });

  test('says what the code of a redirect means, and what the cause of a closed socket says', () => {
    expect(new ConnectionError({ endpoint, code: 'REDIRECT', attempts: 1 }).message).toContain(
      '(REDIRECT: to another origin, or too often)',
    );
    const cause = new TypeError('fetch failed', { cause: new Error('other side closed') });
    expect(new ConnectionError({ endpoint, code: 'UND_ERR_SOCKET', attempts: 3, cause }).message).toContain(
      '(UND_ERR_SOCKET: other side closed)',
    );
  });

  test.each([
    ['CERT_HAS_EXPIRED', 'certificate has expired', ': certificate has expired'],
    ['INVALID_RESPONSE', 'fetch must return a Response.', ': fetch must return a Response.'],
    ['UND_ERR_ABORTED', 'Proxy response (407) !== 200', ': Proxy response (407) !== 200'],
    ['ECONNRESET', 'read ECONNRESET', ''],
    ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1', ': nothing listens there'],
    ['ERR_INVALID_URL', 'Invalid URL', ': fetch must take a Request'],
    ['ERR_ACCESS_DENIED', 'getaddrinfo ERR_ACCESS_DENIED api.hiro.so', ': node --permission needs --allow-net'],
  ])(
    'says with the code %s what its innermost cause says, "%s", unless there is better: "%s"',
    (code, said, meaning) => {
      const cause = new TypeError('fetch failed', { cause: new Error(said) });
      const { message } = new ConnectionError({ endpoint, code, attempts: 1, cause });
      expect(message).toBe(`GET /extended/v1/info: no usable response after 1 attempt (${code}${meaning})`);
    },
  );

  test('says that nothing was sent with a key that was refused, and what to do', () => {
    const url = 'https://api.hiro.so/extended/v1/info';
    expect(new ConnectionError({ endpoint, url, code: 'KEY_REFUSED', attempts: 0 }).message).toBe(
      'GET /extended/v1/info: nothing was sent to https://api.hiro.so (KEY_REFUSED: the service refused the API key five times in a row; check it, it is tried again after a minute)',
    );
    expect(new ConnectionError({ endpoint, url, code: 'KEY_REFUSED', attempts: 2 }).message).toContain(
      'no usable response from https://api.hiro.so after 2 attempts (KEY_REFUSED: ',
    );
  });
});

describe('ResponseShapeError', () => {
  test('says where the body is not as expected', () => {
    expect(shape('results.0.tx_id').message).toBe(
      'GET /extended/v1/info: the body of a 200 is not as expected: results.0.tx_id: expected string, not nothing',
    );
    expect(shape('').message).toMatch(/as expected: expected string, not nothing$/);
  });

  test('names the first three places of many, and carries all', () => {
    const error = shape('a', 'b', 'c', 'd', 'e');
    expect(error.message).toMatch(/c: expected string, not nothing; and 2 more$/);
    expect(error.issues.map(({ path }) => path)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(error).toMatchObject({ endpoint, quota, status: 200 });
  });
});

test('ConfigError reads as a sentence that begins with the option', () => {
  const error = new ConfigError('concurrency', 'must be a whole number, 1 or more, not 0');
  expect(error.message).toBe('concurrency must be a whole number, 1 or more, not 0');
  expect(error.option).toBe('concurrency');
});

test.each([
  ['text', '"text"'],
  ['a\n"b"', '"a\\n\\"b\\""'],
  ['x'.repeat(61), `"${'x'.repeat(59)}…"`],
  [1e21, '1e+21'],
  [10n, '10n'],
  [new Date(Number.NaN), 'an invalid Date'],
  [new Date(0), '1970-01-01T00:00:00.000Z'],
  [null, 'null'],
  [undefined, 'undefined'],
  [Symbol('s'), 'Symbol(s)'],
  [[1, 2], 'an array'],
  [{ secret: 1 }, 'an object'],
  [Object.create(null), 'an object'],
  [() => 'code', 'a function'],
])('a message quotes %o as %s', (value, quoted) => {
  expect(quote(value)).toBe(quoted);
});
