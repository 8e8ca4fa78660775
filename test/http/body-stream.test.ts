import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import type { ClientEvent } from '../../src/events.ts';
import { bodyStream } from '../../src/http/body-stream.ts';
import { virtualClock } from '../../src/testing/index.ts';
import { collectGarbage, countAfterCollection } from '../support/garbage.ts';

const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

interface AnswerOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly onAnswered?: () => void;
}

/** The stream of a body that nothing reads, and nothing holds. */
function unreadBody(signal: AbortSignal): void {
  const error = (): undefined => undefined;
  const bounds = { clock: virtualClock(), leftMs: 1_000, signal, timeoutError: error, brokenError: error };
  bodyStream(new Response('unread'), bounds);
}

it('of pieces that are no bytes breaks off, and does not end as if it had none', async () => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue('words');
      controller.close();
    },
  });
  const client = createClient({ baseUrl: 'https://api.mock.test', fetch: async () => new Response(body) });
  const response = await client.fetch('/x');
  await expect(response.text()).rejects.toMatchObject({ name: 'ConnectionError' });
});

it('leaves the pieces to a fetch that keeps them, and takes those of a pool of Node', async () => {
  const kept = new TextEncoder().encode('kept, ');
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(kept);
      controller.enqueue(Buffer.from('pooled'));
      controller.close();
    },
  });
  const client = createClient({ baseUrl: 'https://api.mock.test', fetch: async () => new Response(body) });
  expect(await (await client.fetch('/x')).text()).toBe('kept, pooled');
  expect(text(kept)).toBe('kept, ');
});

describe('a body that was made by hand, and cannot be cancelled', () => {
  /** What a client is given for every request: a body that never comes. */
  const clientOf = (own: object, status = 200) => {
    const clock = virtualClock();
    const reader = { read: () => new Promise(() => {}), ...own };
    const body = { getReader: () => reader, ...own };
    const headers = new Headers(status === 200 ? {} : { 'retry-after': '5' });
    const answer = { status, ok: status === 200, headers, body };
    const fetch = async () => answer as unknown as Response;
    const client = createClient({ baseUrl: 'https://api.mock.test', clock, timeoutMs: 1_000, maxAttempts: 1, fetch });
    return { clock, client };
  };

  it.each([
    ['has no such method', {}],
    ['does so at once', { cancel() {} }],
    [
      'throws',
      {
        cancel() {
          throw new Error('odd');
        },
      },
    ],
  ])('as it %s, is given up all the same', async (_, own) => {
    const { clock, client } = clientOf(own);
    expect(await client.getInfo({ headersOnly: true })).toMatchObject({ status: 200 });
    const timedOut = { name: 'ConnectionError', code: 'TIMEOUT' };
    await expect(clock.run(client.get('/a'))).rejects.toMatchObject(timedOut);
    const { body } = await clock.run(client.fetch('/a'));
    await expect(clock.run(async () => await body?.getReader().read())).rejects.toMatchObject(timedOut);
    const refused = clientOf(own, 429);
    await expect(refused.client.get('/a', { maxWaitMs: 0 })).rejects.toMatchObject({ name: 'QuotaExhaustedError' });
  });
});

/** An answer by client.fetch whose body the test sends piece by piece. */
async function answer({ timeoutMs = 1_000, signal, onAnswered }: AnswerOptions = {}) {
  const clock = virtualClock();
  const cancelled = vi.fn();
  const asked = vi.fn();
  const events: ClientEvent[] = [];
  let service: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        service = controller;
      },
      pull: asked,
      cancel: cancelled,
    },
    { highWaterMark: 0 },
  );
  const client = createClient({
    baseUrl: 'https://api.mock.test',
    clock,
    timeoutMs,
    onEvent: (event) => {
      events.push(event);
      if (event.type === 'answered') onAnswered?.();
    },
    fetch: async () => {
      await clock.sleep(100);
      return new Response(body);
    },
  });
  const response = await clock.run(client.fetch('/a', { signal: signal ?? null }));
  const send = (piece: string): void => service?.enqueue(new TextEncoder().encode(piece));
  return {
    clock,
    response,
    send,
    end: () => service?.close(),
    cut: (error: unknown) => service?.error(error),
    cancelled,
    asked,
    events,
  };
}

