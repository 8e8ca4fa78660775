import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { Failure, KEY_CHANGED } from '../../src/http/failure.ts';
import { KeyBreaker } from '../../src/http/key-breaker.ts';
import { createKeyRing } from '../../src/http/key-ring.ts';
import { createTransport, type Transport } from '../../src/http/transport.ts';
import { cancelledBy } from '../support/cancelled-by.ts';

type Fetch = typeof globalThis.fetch;

const ORIGIN = 'https://api.mock.test';
const INFO = new URL('/extended/v1/info', ORIGIN);
const MIB = 1024 * 1024;
const reason = new Error('enough');
const never = cancelledBy(new AbortController().signal);

const answering = (fetch: Fetch): Transport =>
  createTransport({ origin: ORIGIN, keys: createKeyRing(() => undefined), fetch });
const silent: Transport = answering(() => Promise.reject(new Error('nothing is sent here')));

const get = (fetch: Fetch, signal = never.signal): Promise<Response> =>
  answering(fetch).send({ method: 'GET', url: INFO.href }, cancelledBy(signal));

const networkError = (code: string): TypeError =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(`it was ${code}`), { code }) });

/** What a promise is rejected with, if it is a Failure. */
async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const error = await work.catch((thrown: unknown) => thrown);
  if (error instanceof Failure) return error;
  throw new Error('It did not fail as the transport says that it fails.', { cause: error });
}

