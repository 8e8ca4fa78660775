import { describe, expect, it } from 'vitest';
import type { ServiceFault } from '../../src/testing/index.ts';
import { error, pair } from './support/called-service.ts';

describe('refusals', () => {
  const refusals: [string, ServiceFault, number][] = [
    ['a 429 with retry-after', { status: 429, headers: { 'retry-after': '7' } }, 7_000],
    ['a 429 with a date', { status: 429, headers: { 'retry-after': 'Thu, 15 Jan 2026 12:00:30 GMT' } }, 9_000],
    ['a 403 with retry-after', { status: 403, headers: { 'retry-after': '7' } }, 7_000],
    ['a 503 with retry-after', { status: 503, headers: { 'retry-after': '7' }, body: '<html>' }, 7_000],
    ['a 403 with nothing left', { status: 403, headers: { 'x-ratelimit-remaining-stacks-minute': '0' } }, 39_000],
    ['a 429 without any header', { status: 429, counted: false }, 1_000],
    ['a 429 that names its reset', { status: 429 }, 39_000],
  ];

  it.each(refusals)(
    'a refusal by %s holds every sibling, and the refused goes first and is no attempt',
    async (_, fault, leastMs) => {
      const { clock, mock, client, ask, asked, count } = pair({ maxAttempts: 1, concurrency: 3 });
      // Of three offsets the first goes alone: it might decide the cost.
      for (const offset of [0, 901, 902]) await clock.run(ask(offset));
      mock.faults.next(1, fault);
      const refusedAt = clock.now() + 100;
      await clock.run(Promise.all([1, 2, 3, 4, 5, 6].map(ask)));
      const before = asked()
        .filter(({ at }) => at < refusedAt)
        .map(({ offset }) => offset);
      const after = asked().filter(({ at }) => at >= refusedAt);
      expect(before.filter((offset) => offset > 1 && offset < 900)).toEqual([2, 3]);
      expect(after.map(({ offset }) => offset).toSorted()).toEqual([1, 4, 5, 6]);
      // The fourth stood at the gate before the first was refused.
      expect(after.findIndex(({ offset }) => offset === 1)).toBeLessThan(2);
      for (const { at } of after) expect(at).toBeGreaterThanOrEqual(refusedAt + leastMs);
      expect([count('limited'), client.quota().inFlight]).toEqual([1, 0]);
    },
  );

  it('a pause after a refusal ends half-open: one call goes first, the others follow when it is back', async () => {
    const { clock, mock, ask, asked } = pair();
    // Of three offsets the first goes alone: it might decide the cost.
    for (const offset of [0, 901, 902]) await clock.run(ask(offset));
    mock.faults.next(4, { status: 429, headers: { 'retry-after': '7' } });
    const from = clock.now();
    await clock.run(Promise.all([1, 2, 3, 4].map(ask)));
    const [first = 0, ...others] = asked()
      .map(({ at }) => at)
      .filter((at) => at > from + 1_000);
    expect(others).toHaveLength(3);
    for (const at of others) expect(at).toBeGreaterThanOrEqual(first + 100);
  });

  it('a success that comes with a retry-after is delivered, and holds the other calls', async () => {
    const { clock, mock, client, ask, asked, count } = pair();
    mock.faults.next(1, { status: 200, headers: { 'retry-after': '5' }, body: '{}' });
    await clock.run(client.getInfo());
    const pausedAt = clock.now();
    expect(client.quota().cooldown?.until.getTime()).toBe(clock.wall() + 5_000);
    await clock.run(ask(1));
    expect(asked()[1]?.at).toBe(pausedAt + 5_000);
    expect(count('limited')).toBe(0);
  });

  it('a call that is refused for ever fails after five refusals, each waited for as told', async () => {
    const { mock, client, endOf, asked } = pair();
    mock.faults.when(() => ({ status: 429, headers: { 'retry-after': '10' } }));
    const end = await endOf(client.getInfo());
    expect(end).toEqual(error('QuotaExhaustedError', { window: 'cooldown', retryAfterMs: 10_000 }));
    const times = asked().map(({ at }) => at);
    expect(times).toEqual([0, 1, 2, 3, 4].map((nth) => nth * 10_100));
  });

  it('a call that finds its window full again and again is not given up after five refusals', async () => {
    const { mock, client, endOf } = pair();
    const full = { 'x-ratelimit-limit-stacks-second': '20', 'x-ratelimit-remaining-stacks-second': '0' };
    mock.faults.next(20, { status: 429, headers: { 'retry-after': '1', ...full } });
    expect(await endOf(client.getInfo())).not.toBeInstanceOf(Error);
  });

  it('the wait that a refusal asks for counts against the timeout of no attempt', async () => {
    const { clock, mock, client } = pair({ timeoutMs: 2_000 });
    mock.faults.next(1, { status: 429, headers: { 'retry-after': '60' } });
    await clock.run(client.getInfo());
    expect(clock.now()).toBeGreaterThan(60_000);
  });
});