describe('a body that is read as it comes', () => {
  it('passes on each piece as soon as it is there, and asks for none before it is read', async () => {
    const { response, send, end, asked, clock } = await answer();
    await clock.advance(0);
    expect(asked).not.toHaveBeenCalled();
    const reader = response.body?.getReader();
    const first = reader?.read();
    send('one');
    expect(text((await first)?.value)).toBe('one');
    const second = reader?.read();
    send('two');
    expect(text((await second)?.value)).toBe('two');
    const last = reader?.read();
    end();
    expect(await last).toMatchObject({ done: true });
  });

  it('may be left alone: no timer holds the process', async () => {
    const { clock, cancelled } = await answer();
    expect(clock.timers).toBe(0);
    await clock.advance(1_000_000);
    expect(cancelled).not.toHaveBeenCalled();
  });

  it('may be read as slowly as its reader likes', async () => {
    const { clock, response, send, end } = await answer();
    const reader = response.body?.getReader();
    for (const piece of ['a', 'b', 'c']) {
      await clock.advance(900_000);
      send(piece);
      expect(text((await reader?.read())?.value)).toBe(piece);
    }
    end();
    expect((await reader?.read())?.done).toBe(true);
    expect(clock.timers).toBe(0);
  });

  it('fails when its reader has waited for as long as an attempt may take, the wait for its headers included', async () => {
    const { clock, response, send, cancelled, events } = await answer({ timeoutMs: 1_000 });
    const reader = response.body?.getReader();
    const first = reader?.read();
    await clock.advance(500);
    send('a');
    await first;
    await clock.advance(900_000);
    const second = reader?.read();
    const failed = expect(second).rejects.toMatchObject({
      name: 'ConnectionError',
      code: 'TIMEOUT',
      endpoint: 'GET /a',
      attempts: 1,
    });
    await clock.advance(399);
    expect(cancelled).not.toHaveBeenCalled();
    await clock.advance(1);
    await failed;
    expect(cancelled).toHaveBeenCalledOnce();
    expect(events.at(-1)).toMatchObject({ type: 'lost', endpoint: 'GET /a', code: 'TIMEOUT' });
  });

  it('fails where its connection breaks off, and says how', async () => {
    const { response, send, cut, events, clock } = await answer();
    const reading = response.text();
    send('{"half":');
    const failed = expect(reading).rejects.toMatchObject({ name: 'ConnectionError', code: 'UND_ERR_SOCKET' });
    cut(Object.assign(new TypeError('terminated'), { code: 'UND_ERR_SOCKET' }));
    await failed;
    expect(events.at(-1)).toMatchObject({ type: 'lost', endpoint: 'GET /a', code: 'UND_ERR_SOCKET' });
    expect(clock.timers).toBe(0);
  });

  it('is cancelled at the service when its reader cancels it', async () => {
    const { signal } = new AbortController();
    const { response, cancelled, events } = await answer({ signal });
    await response.body?.cancel('enough');
    expect(cancelled).toHaveBeenCalledWith('enough');
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(events.map(({ type }) => type)).not.toContain('lost');
  });

  it('fails where its signal aborts before it is read, and listens no more', async () => {
    const controller = new AbortController();
    const { response, cancelled } = await answer({ signal: controller.signal });
    controller.abort('enough');
    expect(cancelled).toHaveBeenCalledWith('enough');
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    await expect(response.text()).rejects.toBe('enough');
  });

  it('fails where its signal aborts while the events of its headers are emitted', async () => {
    const controller = new AbortController();
    const onAnswered = (): void => controller.abort('enough');
    const { response, cancelled } = await answer({ signal: controller.signal, onAnswered });
    expect(cancelled).toHaveBeenCalledWith('enough');
    await expect(response.text()).rejects.toBe('enough');
  });

  it('is not lost where its connection breaks off as its signal aborts', async () => {
    const controller = new AbortController();
    const { clock, response, cut, events } = await answer({ signal: controller.signal });
    const reading = response.text();
    await clock.advance(0);
    cut(new TypeError('terminated'));
    controller.abort('enough');
    await expect(reading).rejects.toBe('enough');
    await clock.advance(0);
    expect(events.map(({ type }) => type)).not.toContain('lost');
  });

  it('is not missed by its signal where nothing holds it any more', async () => {
    const aborts: (() => void)[] = [];
    const signal = {
      aborted: false,
      addEventListener: (_: string, abort: () => void) => aborts.push(abort),
      removeEventListener: () => {},
    };
    unreadBody(signal as unknown as AbortSignal);
    await collectGarbage();
    for (const abort of aborts) abort();
    expect(aborts).toHaveLength(1);
  });

  it('leaves no listener on a signal that outlives very many bodies that nothing reads', async () => {
    const { signal } = new AbortController();
    const listeners = (): number => getEventListeners(signal, 'abort').length;
    for (let body = 0; body < 100; body++) unreadBody(signal);
    expect(listeners()).toBe(100);
    expect(await countAfterCollection(listeners)).toBe(0);
  });

  it('cannot be aborted any more when it has ended', async () => {
    const controller = new AbortController();
    const { response, send, end } = await answer({ signal: controller.signal });
    const reading = response.text();
    send('all of it');
    end();
    expect(await reading).toBe('all of it');
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    controller.abort();
  });

  it('can be read into a buffer of the reader’s own, and passes over pieces with nothing in them', async () => {
    const { response, send, end } = await answer();
    const reader = response.body?.getReader({ mode: 'byob' });
    const first = reader?.read(new Uint8Array(2));
    send('');
    send('abc');
    expect(text((await first)?.value)).toBe('ab');
    expect(text((await reader?.read(new Uint8Array(2)))?.value)).toBe('c');
    const last = reader?.read(new Uint8Array(2));
    end();
    expect(await last).toMatchObject({ done: true });
  });

  it('is read where there are no streams of bytes, too', async () => {
    vi.stubGlobal('ReadableByteStreamController', undefined);
    const { response, send, end, asked, clock } = await answer();
    await clock.advance(0);
    expect(asked).not.toHaveBeenCalled();
    expect(() => response.body?.getReader({ mode: 'byob' })).toThrow(TypeError);
    const reading = response.text();
    send('one ');
    send('two');
    end();
    expect(await reading).toBe('one two');
  });

  it('can be cloned, and both are whole', async () => {
    const { response, send, end } = await answer();
    const both = Promise.all([response.clone().text(), response.text()]);
    send('a');
    send('b');
    end();
    expect(await both).toEqual(['ab', 'ab']);
  });
});
