import { describe, expect, it } from 'vitest';
import { isQuotaExhausted } from '../../src/index.ts';
import { PLANS, world } from './support/two-keys.ts';

describe('a pool of two keys with different plans', () => {
  it('moves the first call of a client that holds it back, and tries that client again later', async () => {
    const { clock, clients, calls, requests } = world(PLANS);
    clients[0]?.pause(60_000);
    await calls(40);
    expect(clock.now()).toBeLessThan(3_000);
    expect(requests()).toEqual([0, 40]);
    await clock.advance(120_000);
    await calls(2);
    await calls(100);
    expect(Math.min(...requests())).toBeGreaterThan(10);
  });

  it('tries such a client with the last of the calls that wait, so that all of them soon have both keys', async () => {
    const { clients, calls, requests } = world([{ second: 20 }, { second: 20 }]);
    clients[0]?.pause(4_000);
    await calls(500);
    expect(requests()[0]).toBeGreaterThan(150);
  });

  it.for(['hang', 'one-shot'])('waits a second for a first call that is not answered (%s)', async (how) => {
    const { clock, clients, services, pool, calls, requests } = world(PLANS);
    if (how === 'hang') services[0]?.faults.next(1, 'hang');
    else clients[0]?.pause(60_000);
    const first = how === 'hang' ? pool.getInfo() : pool.fetchWith({ streamBody: true })('/extended/v1/info');
    await calls(40);
    expect(clock.now()).toBeLessThan(2_500);
    expect(requests()[1]).toBe(40);
    await clock.run(Promise.resolve<unknown>(first));
    await calls(100);
    expect(Math.min(...requests())).toBeGreaterThan(20);
  });
});

describe('a pool', () => {
  it('ends the wait for a first answer when the call is aborted', async () => {
    const { clock, pool } = world(PLANS, { service: { latencyMs: 5_000 } });
    const first = [pool.getInfo(), pool.getInfo()];
    const controller = new AbortController();
    const third = pool.getInfo({ signal: controller.signal });
    third.catch(() => {});
    await clock.advance(100);
    controller.abort(new Error('enough'));
    await expect(third).rejects.toThrow('enough');
    expect(clock.now()).toBe(100);
    await clock.run(Promise.all(first));
  });

  it('counts the calls that wait for a first answer among those that wait and those that close rejects', async () => {
    const { clock, pool } = world(PLANS);
    const calls = Promise.allSettled(Array.from({ length: 20 }, () => pool.getInfo()));
    expect(pool.waiting).toBe(18);
    expect(await clock.run(pool.close())).toEqual({ rejected: 18 });
    expect((await calls).filter(({ status }) => status === 'rejected')).toHaveLength(18);
    expect(pool.waiting).toBe(0);
  });

  it('is idle, and has drained, when the calls that wait for a first answer have been served', async () => {
    const { clock, pool } = world(PLANS);
    let served = 0;
    const ask = (): unknown => pool.getInfo().then(() => served++);
    for (let call = 0; call < 20; call++) ask();
    expect(await clock.run(pool.idle().then(() => served))).toBe(20);
    const fresh = world(PLANS);
    const calls = Promise.allSettled(Array.from({ length: 20 }, () => fresh.pool.getInfo()));
    expect(await fresh.clock.run(fresh.pool.close({ drain: true }))).toEqual({ rejected: 0 });
    expect((await calls).map(({ status }) => status)).toEqual(Array(20).fill('fulfilled'));
    await expect(fresh.pool.getInfo()).rejects.toThrow('closed');
  });
});

describe('a call of a pool with a maxQueueMs', () => {
  /** How long a call took to fail, in milliseconds, and how. */
  async function failed({ clock }: ReturnType<typeof world>, call: () => Promise<unknown>) {
    const from = clock.now();
    const error = await clock.run(call().catch((reason: unknown) => reason));
    return { tookMs: clock.now() - from, isExhausted: isQuotaExhausted(error) };
  }

  // Each client counted it anew: with three of them 6 s.
  it.each([
    ['of its own', {}, 2_000],
    ['of the clients', { maxQueueMs: 2_000 }, undefined],
  ])('%s fails once that is over, whichever client it is handed to', async (_, options, maxQueueMs) => {
    const made = world([{ minute: 60 }, { minute: 60 }], { options: { concurrency: 1, ...options } });
    const { pool, calls, services } = made;
    await calls(2);
    // No estimate tells when the requests under way come back.
    for (const service of services) service.faults.next(1, 'hang');
    const hanging = [0, 1].map(() => pool.getInfo({ maxQueueMs: Infinity }).catch(() => {}));
    const terms = maxQueueMs === undefined ? {} : { maxQueueMs };
    for (const call of [() => pool.getInfo(terms), () => pool.fetchWith(terms)('/extended/v1/info')]) {
      const { tookMs, isExhausted } = await failed(made, call);
      expect(isExhausted).toBe(true);
      expect(tookMs).toBeLessThanOrEqual(2_250);
    }
    await made.clock.run(Promise.all(hanging));
  });

  // It waited for the first answer of either client: for half a minute, if that hung.
  it('does not wait for longer for the first answers of the clients', async () => {
    const made = world([{ minute: 60 }, { minute: 60 }]);
    const { pool, services } = made;
    for (const service of services) service.faults.next(1, 'hang');
    const hanging = [0, 1].map(() => pool.getInfo().catch(() => {}));
    const { tookMs, isExhausted } = await failed(made, () => pool.getInfo({ maxQueueMs: 500 }));
    expect(isExhausted).toBe(true);
    expect(tookMs).toBeGreaterThanOrEqual(500);
    expect(tookMs).toBeLessThanOrEqual(1_250);
    expect(pool.waiting).toBe(0);
    await made.clock.run(Promise.all(hanging));
  });
});
