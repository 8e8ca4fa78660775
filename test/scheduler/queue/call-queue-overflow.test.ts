import { describe, expect, it } from 'vitest';
import { type Called, wire } from '../../support/wire.ts';

describe('a full queue', () => {
  const full = { concurrency: 1, maxWaiting: 3, onOverflow: 'reject-lowest' } as const;

  it('a full queue makes room for a more urgent call by one of the lowest priority, the one that came last', async () => {
    const { call } = wire(full);
    await call('first');
    const waiting = new Map<string, Called>();
    for (const [name, priority] of [
      ['a', 0],
      ['b', -1],
      ['c', -1],
    ] as const)
      waiting.set(name, await call(name, { priority }));
    const gone = () => [...waiting].filter(([, { now }]) => now() !== 'under way').map(([name]) => name);
    for (const expected of [['c'], ['b', 'c'], ['a', 'b', 'c']]) {
      await call('urgent', { priority: 1 });
      expect(gone()).toEqual(expected);
    }
    // No one of those that wait is less urgent.
    waiting.set('urgent', await call('urgent', { priority: 1 }));
    expect(gone()).toEqual(['a', 'b', 'c', 'urgent']);
  });

  it('a full queue takes back a call that was refused because of a limit', async () => {
    const { call, last, clock, names } = wire({ concurrency: 1, maxWaiting: 1 });
    const refused = await call('refused');
    const waiting = await call('waiting');
    await last('refused').answer(429, { 'retry-after': '1' });
    await clock.advance(3_000);
    for (const name of names().slice(1)) await last(name).answer();
    await clock.advance(3_000);
    for (const name of names().slice(2)) await last(name).answer();
    expect([refused.now(), waiting.now()]).toEqual(['answered', 'answered']);
  });

  it('a call that goes again is not late by its maxQueueMs, which was for its first request', async () => {
    const { call, last, clock, names } = wire({ concurrency: 2 });
    await call('first');
    await last('first').answer();
    const refused = await call('refused', { maxQueueMs: 5_000 });
    await call('other');
    await last('refused').answer(429, { 'retry-after': '60' });
    await last('other').answer();
    expect(refused.now()).toBe('under way');
    await clock.advance(61_000);
    expect(names()).toEqual(['first', 'refused', 'other', 'refused']);
  });

  it('a full queue keeps a call that is made again by when it first came', async () => {
    const { call, last, clock } = wire({ ...full, maxWaiting: 2 });
    const again = await call('again');
    const second = await call('second');
    const third = await call('third');
    await last('again').answer(503);
    await clock.advance(10_000);
    expect(last('second').request.signal.aborted).toBe(false);
    await call('urgent', { priority: 1 });
    expect([again, second, third].map(({ now }) => now() === 'under way')).toEqual([true, true, false]);
  });
});
