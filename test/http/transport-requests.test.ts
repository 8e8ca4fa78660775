import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { createKeyRing } from '../../src/http/key-ring.ts';
import { createTransport } from '../../src/http/transport.ts';
import { cancelledBy } from '../support/cancelled-by.ts';
import { answering, bodyOf, type Fetch, failureOf, get, INFO, never, ORIGIN, silent } from './support/transport.ts';

const reason = new Error('enough');

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

  it('may be answered by what is no Response and has all that is read of one', async () => {
    const given = { status: 200, headers: new Headers({ 'x-mine': 'yes' }), body: null };
    const response = await get((async () => given) as unknown as Fetch);
    expect([response.status, response.headers.get('x-mine'), await silent.read(response, never)]).toEqual([
      200,
      'yes',
      '',
    ]);
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

it('leaves no listener on the signal, however an attempt and its body end', async () => {
  const { signal } = new AbortController();
  const transport = answering(async () => new Response('words'));
  const cancellation = cancelledBy(signal);
  await transport.read(await transport.send({ method: 'GET', url: INFO.href }, cancellation), cancellation);
  await failureOf(silent.send({ method: 'GET', url: INFO.href }, cancellation));
  await failureOf(silent.read(new Response(bodyOf([], new Error('cut')).stream), cancellation));
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
