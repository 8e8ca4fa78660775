import { describe, expect, it } from 'vitest';
import { ApiCalls } from '../../src/client/api-calls.ts';
import type { Reply } from '../../src/http/call.ts';

const SETTINGS = { baseUrl: 'https://api.test', maxWaitMs: 1_000, maxQueueMs: 1_000, timeoutMs: 1_000 };

/** Asks twice, and is given the same reply both times. */
async function askedTwice(status: number, text: string) {
  const reply = { status, statusText: '', headers: new Headers(), quota: {}, url: 'https://api.test/a', text } as Reply;
  const core = { settings: SETTINGS, run: () => Promise.resolve(reply), redact: (said: string) => said };
  const calls = new ApiCalls(core as never);
  const ask = () => calls.ask({ endpoint: 'GET /a', method: 'GET', path: '/a', query: '', schema: undefined }, {});
  return { reply, first: await ask().catch((error) => error), second: await ask().catch((error) => error) };
}

describe('a reply', () => {
  it('holds the text of a success no longer than until it is read', async () => {
    const { reply, first } = await askedTwice(200, '{"a":1}');
    expect(first.data).toEqual({ a: 1 });
    expect(reply.text).toBe('');
  });

  it('of an error, which several callers may share, tells each of them its body', async () => {
    const { first, second } = await askedTwice(404, '{"error":"none"}');
    expect([first.body, second.body]).toEqual([{ error: 'none' }, { error: 'none' }]);
  });
});
