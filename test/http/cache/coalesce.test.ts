import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { coalesce } from '../../../src/http/cache/coalesce.ts';
import type { Call, Reply } from '../../../src/http/call.ts';

const URL = 'https://api.example/extended/v1/info';

/** Coalesced calls, and the requests that are made for them. */
function coalesced() {
  const sent: { readonly signal: AbortSignal | undefined; readonly answer: () => void }[] = [];
  const run = coalesce(
    ({ signal }) =>
      new Promise((resolve, reject) => {
        sent.push({ signal, answer: () => resolve({ status: 200 } as Reply) });
        signal?.addEventListener('abort', () => reject(signal.reason));
      }),
  );
  const ask = { endpoint: 'GET /extended/v1/info', priority: 0 };
  const call = (signal?: AbortSignal, init?: object): Promise<Reply> =>
    run({ request: { method: 'GET', url: URL, init }, ask, signal, timeoutMs: 1_000, wants: 'text' } as Call);
  return { sent, call };
}

it('a call that was aborted before it is made joins no request', async () => {
  const { sent, call } = coalesced();
  const reason = new Error('enough');
  await expect(call(AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(sent).toEqual([]);
});

it('a call joins no request that is ending, and the end of that one is not the end of the next', async () => {
  const { sent, call } = coalesced();
  const caller = new AbortController();
  const reason = new Error('enough');
  const first = call(caller.signal);
  caller.abort(reason);
  const second = call();
  await expect(first).rejects.toBe(reason);
  expect(sent[0]?.signal?.reason).toBe(reason);
  await new Promise(setImmediate);
  const third = call();
  expect(sent).toHaveLength(2);
  sent[1]?.answer();
  expect(await Promise.all([second, third])).toEqual([{ status: 200 }, { status: 200 }]);
});

it.each<[string, object, object]>([
  ['use of cookies', { credentials: 'omit' }, { credentials: 'include' }],
  ['cache mode', { cache: 'default' }, { cache: 'force-cache' }],
  ['dispatcher, which may be no JSON,', { dispatcher: { id: 1n } }, { dispatcher: { id: 1n } }],
])('calls with another %s share no request, and those with the same do', (_, one, other) => {
  const { sent, call } = coalesced();
  for (const init of [one, { ...one }, other]) void call(undefined, init);
  expect(sent).toHaveLength(2);
});

it('nothing listens to the signal of a call that has its answer', async () => {
  const { sent, call } = coalesced();
  const caller = new AbortController();
  const answer = call(caller.signal);
  expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1);
  sent[0]?.answer();
  await answer;
  await new Promise(setImmediate);
  expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0);
});
