import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { bodyOf, type Fetch, failureOf, get } from './support/transport.ts';

const networkError = (code: string): TypeError =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(`it was ${code}`), { code }) });

describe('an attempt', () => {
  it.each([
    ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'],
    ...['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'ERR_INVALID_URL', 'ERR_ACCESS_DENIED', 'UND_ERR_CLOSED'],
  ])('that ends with %s certainly never left', async (code) => {
    const fetch = vi.fn(() => Promise.reject(networkError(code)));
    const failure = await failureOf(get(fetch));
    expect(failure).toMatchObject({ code, isUnsent: true });
    expect(fetch).toHaveBeenCalledOnce();
  });

  it.each([
    ...['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'HPE_INVALID_CONSTANT'],
    ...['ERR_HTTP2_STREAM_ERROR', 'ERR_HTTP2_GOAWAY_SESSION', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'],
    'UND_ERR_DESTROYED',
  ])('that ends with %s may have been counted', async (code) => {
    const fetch = () => Promise.reject(networkError(code));
    const failure = await failureOf(get(fetch));
    expect(failure).toMatchObject({ code, isUnsent: false });
  });

  it.each<[string, () => unknown]>([
    ['an error without a code', () => new Error('odd')],
    ['text', () => 'odd'],
    ['nothing at all', () => undefined],
    ['null', () => null],
    ['an error whose cause is null', () => new Error('odd', { cause: null })],
    [
      'an error that is its own cause',
      () => {
        const error = new Error('odd');
        error.cause = error;
        return error;
      },
    ],
    ['an error whose message is no text', () => Object.assign(new Error(), { message: 7 })],
  ])('whose fetch throws %s is a failure of the network, and may have been counted', async (_, thrown) => {
    const fetch = (): never => {
      throw thrown();
    };
    const failure = await failureOf(get(fetch));
    expect(failure).toMatchObject({ code: 'NETWORK', isUnsent: false });
  });

  it.each<[string, unknown, string?]>([
    ['nothing', undefined],
    ['null', null],
    ['text', 'words'],
    ['an object', {}],
    ['a status without headers', { status: 200 }],
    ['headers that are none', { status: 200, headers: { date: 'today' } }],
    ['headers that cannot be asked for one', { status: 200, headers: { forEach() {} } }],
    ['headers without a status', { headers: new Headers() }],
    ['a status that is no number', { status: Number.NaN, headers: new Headers(), body: null }],
    ['no body', { status: 200, headers: new Headers(), json: async () => ({}) }, ' whose body is a ReadableStream'],
    [
      'a body that is a stream of Node, as that of node-fetch',
      { status: 200, headers: new Headers(), body: Readable.from(['{}']) },
      ' whose body is a ReadableStream',
    ],
  ])('whose fetch gives %s is a failure that says so, and may have been counted', async (_, given, lacking = '') => {
    const failure = await failureOf(get((async () => given) as unknown as Fetch));
    const cause = { message: `fetch must return a Response${lacking}.` };
    expect(failure).toMatchObject({ code: 'INVALID_RESPONSE', isUnsent: false, cause });
  });

  it('whose fetch ignores the signal lets go of the response that comes too late', async () => {
    const caller = new AbortController();
    const reason = new Error('enough');
    const { promise, resolve } = Promise.withResolvers<Response>();
    const sent = vi.fn(() => promise);
    const call = get(sent, caller.signal);
    await vi.waitFor(() => expect(sent).toHaveBeenCalledOnce());
    caller.abort(reason);
    await expect(call).rejects.toBe(reason);
    const { stream, seen } = bodyOf([], 'hang');
    resolve(new Response(stream));
    await new Promise(setImmediate);
    expect(seen.cancelled).toHaveLength(1);
  });

  it('whose fetch gives Response.error() has failed on the network', async () => {
    const failure = await failureOf(get((async () => Response.error()) as unknown as Fetch));
    expect(failure).toMatchObject({ code: 'NETWORK', cause: { message: 'fetch returned Response.error().' } });
  });

  it('keeps the words of what went wrong, down to the first cause', async () => {
    const first = new RangeError('first');
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause: new Error('then', { cause: first }) }));
    const failure = await failureOf(get(fetch));
    const cause = { message: 'then', cause: { name: 'RangeError', message: 'first', stack: first.stack } };
    expect(failure.cause).toMatchObject({ name: 'TypeError', message: 'fetch failed', cause });
  });

  it('ends with no other cause than there was, and no stack where there was none', async () => {
    const bare = Object.assign(new Error('odd'), { stack: undefined });
    const { cause } = await failureOf(get(() => Promise.reject(bare)));
    expect(Object.hasOwn(cause as Error, 'cause')).toBe(false);
    expect((cause as Error).stack).toContain('odd');
  });
});
