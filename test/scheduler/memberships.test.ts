import { describe, expect, it } from 'vitest';
import type { ClientEvent } from '../../src/events.ts';
import { wholeShareLimit } from '../../src/quota/share-limit.ts';
import { type Member, type QuotaShare, URGENT } from '../../src/share.ts';
import { wire } from '../support/wire.ts';

/** What an answer says of a second of twenty units. */
const second = (remaining: number) => ({
  'x-ratelimit-limit-stacks-second': '20',
  'x-ratelimit-remaining-stacks-second': `${remaining}`,
});

/** A share that notes its members, and how often each of them leaves. */
function noting() {
  const members: Member[] = [];
  const left: number[] = [];
  const share: QuotaShare = {
    join(member) {
      const at = members.push(member) - 1;
      return { part: wholeShareLimit, leave: async () => void left.push(at) };
    },
  };
  const counts = () => members.map(({ waiting }) => [waiting(), waiting(URGENT)]);
  return { share, members, left, counts };
}

/** A client in a share, whose key can be replaced. */
function shared() {
  const noted = noting();
  const keys = { present: 'first' as string | undefined, asked: 0 };
  const apiKey = () => {
    keys.asked++;
    return keys.present;
  };
  return { ...noted, keys, ...wire({ share: noted.share, apiKey, concurrency: 1 }) };
}

describe('a share', () => {
  it('is told how many calls wait, how many of them are urgent, and how many requests may be under way', async () => {
    const { members, counts, client, call, last } = shared();
    await call('first');
    await call('usual');
    await call('urgent', { priority: 1 });
    expect([counts(), members[0]?.concurrency]).toEqual([[[2, 1]], 1]);
    await last('first').answer();
    expect(counts()).toEqual([[1, 0]]);
    client.concurrency = 7;
    expect(members[0]?.concurrency).toBe(7);
  });

  it('is told of an urgent call that waits although another key has refused it', async () => {
    const { client, counts, keys, call, last } = shared();
    client.concurrency = 2;
    for (const name of ['first', 'under way']) await call(name);
    await last('first').answer(200, { 'retry-after': '60' });
    client.concurrency = 1;
    keys.present = 'second';
    await call('urgent', { priority: 1, maxWaitMs: 0 });
    expect(counts().at(-1)).toEqual([1, 1]);
  });

  it('tells the listeners of its client what it has to say', async () => {
    const events: ClientEvent[] = [];
    const { share, members } = noting();
    wire({ share, onEvent: (event) => events.push(event) });
    const event = { type: 'share-regained', afterMs: 1, debited: 2 } as const;
    members[0]?.tell(event);
    expect(events).toEqual([event]);
  });

  it('is told of the calls that wait by the member of the present key alone', async () => {
    const { counts, keys, call, last } = shared();
    await call('first');
    keys.present = 'second';
    for (const name of ['one', 'other']) await call(name, { priority: 1 });
    expect(counts()).toEqual([[2, 2]]);
    await last('first').answer();
    expect(counts()).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });

  it('is joined with the credential of the key, which is asked for if no request has done so yet', async () => {
    const { members, keys, call, last } = shared();
    expect(await members[0]?.credential()).toContain('first');
    expect(keys.asked).toBe(1);
    await call('first');
    await last('first').answer();
    const { asked } = keys;
    keys.present = 'second';
    expect(await members[0]?.credential()).toContain('first');
    expect(keys.asked).toBe(asked);
  });

  it('holds calls back by what a sibling has learned of the service', async () => {
    const { members, clock, call, last, names } = shared();
    await call('first');
    await last('first').answer();
    members[0]?.learn({ pausedUntil: clock.now() + 5_000 });
    await call('second');
    await clock.advance(4_900);
    expect(names()).toEqual(['first']);
    await clock.advance(200);
    expect(names()).toEqual(['first', 'second']);
  });

  it('is left once with each key: by those whose books are dropped, and by all others when the client is closed', async () => {
    const { left, keys, client, call, last } = shared();
    for (const key of ['first', 'second', 'third', 'fourth', 'fifth']) {
      keys.present = key;
      await call(key);
      await last(key).answer();
    }
    expect(left).toEqual([0]);
    await client.close();
    expect(left).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('a client that shares nothing', () => {
  it('returns beside others from the pause of a refusal as its chance says: up to its spacing later', async () => {
    /** How long after the second refusal in a row a request goes, to 10 ms. */
    const returnsAfter = async (chance: number): Promise<number> => {
      const { clock, call, last, names } = wire({ random: () => chance });
      await call('first');
      await last('first').answer(200, second(18));
      await clock.advance(2_000);
      await call('refused');
      await last('refused').answer(429, { ...second(0), 'retry-after': '1' });
      await clock.advance(6_000);
      await last('refused').answer(429, { ...second(0), 'retry-after': '1' });
      const { length } = names();
      let afterMs = 0;
      for (; names().length === length; afterMs += 10) await clock.advance(10);
      return afterMs;
    };
    const none = await returnsAfter(0);
    const half = await returnsAfter(0.5);
    const most = await returnsAfter(0.999);
    expect(none).toBe(1_000);
    expect(half).toBeGreaterThan(1_500);
    expect(most).toBeLessThanOrEqual(1_000 + 3_700);
    expect(most).toBeGreaterThan(1_000 + 1.95 * (half - 1_000));
  });
});
