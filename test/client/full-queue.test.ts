import { describe, expect, it } from 'vitest';
import type { CallOptions, QuotaExhaustedError } from '../../src/index.ts';
import { ADDRESS, ROOMY, refused, world } from './support/deadline-world.ts';

describe('maxWaiting', () => {
  it('rejects the call that is one more, at once, and those under way do not count', async () => {
    const { clock, client } = await world(ROOMY, { maxWaiting: 3, concurrency: 2 });
    const calls = Array.from({ length: 5 }, () => client.getInfo());
    const error = await refused(client.getInfo());
    expect(error).toMatchObject({ window: 'queue', limit: 3, remaining: 0 });
    expect(error?.message).toContain('3 calls wait already, which is the maximum (option maxWaiting)');
    expect(client.waiting).toBe(3);
    await clock.run(Promise.all(calls));
    await clock.run(client.getInfo());
  });

  it('of 0 sends only what need not wait', async () => {
    const { clock, client } = await world(ROOMY, { maxWaiting: 0, concurrency: 1 });
    const first = client.getInfo();
    expect(await refused(client.getInfo())).toBeDefined();
    await clock.run(first);
  });

  it('lets a call that is attempted again return to its place', async () => {
    const { clock, client, service } = await world(ROOMY, { maxWaiting: 1, concurrency: 1 });
    service.faults.next(1, { status: 503 });
    const calls = [client.getInfo({ label: 'again' }), client.getInfo()];
    await clock.run(Promise.all(calls));
  });

  it('with reject-lowest rejects the last of the lowest priority, wherever it waits', async () => {
    const { clock, client } = await world(
      { ...ROOMY, ceilings: { assets: { limit: 1, period: 'minute' } }, headers: { generic: 'per endpoint ceiling' } },
      { maxWaiting: 3, onOverflow: 'reject-lowest', concurrency: 1 },
    );
    await clock.run(client.getAddressAssets(ADDRESS));
    const order: string[] = [];
    const call = (label: string, priority: number, parked = false) => {
      const made = parked ? client.getAddressAssets(ADDRESS, { priority }) : client.getInfo({ priority });
      return made.then(
        () => order.push(`${label} sent`),
        () => order.push(`${label} rejected`),
      );
    };
    const calls = [call('under way', 0), call('parked', -2, true), call('low', -1), call('high', 1)];
    await clock.advance(0);
    calls.push(call('higher', 2));
    await clock.advance(0);
    expect(order).toEqual(['parked rejected']);
    calls.push(call('as low', -1), call('highest', 3));
    await clock.advance(0);
    expect(order).toEqual(['parked rejected', 'as low rejected', 'low rejected']);
    await clock.run(Promise.all(calls));
    expect(order.slice(3)).toEqual(['under way sent', 'highest sent', 'higher sent', 'high sent']);
  });
});

describe('a call that is turned away because too many wait', () => {
  const turnedAway = async (priority: number): Promise<Set<number>> => {
    const { clock, client } = await world({}, { maxWaiting: 120, onOverflow: 'reject-lowest' });
    const errors: QuotaExhaustedError[] = [];
    const call = (options: CallOptions) => client.getInfo(options).catch((error) => void errors.push(error));
    const calls = Array.from({ length: 10 + 120 }, () => call({}));
    await clock.advance(0);
    calls.push(...Array.from({ length: 100 }, () => call({ priority })));
    await clock.advance(0);
    expect(errors.length).toBeGreaterThan(100);
    const { ms = Number.NaN } = client.estimate({ priority: 0 });
    await clock.run(Promise.all(calls));
    return new Set(errors.map(({ retryAfterMs }) => Math.round((retryAfterMs - ms) / 1_000)));
  };

  it('says when it would have been sent, and does not count itself', async () => {
    expect(await turnedAway(0)).toEqual(new Set([0]));
  });

  it('does not count others that were turned away in the same turn', async () => {
    expect(await turnedAway(1)).toEqual(new Set([0]));
  });
});
