import { describe, expect, it } from 'vitest';
import type { ClientEvent } from '../../src/events.ts';
import { HttpExchange, type TracedCall } from '../../src/http/attempt.ts';
import type { Call } from '../../src/http/call.ts';
import { Failure, KEY_CHANGED } from '../../src/http/failure.ts';
import { createKeyRing } from '../../src/http/key-ring.ts';
import type { AttemptCounts } from '../../src/http/retry-policy.ts';
import { createTransport } from '../../src/http/transport.ts';
import type { RequestOutcome } from '../../src/quota/admission.ts';
import { virtualClock } from '../../src/testing/index.ts';
import { Tracer } from '../../src/trace/tracer.ts';

const ORIGIN = 'https://api.mock.test';
const KEY = 'k3y-of-32-characters-0123456789ab';
const NONE: AttemptCounts = { attempts: 0, refusals: 0, hops: 0 };
const FULL = { 'x-ratelimit-limit-stacks-minute': '500', 'x-ratelimit-remaining-stacks-minute': '0' };
const reason = new Error('enough');

interface World {
  readonly key?: string;
  readonly signal?: AbortSignal;
  readonly call?: Partial<Call>;
  readonly counts?: Partial<AttemptCounts>;
  /** Called instead of the key's being chosen. */
  readonly keyFor?: (isAsked: boolean) => number;
}

/** One attempt that is answered like this 70 ms after it was sent, and what became of it. */
async function attemptOf(answer: () => Response, { key, signal, call = {}, counts = {}, keyFor }: World = {}) {
  const clock = virtualClock();
  const settled: RequestOutcome[] = [];
  const events: ClientEvent[] = [];
  const tracer = new Tracer(clock, () => 0);
  tracer.subscribe((event) => events.push(event));
  const keys = createKeyRing(() => key);
  const fetch = async (): Promise<Response> => {
    await clock.sleep(70);
    return answer();
  };
  const exchange = new HttpExchange({
    transport: createTransport({ origin: ORIGIN, keys, fetch }),
    clock,
    timeoutMs: 30_000,
    settle: (_, outcome) => settled.push(outcome),
    keyFor: (_, isAsked) => (keyFor ? keyFor(isAsked) : keys.ask()),
    drift: () => ({ minute: 3 }),
  });
  const request = { method: 'GET', url: `${ORIGIN}/a` };
  const ask = { endpoint: 'GET /a', maxWaitMs: 0, ...call.ask };
  const trace = tracer.begin(ask, undefined);
  trace.granted();
  const traced: TracedCall = { request, signal, timeoutMs: 30_000, wants: 'text', ...call, ask, trace };
  const lease = { endpoint: 'GET /a', sentAt: 0, units: 1 };
  const end = exchange.attempt(traced, traced.request, lease, { ...NONE, ...counts });
  const result = await clock.run(end.catch((error: unknown) => ({ error })));
  return { result, settled, of: (type: string) => events.filter((event) => event.type === type) };
}

/** A body that tells whether it was cancelled, and fails when it is read. */
function broken(): { readonly stream: ReadableStream<Uint8Array>; readonly seen: string[] } {
  const seen: string[] = [];
  const source = { pull: () => Promise.reject(new Error('cut')), cancel: () => void seen.push('cancelled') };
  return { stream: new ReadableStream<Uint8Array>(source, { highWaterMark: 0 }), seen };
}

const failing = (code: string) => (): never => {
  throw new Failure(code);
};

