import { describe, expect, it } from 'vitest';
import { poolAccessOf } from '../../src/client/pool-access.ts';
import { wire } from '../support/wire.ts';
import { error, pair } from './support/called-service.ts';

describe('calls that have ended', () => {
  it('a call that is refused is ahead of no other, from that moment on', async () => {
    const { clock, client } = pair({}, { keyless: { minute: 1 } });
    await clock.run(client.getInfo());
    const { ms } = client.estimate();
    const refused = client.getInfo({ maxQueueMs: 1_000 }).catch(() => {});
    expect(client.estimate().ms).toBe(ms);
    await refused;
    void client.getInfo().catch(() => {});
    expect(client.estimate().ms).toBeGreaterThan(ms ?? 0);
  });

  it('a call that ends before another attempt is ahead of no other', async () => {
    const { clock, mock, client, endOf } = pair({}, { keyless: { minute: 2 } });
    await clock.run(client.getInfo());
    mock.faults.next(1, { status: 503 });
    const controller = new AbortController();
    const end = endOf(client.getInfo({ signal: controller.signal }));
    await clock.advance(150);
    expect(client.waiting).toBe(1);
    controller.abort('enough');
    expect(await end).toBe('enough');
    expect(client.estimate({ count: 2 }).ms).toBeLessThan(60_000);
  });

  it('calls that wait are withdrawn by their signal, and the one that is under way is not', async () => {
    const { client, call, last } = wire({ concurrency: 1 });
    const { signal } = new AbortController();
    const first = await call('first', { signal });
    const second = await call('second', { signal });
    const queue = poolAccessOf(client)?.queue;
    expect(queue?.isWaiting(signal)).toBe(true);
    queue?.withdraw(signal, 'elsewhere');
    expect([await second.end, queue?.isWaiting(signal)]).toEqual(['elsewhere', false]);
    await last('first').answer();
    expect(await first.end).toBe('answered');
  });

  it('calls that wait are rejected where their client is disposed of', async () => {
    const { client, call, last } = wire({ concurrency: 1 });
    await call('first');
    const waiting = await call('waiting');
    const disposed = client[Symbol.asyncDispose]();
    expect(await waiting.end).toEqual(error('ClosedError'));
    await last('first').answer();
    await disposed;
  });
});

describe('a call whose key has changed', () => {
  const FULL = { 'x-ratelimit-limit-stacks-minute': '1', 'x-ratelimit-remaining-stacks-minute': '0' };

  /** A client of which two keys have used up their minutes, and the first is the present one. */
  async function twoFull() {
    const keys = { present: 'second' };
    const all = wire({ apiKey: () => keys.present });
    const { call, last, clock } = all;
    await call('by the second');
    await last('by the second').answer(200, FULL);
    keys.present = 'first';
    await call('by the first');
    await clock.advance(1_000);
    await last('by the first').answer(200, FULL);
    keys.present = 'second';
    return { ...all, keys };
  }

  it('is not ahead of another that is refused in the same turn', async () => {
    const { call } = await twoFull();
    const calls = await Promise.all(['one', 'other'].map((name) => call(name, { maxQueueMs: 1_000 })));
    const [one, other] = await Promise.all(calls.map(({ end }) => end));
    expect(one).toEqual(
      error('QuotaExhaustedError', { retryAfterMs: (other as { retryAfterMs: number }).retryAfterMs }),
    );
  });

  it('is listed among those that wait again', async () => {
    const { client, call, last, clock, keys } = await twoFull();
    keys.present = 'third';
    await call('by the third');
    await clock.advance(1_000);
    await last('by the third').answer();
    keys.present = 'second';
    await call('sent back');
    expect([client.waiting, client.queue().length]).toEqual([1, 1]);
  });
});