/** A body that comes in chunks, and tells how many were asked for and why it was cancelled. */
function bodyOf(chunks: Iterable<Uint8Array>, ending: 'close' | 'hang' | Error = 'close') {
  const source = chunks[Symbol.iterator]();
  const seen = { chunks: 0, cancelled: [] as unknown[] };
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> | undefined => {
    const next = source.next();
    if (!next.done) {
      seen.chunks++;
      controller.enqueue(next.value);
    } else if (ending === 'close') controller.close();
    else if (ending === 'hang') return new Promise(() => {});
    else controller.error(ending);
    return undefined;
  };
  const cancel = (why: unknown): void => void seen.cancelled.push(why);
  return { seen, stream: new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 }) };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('an attempt', () => {
  it('goes out once as it is given: method, URL, headers and body', async () => {
    const sent: Request[] = [];
    const fetch: Fetch = async (input) => {
      sent.push(input as Request);
      return new Response(await (input as Request).text());
    };
    const url = new URL('/extended/v1/info?a=1%202', ORIGIN).href;
    const request = { method: 'POST', url, headers: { 'x-mine': 'yes' }, body: 'words' };
    expect(await (await answering(fetch).send(request, never)).text()).toBe('words');
    const seen = sent.map(({ method, url, headers, redirect }) => [method, url, headers.get('x-mine'), redirect]);
    expect(seen).toEqual([['POST', url, 'yes', 'manual']]);
  });

  it.each([200, 204, 304, 400, 401, 404, 429, 500, 503])(
    'is one attempt: a %i is an answer like any other',
    async (status) => {
      const fetch = vi.fn(async () => new Response(null, { status, headers: { 'retry-after': '7' } }));
      const response = await get(fetch);
      expect([response.status, response.headers.get('retry-after')]).toEqual([status, '7']);
      expect(fetch).toHaveBeenCalledOnce();
    },
  );

  it('never follows a redirect unseen', async () => {
    const seen: RequestRedirect[] = [];
    const fetch: Fetch = async (input) => {
      seen.push((input as Request).redirect);
      return new Response(null, { status: 302, headers: { location: 'https://elsewhere.test/' } });
    };
    expect((await get(fetch)).status).toBe(302);
    expect(seen).toEqual(['manual']);
  });

  it('sets no timer: how long it may take is the signal’s business', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    await get(async () => new Response());
    expect(timers).not.toHaveBeenCalled();
  });

  it('goes through the global fetch of the moment when no other is given', async () => {
    const transport = createTransport({ origin: ORIGIN, keys: createKeyRing(() => undefined) });
    vi.stubGlobal('fetch', async () => new Response('stubbed later'));
    expect(await (await transport.send({ method: 'GET', url: INFO.href }, never)).text()).toBe('stubbed later');
  });

  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])(
    'that ends with %s certainly never left',
    async (code) => {
      const fetch = vi.fn(() => Promise.reject(networkError(code)));
      const failure = await failureOf(get(fetch));
      expect(failure).toMatchObject({ code, isUnsent: true });
      expect(fetch).toHaveBeenCalledOnce();
    },
  );

  it.each([
    ...['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'HPE_INVALID_CONSTANT'],
    ...['ERR_HTTP2_STREAM_ERROR', 'ERR_HTTP2_GOAWAY_SESSION'],
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

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['text', 'words'],
    ['an object', {}],
    ['a status without headers', { status: 200 }],
    ['headers that are none', { status: 200, headers: { date: 'today' } }],
    ['headers that cannot be asked for one', { status: 200, headers: { forEach() {} } }],
    ['headers without a status', { headers: new Headers() }],
    ['a body that is no stream', { status: 200, headers: new Headers(), body: { pipe() {} } }],
  ])('whose fetch gives %s is a failure that says so, and may have been counted', async (_, given) => {
    const failure = await failureOf(get((async () => given) as unknown as Fetch));
    const cause = { message: 'fetch must return a Response.' };
    expect(failure).toMatchObject({ code: 'INVALID_RESPONSE', isUnsent: false, cause });
  });

  it('whose fetch gives Response.error() has failed on the network', async () => {
    const failure = await failureOf(get((async () => Response.error()) as unknown as Fetch));
    expect(failure).toMatchObject({ code: 'NETWORK', cause: { message: 'fetch returned Response.error().' } });
  });

  it('may be answered by what is no Response and has all that is read of one', async () => {
    const given = { status: 200, headers: new Headers({ 'x-mine': 'yes' }), body: null };
    const response = await get((async () => given) as unknown as Fetch);
    expect([response.status, response.headers.get('x-mine'), await silent.read(response, never)]).toEqual([
      200,
      'yes',
      '',
    ]);
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

  it('names no user agent unless it is told one', async () => {
    const seen: (string | null)[] = [];
    await get(async (input) => {
      seen.push((input as Request).headers.get('user-agent'));
      return new Response();
    });
    expect(seen).toEqual([null]);
  });

  it.each<[string, boolean, RequestInit | undefined]>([
    ['a fetch of the caller’s', true, undefined],
    ['the global fetch', false, undefined],
    ['the global fetch with options of its own', false, { cache: 'no-store' }],
  ])('that is aborted is aborted on the wire, too, by %s', async (_, isOwn, init) => {
    const signals: (AbortSignal | null | undefined)[] = [];
    const fetch: Fetch = (input, given) => {
      signals.push(given?.signal ?? (input as Request).signal);
      return new Promise(() => {});
    };
    vi.stubGlobal('fetch', fetch);
    const keys = createKeyRing(() => undefined);
    const transport = createTransport({ origin: ORIGIN, keys, ...(isOwn && { fetch }) });
    const controller = new AbortController();
    const sent = transport.send({ method: 'GET', url: INFO.href, init }, cancelledBy(controller.signal));
    setImmediate(() => controller.abort(reason));
    await expect(sent).rejects.toBe(reason);
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });

  it('keeps the referrer that the caller gave, by the global fetch', async () => {
    const seen: unknown[] = [];
    vi.stubGlobal('fetch', async (input: Request, options: RequestInit = {}) => {
      // With any option beside it `fetch` would drop the referrer.
      seen.push(input.referrer, Object.keys(options));
      return new Response();
    });
    const transport = createTransport({ origin: ORIGIN, keys: createKeyRing(() => undefined) });
    await transport.send({ method: 'GET', url: INFO.href, init: { referrer: `${ORIGIN}/page` } }, never);
    expect(seen).toEqual([`${ORIGIN}/page`, []]);
  });

  it('is not made when the signal has aborted before', async () => {
    const fetch = vi.fn(async () => new Response());
    const signal = AbortSignal.abort(reason);
    await expect(get(fetch, signal)).rejects.toBe(reason);
    expect(fetch).not.toHaveBeenCalled();
  });

  it.each<[string, Fetch]>([
    [
      'a fetch that heeds it',
      (input) =>
        new Promise((_, reject) => {
          const { signal } = input as Request;
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    ],
    ['a fetch that does not', () => new Promise(() => {})],
  ])('rejects with the reason of the signal as soon as it aborts, with %s', async (_, fetch) => {
    const controller = new AbortController();
    const sent = get(fetch, controller.signal);
    setImmediate(() => controller.abort(reason));
    await expect(sent).rejects.toBe(reason);
  });
});

describe('a body', () => {
  it('is read whole, though its chunks part a character', async () => {
    const euro = bytes('5 €');
    const { stream } = bodyOf([euro.slice(0, 3), euro.slice(3, 4), euro.slice(4)]);
    expect(await silent.read(new Response(stream), never)).toBe('5 €');
  });

  it('that ends within a character says so', async () => {
    expect(await silent.read(new Response(bytes('5 €').slice(0, 4)), never)).toBe('5 \uFFFD');
    const { stream } = bodyOf([bytes('5 '), bytes('€').slice(0, 2)]);
    expect(await silent.read(new Response(stream), never)).toBe('5 \uFFFD');
  });

  it('that is not there is empty', async () => {
    expect(await silent.read(new Response(null, { status: 204 }), never)).toBe('');
  });

  it('loses its byte order mark', async () => {
    expect(await silent.read(new Response('\uFEFF{}'), never)).toBe('{}');
  });

  function* mebibytes(count: number): Generator<Uint8Array> {
    const one = new Uint8Array(MIB).fill(0x20);
    for (let sent = 0; sent < count; sent++) yield one;
  }

  it('is read up to 32 MiB', async () => {
    const { stream } = bodyOf(mebibytes(32));
    expect(await silent.read(new Response(stream), never)).toHaveLength(32 * MIB);
  });

  it.each([undefined, '2'])(
    'is given up where it passes 32 MiB, whatever its stated length is (%s)',
    async (length) => {
      const { stream, seen } = bodyOf(mebibytes(1_000));
      const response = new Response(stream, length ? { headers: { 'content-length': length } } : {});
      expect(await failureOf(silent.read(response, never))).toMatchObject({ code: 'TOO_LARGE', isUnsent: false });
      expect(seen.chunks).toBe(33);
      expect(seen.cancelled).toHaveLength(1);
    },
  );

  it('that breaks off is a failure that may have been counted', async () => {
    const cut = new TypeError('terminated', {
      cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
    });
    const { stream } = bodyOf([bytes('{"half":')], cut);
    const failure = await failureOf(silent.read(new Response(stream), never));
    expect(failure).toMatchObject({ code: 'UND_ERR_SOCKET', isUnsent: false, cause: { message: 'terminated' } });
  });

  it.each<[string, (response: Response) => unknown]>([
    ['begun to read', (response) => response.body?.getReader()],
    ['read', (response) => response.text()],
    ['read and let go of', (response) => response.body?.pipeTo(new WritableStream())],
  ])('that other code has %s is a failure that says so', async (_, use) => {
    const response = new Response('words');
    await use(response);
    const cause = { message: expect.stringContaining('must return the body unread') };
    expect(await failureOf(silent.read(response, never))).toMatchObject({ code: 'INVALID_RESPONSE', cause });
    expect(await failureOf(silent.readBytes(response, never))).toMatchObject({ code: 'INVALID_RESPONSE', cause });
  });

  it('is cancelled when the signal aborts, and the reading rejects with its reason', async () => {
    const { stream, seen } = bodyOf([bytes('{"half":')], 'hang');
    const controller = new AbortController();
    const text = silent.read(new Response(stream), cancelledBy(controller.signal));
    setImmediate(() => controller.abort(reason));
    await expect(text).rejects.toBe(reason);
    expect(seen).toEqual({ chunks: 1, cancelled: [reason] });
  });

  it('is cancelled unread when the signal has aborted before', async () => {
    const { stream, seen } = bodyOf([bytes('{}')]);
    await expect(silent.read(new Response(stream), cancelledBy(AbortSignal.abort(reason)))).rejects.toBe(reason);
    expect(seen).toEqual({ chunks: 0, cancelled: [reason] });
  });
});

describe('a body as bytes', () => {
  it('is whole, and as it was sent', async () => {
    const { stream } = bodyOf([Uint8Array.of(0xef, 0xbb, 0xbf), Uint8Array.of(0, 255), Uint8Array.of()]);
    expect([...(await silent.readBytes(new Response(stream), never))]).toEqual([0xef, 0xbb, 0xbf, 0, 255]);
  });

  it('that is not there is empty', async () => {
    expect(await silent.readBytes(new Response(null), never)).toHaveLength(0);
  });

  it('is given up where it passes 32 MiB', async () => {
    const { stream, seen } = bodyOf(Array(100).fill(new Uint8Array(MIB)));
    expect(await failureOf(silent.readBytes(new Response(stream), never))).toMatchObject({ code: 'TOO_LARGE' });
    expect(seen).toMatchObject({ chunks: 33, cancelled: { length: 1 } });
  });

  it('that breaks off is a failure, and one whose signal aborts rejects with its reason', async () => {
    expect(await failureOf(silent.readBytes(new Response(bodyOf([], new Error('cut')).stream), never))).toMatchObject({
      code: 'NETWORK',
    });
    const aborted = silent.readBytes(new Response(bodyOf([]).stream), cancelledBy(AbortSignal.abort(reason)));
    await expect(aborted).rejects.toBe(reason);
  });
});

it('leaves no listener on the signal, however an attempt and its body end', async () => {
  const { signal } = new AbortController();
  const transport = answering(async () => new Response('words'));
  const cancellation = cancelledBy(signal);
  await transport.read(await transport.send({ method: 'GET', url: INFO.href }, cancellation), cancellation);
  await failureOf(silent.send({ method: 'GET', url: INFO.href }, cancellation));
  await failureOf(silent.read(new Response(bodyOf([], new Error('cut')).stream), cancellation));
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

it('a request for a key that the ring has forgotten is not sent, rather than sent without a key', async () => {
  const fetch = vi.fn<Fetch>(async () => new Response());
  const work = answering(fetch).send({ method: 'GET', url: INFO.href }, never, undefined, () => 99);
  expect(await failureOf(work)).toMatchObject({ code: KEY_CHANGED, isUnsent: true });
  expect(fetch).not.toHaveBeenCalled();
});

describe('the breaker of a key', () => {
  const KEY = 'k3y/of/32-characters-0123456789az';

  /** How many of ten requests are sent, each answered like this. */
  async function sentOf(status: number, headers: Record<string, string> = {}, keys = createKeyRing(() => KEY)) {
    const fetch = vi.fn<Fetch>(async () => new Response(null, { status, headers }));
    const keyBreaker = new KeyBreaker({ now: () => 0 });
    const transport = createTransport({ origin: ORIGIN, keys, fetch, keyBreaker });
    const codes = new Set<string>();
    for (let request = 0; request < 10; request++) {
      const work = transport.send({ method: 'GET', url: INFO.href }, never);
      await work.catch((error: unknown) =>
        codes.add(error instanceof Failure && error.isUnsent ? error.code : 'other'),
      );
    }
    return { sent: fetch.mock.calls.length, codes: [...codes] };
  }

  it.each([401, 403])('lets no more than five requests go that are answered with %i in a row', async (status) => {
    expect(await sentOf(status)).toEqual({ sent: 5, codes: ['KEY_REFUSED'] });
  });

  it('does not open for a 403 that speaks of a limit, as the headers of a full window or a retry-after do', async () => {
    const full = { 'x-ratelimit-limit-stacks-minute': '500', 'x-ratelimit-remaining-stacks-minute': '0' };
    for (const headers of [full, { 'retry-after': '7' }]) expect((await sentOf(403, headers)).sent).toBe(10);
  });

  it('opens for a 401 all the same', async () => {
    expect((await sentOf(401, { 'retry-after': '7' })).sent).toBe(5);
  });

  it('has nothing to say of requests without a key', async () => {
    expect(
      (
        await sentOf(
          401,
          {},
          createKeyRing(() => undefined),
        )
      ).sent,
    ).toBe(10);
  });
});