describe('the lease of an attempt', () => {
  it('is settled once, by the headers, although the body breaks off', async () => {
    const { settled, result } = await attemptOf(() => new Response(broken().stream));
    expect(settled).toMatchObject([{ kind: 'answered', limited: false, failed: false }]);
    expect(result).toMatchObject({ outcome: { kind: 'failed', code: 'NETWORK' } });
  });

  it.each<[string, number, Record<string, string>, boolean, boolean]>([
    ['a gateway answers for the service', 503, {}, false, true],
    ['a gateway speaks of a limit', 503, { 'retry-after': '7' }, true, false],
    ['the service fails', 500, {}, false, false],
  ])('says where %s whether it failed or was refused', async (_, status, headers, limited, failed) => {
    const { settled } = await attemptOf(() => new Response('', { status, headers }));
    expect(settled).toMatchObject([{ kind: 'answered', limited, failed }]);
  });

  it.each<[string, RequestOutcome['kind'], string]>([
    ['that breaks may have been counted', 'lost', 'ECONNRESET'],
    ['that was refused was never sent', 'unsent', 'ECONNREFUSED'],
  ])('of a connection %s, and has failed', async (_, kind, code) => {
    const { settled, of } = await attemptOf(failing(code));
    expect(settled).toEqual([{ kind, code, failed: true }]);
    expect(of('lost')).toMatchObject([{ code, tookMs: 70 }]);
  });

  it.each([
    ['the key was refused', 'KEY_REFUSED', 1],
    ['another key is to be sent', KEY_CHANGED, 0],
  ])('is given back where nothing leaves because %s, which is no failure of the service', async (_, code, lost) => {
    const { settled, of } = await attemptOf(() => new Response(), { keyFor: failing(code) });
    expect(settled).toEqual([{ kind: 'unsent', code, failed: false }]);
    expect(of('lost')).toHaveLength(lost);
  });

  it('is given back where its call was aborted before, and may have been counted where it was aborted under way', async () => {
    const before = await attemptOf(() => new Response(), { signal: AbortSignal.abort(reason) });
    expect([before.settled, before.result]).toEqual([[{ kind: 'unsent', failed: false }], { error: reason }]);
    const controller = new AbortController();
    const answer = (): Response => {
      controller.abort(reason);
      return new Response();
    };
    const meanwhile = await attemptOf(answer, { signal: controller.signal });
    expect([meanwhile.settled, meanwhile.result]).toEqual([[{ kind: 'lost', failed: false }], { error: reason }]);
    expect(meanwhile.of('lost')).toEqual([]);
  });

  it('is for a key that is asked for once for each request', async () => {
    const asked: boolean[] = [];
    const keyFor = (isAsked: boolean): number => asked.push(isAsked) - asked.length;
    for (const isKeyAsked of [false, true]) await attemptOf(() => new Response(), { keyFor, counts: { isKeyAsked } });
    expect(asked).toEqual([false, true]);
  });
});

describe('the events of an attempt', () => {
  it('say how long it took, and how far the estimate was off', async () => {
    const { of } = await attemptOf(() => new Response('{}', { headers: FULL }), { counts: { attempts: 2 } });
    expect(of('sent')).toMatchObject([{ attempt: 3, units: 1 }]);
    expect(of('answered')).toMatchObject([{ status: 200, tookMs: 70, drift: { minute: 3 } }]);
  });

  it('say how long it took until a body broke off that is read as it comes', async () => {
    const { result, of } = await attemptOf(() => new Response(broken().stream), { call: { wants: 'stream' } });
    const { stream } = (result as { reply: { stream: ReadableStream } }).reply;
    await expect(new Response(stream).text()).rejects.toMatchObject({ code: 'NETWORK', attempts: 1 });
    expect(of('lost')).toMatchObject([{ code: 'NETWORK', tookMs: 70 }]);
  });
});

