import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { collectGarbage } from '../support/garbage.ts';
import { answering, INFO, pair } from './support/pair.ts';

const reason = new Error('enough');

function abortable(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(reason) };
}

describe('the signal of client.fetch', () => {
  const hangingBody = () => new ReadableStream({ pull: () => new Promise(() => {}) });

  it('ends a call before it is sent', async () => {
    const { client, left, endOf } = pair();
    expect(await endOf(client.fetch(INFO, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(left).toEqual([]);
  });

  it('ends a call whose own body is long in coming', async () => {
    const { client, left, endOf } = pair();
    const controller = new AbortController();
    const call = client.fetch(INFO, {
      method: 'POST',
      body: hangingBody(),
      duplex: 'half',
      signal: controller.signal,
    } as RequestInit);
    setImmediate(() => controller.abort(reason));
    expect(await endOf(call)).toBe(reason);
    expect(left).toEqual([]);
  });

  it.each([false, true])(
    'cancels the body that a call was to send, as fetch does (streamBody: %s)',
    async (streamBody) => {
      const { clock, client, endOf } = pair({}, { keyless: { minute: 1 } });
      await endOf(client.fetch(INFO));
      const cancelled: unknown[] = [];
      const cancel = (why: unknown): void => void cancelled.push(why);
      const { signal, ...caller } = abortable();
      // Read into memory it never ends; streamed it is not read, because the call waits.
      const pull = async (one: ReadableStreamDefaultController): Promise<void> => {
        await new Promise(setImmediate);
        if (!streamBody) one.enqueue(Uint8Array.of(1));
      };
      const body = new ReadableStream({ pull, cancel });
      const init = { method: 'POST', body, duplex: 'half', signal } as RequestInit;
      const call = client.fetchWith({ streamBody })(INFO, init);
      if (streamBody) clock.timer(1_000, caller.abort);
      else setImmediate(caller.abort);
      expect(await endOf(call)).toBe(reason);
      await vi.waitFor(() => expect(cancelled).toEqual([reason]));
    },
  );

  it('ends a call that waits for quota', async () => {
    const { clock, mock, client, endOf } = pair({}, { keyless: { minute: 1 } });
    await endOf(client.fetch(INFO));
    const controller = new AbortController();
    const call = endOf(client.fetch(INFO, { signal: controller.signal }));
    clock.timer(1_000, () => controller.abort(reason));
    expect(await call).toBe(reason);
    expect([mock.requests, clock.now()]).toEqual([1, 1_100]);
  });

  it('ends a call under way', async () => {
    const { clock, client, endOf } = pair();
    const controller = new AbortController();
    clock.timer(50, () => controller.abort(reason));
    expect(await endOf(client.fetch(INFO, { signal: controller.signal }))).toBe(reason);
    expect([clock.now(), client.quota().inFlight]).toEqual([50, 0]);
  });

  it('ends a body while it is read', async () => {
    const { clock, mock, client, endOf, codes } = pair();
    mock.faults.next(1, 'slow body');
    const controller = new AbortController();
    const response = await clock.run(client.fetch(INFO, { signal: controller.signal }));
    clock.timer(2_500, () => controller.abort(reason));
    expect(await endOf(response.text())).toBe(reason);
    expect([clock.now(), codes()]).toEqual([2_600, []]);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('ends a body that is not read yet', async () => {
    const cancel = vi.fn();
    const { clock, client } = answering(() => new Response(new ReadableStream({ cancel })));
    const controller = new AbortController();
    const response = await clock.run(client.fetch(INFO, { signal: controller.signal }));
    controller.abort(reason);
    await expect(response.text()).rejects.toBe(reason);
    expect(cancel).toHaveBeenCalledWith(reason);
  });

  describe('of a Request that is forgotten', () => {
    const fetchWith = (client: Client, { signal }: AbortController) =>
      client.fetch(new Request('https://api.mock.test/', { signal }));

    it('ends the call while the answer is awaited, and while the body is', async () => {
      const [unanswered, answered] = [
        answering(() => new Promise<Response>(() => {})),
        answering(() => new Response(hangingBody())),
      ];
      const controller = new AbortController();
      const call = fetchWith(unanswered.client, controller).catch((error) => error);
      const response = await answered.clock.run(fetchWith(answered.client, controller));
      // Together: the heap of all files that ran before is collected each time.
      for (let turn = 0; turn < 5; turn++) await collectGarbage();
      controller.abort(reason);
      expect(await unanswered.clock.run(call)).toBe(reason);
      await expect(answered.clock.run(response.text())).rejects.toBe(reason);
    });
  });

  it('must be an AbortSignal', async () => {
    const { client, left, endOf } = pair();
    const signal = 'stop' as unknown as AbortSignal;
    expect(await endOf(client.fetch(INFO, { signal }))).toMatchObject({ name: 'ConfigError', option: 'signal' });
    expect(left).toEqual([]);
  });

  it('that is null in init overrules that of a Request', async () => {
    const { clock, client } = pair();
    const request = new Request(`https://api.mock.test${INFO}`, { signal: AbortSignal.abort(reason) });
    expect((await clock.run(client.fetch(request, { signal: null }))).status).toBe(200);
  });

  it('is left without a listener when a body has been read, or cancelled', async () => {
    const { clock, client } = pair();
    const { signal } = new AbortController();
    await clock.run((await clock.run(client.fetch(INFO, { signal }))).text());
    await (await clock.run(client.fetch(INFO, { signal }))).body?.cancel();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