describe('a refusal', () => {
  it.each([
    [FULL, true],
    [{}, false],
  ])('tells whether a window is full: %o', async (headers, isFull) => {
    const { result } = await attemptOf(() => new Response('', { status: 429, headers }));
    expect(result).toMatchObject({ outcome: { isLimited: true, isFull } });
  });

  /** What becomes of the body of a refusal: its text, or `cancelled`. */
  async function bodyOf(refusals: number, call: Partial<Call>, status = 429): Promise<string> {
    const seen: string[] = [];
    const source = {
      pull(controller: ReadableStreamDefaultController<Uint8Array>) {
        controller.enqueue(new TextEncoder().encode('wait'));
        controller.close();
      },
      cancel: () => void seen.push('cancelled'),
    };
    const stream = new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
    const { result } = await attemptOf(() => new Response(stream, { status }), { call, counts: { refusals } });
    return seen[0] ?? (result as { reply: { text: string } }).reply.text;
  }

  it('has a body only if it is the last, and its caller takes refusals as answers', async () => {
    expect(await bodyOf(4, { takesRefusals: true })).toBe('wait');
    expect(await bodyOf(3, { takesRefusals: true })).toBe('cancelled');
    expect(await bodyOf(4, { takesRefusals: false })).toBe('cancelled');
  });

  it('is the last for a request that can be sent only once', async () => {
    const ask = { endpoint: 'GET /a', maxWaitMs: 0, isOneShot: true };
    expect(await bodyOf(0, { takesRefusals: true, ask })).toBe('wait');
  });

  it.each([301, 408, 500, 502, 504])(
    'with status %i is an answer to a request that is unsafe to repeat, because it may have been executed; others pause',
    async (status) => {
      const request = { method: 'POST', url: `${ORIGIN}/a` };
      const answer = (): Response => new Response('late', { status, headers: { 'retry-after': '1' } });
      const { result, settled } = await attemptOf(answer, { call: { request } });
      expect(result).toMatchObject({ outcome: { status, isLimited: false }, reply: { text: 'late' } });
      expect(settled).toMatchObject([{ limited: true, failed: false }]);
      const { result: ofGet } = await attemptOf(answer);
      expect(ofGet).toMatchObject({ outcome: { status, isLimited: true }, reply: { text: '' } });
    },
  );

  it.each([400, 403, 429, 503])('with status %i is a refusal of any request: nothing was executed', async (status) => {
    const request = { method: 'POST', url: `${ORIGIN}/a` };
    const answer = (): Response => new Response('', { status, headers: { 'retry-after': '1' } });
    expect((await attemptOf(answer, { call: { request } })).result).toMatchObject({ outcome: { isLimited: true } });
  });

  it('of whatever kind has no body for a caller who wants none', async () => {
    expect(await bodyOf(0, { wants: 'none' }, 200)).toBe('cancelled');
    expect(await bodyOf(4, { wants: 'none', takesRefusals: true })).toBe('cancelled');
  });

  it('counts although its body broke off, and another answer does not', async () => {
    const call = { takesRefusals: true };
    const counts = { refusals: 4 };
    const refused = await attemptOf(() => new Response(broken().stream, { status: 429 }), { call, counts });
    expect(refused.result).toMatchObject({ outcome: { isLimited: true }, reply: { status: 429, text: '' } });
    const failed = await attemptOf(() => new Response(broken().stream, { status: 404 }), { call, counts });
    expect(failed.result).toMatchObject({ outcome: { kind: 'failed', code: 'NETWORK' } });
  });
});

describe('a key that the service repeats', () => {
  it('in a redirect ends the attempt, and lets the body go', async () => {
    const { stream, seen } = broken();
    const headers = { location: `/b?${KEY}` };
    const { result } = await attemptOf(() => new Response(stream, { status: 302, headers }), { key: KEY });
    expect(result).toMatchObject({ outcome: { kind: 'failed', code: 'REDIRECT' } });
    expect(seen).toEqual(['cancelled']);
  });

  it('in a body that is read whole as bytes is masked for a caller who asks for it', async () => {
    const textOf = async (masksKey: boolean): Promise<string> => {
      const call: Partial<Call> = { wants: 'bytes', masksKey };
      const { result } = await attemptOf(() => new Response(`<${KEY}> <${KEY.slice(0, 5)}`), { key: KEY, call });
      const { bytes, text } = (result as { reply: { bytes: Uint8Array; text: string } }).reply;
      expect(text).toBe('');
      return new TextDecoder().decode(bytes);
    };
    expect(await textOf(false)).toBe(`<${KEY}> <${KEY.slice(0, 5)}`);
    expect(await textOf(true)).toBe(`<${'*'.repeat(KEY.length)}> <${KEY.slice(0, 5)}`);
  });
});
