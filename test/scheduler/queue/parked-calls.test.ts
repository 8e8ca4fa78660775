import { describe, expect, it, vi } from 'vitest';
import type { CallOptions } from '../../../src/options/client-options.ts';
import type { Ask } from '../../../src/quota/admission.ts';
import { Pacer } from '../../../src/quota/pacer.ts';
import { ParkedCalls } from '../../../src/scheduler/queue/parked-calls.ts';
import { virtualClock } from '../../../src/testing/index.ts';
import { runs } from '../../support/deep.ts';
import { ceilinged } from '../support/ceilinged.ts';

/** Longer than any of these calls waits. */
const PATIENT = { maxWaitMs: 3_600_000 };

describe('parked calls', () => {
  it('parked calls ask a few times each, however many they are, where 50 a second may go', async () => {
    const COUNT = runs(600, 3_000);
    const { clock, service, assets, offsets } = ceilinged(50, 'second', {}, PATIENT);
    const admit = vi.spyOn(Pacer.prototype, 'admit');
    await clock.run(Promise.all(Array.from({ length: COUNT }, (_, at) => assets(at))));
    const asked = admit.mock.calls.length;
    admit.mockRestore();
    expect(service.limited).toBe(0);
    expect(offsets()).toEqual(Array.from({ length: COUNT }, (_, at) => at));
    // Once to be told to step aside, and once to go; each question that is not granted is asked twice.
    expect(asked).toBeLessThan(4 * COUNT);
  });

  it('parked calls come back by priority, whatever their patience and their costs', async () => {
    const { clock, service, assets, offsets } = ceilinged(2, 'minute', {}, PATIENT);
    const kinds: CallOptions[] = [
      {},
      { priority: 1 },
      { maxWaitMs: 7_200_000 },
      { maxWaitMs: 7_200_000, priority: 1 },
      { cost: 1 },
      { cost: 1, priority: 2 },
    ];
    const first = [assets(100), assets(101)];
    await clock.run(Promise.all(first));
    await clock.run(Promise.all(kinds.map((kind, at) => assets(at, kind))));
    expect(offsets().slice(2)).toEqual([5, 1, 3, 0, 2, 4]);
    expect(service.limited).toBe(0);
  });

  it('parked calls all end when their signal aborts, and those like them are still sent', async () => {
    const { clock, service, client, assets, offsets } = ceilinged(2, 'minute', {}, PATIENT);
    const controller = new AbortController();
    const { signal } = controller;
    const ends = Array.from({ length: 9 }, (_, at) =>
      assets(at, at % 2 === 0 && at > 1 ? { signal } : {}).catch((error) => error),
    );
    await clock.advance(1_000);
    expect(client.waiting).toBe(7);
    controller.abort('enough');
    expect(client.waiting).toBe(3);
    await clock.run(Promise.all(ends));
    expect(offsets()).toEqual([0, 1, 3, 5, 7]);
    expect([client.waiting, clock.timers, service.limited]).toEqual([0, 0, 0]);
  });

  it('parked calls follow one that aborts at the gate, to which it was called back', async () => {
    const { clock, service, client, assets, offsets } = ceilinged(
      1,
      'minute',
      {},
      { ...PATIENT, concurrency: 1, maxAttempts: 1 },
    );
    const controller = new AbortController();
    const { signal } = controller;
    const ends = [assets(0), assets(1, { signal }), assets(2)].map((call) => call.catch((error) => error));
    await clock.advance(1_000);
    service.faults.next(1, 'hang');
    const hanging = client.getInfo({ timeoutMs: 80_000 }).catch((error) => error);
    // The ceiling has opened, and the first of those aside waits at the gate for what hangs.
    await clock.advance(75_000);
    expect([client.waiting, client.quota().inFlight]).toEqual([2, 1]);
    controller.abort('enough');
    expect(await ends[1]).toBe('enough');
    await clock.run(Promise.all([...ends, hanging]));
    expect(offsets().filter((offset) => !Number.isNaN(offset))).toEqual([0, 2]);
    expect([client.waiting, clock.timers]).toEqual([0, 0]);
  });

  it('parked calls do not starve below others of their endpoint that never cease', async () => {
    const { clock, service, client, assets, offsets } = ceilinged(10, 'second', {}, PATIENT);
    const low = Array.from({ length: 5 }, (_, at) => assets(at, { priority: -1 }));
    let isOver = false;
    const high = Array.from({ length: 40 }, async () => {
      for (let at = 1_000; !isOver; at++) await assets(at).catch(() => {});
    });
    await clock.run(Promise.all(low));
    isOver = true;
    await clock.run(client.close());
    await clock.run(Promise.all(high));
    const all = offsets();
    const last = all.indexOf(4);
    expect(service.limited).toBe(0);
    // The first met an empty queue; of those that are released one in 32 is the oldest, if there is room for it then.
    expect(last).toBeLessThan(4 * 2 * 32);
  });
});

/** Calls parked by name, and those that were released. */
function parking() {
  const clock = virtualClock();
  const released: string[] = [];
  const calls = new ParkedCalls<string>(clock, ({ item }) => void released.push(item));
  let ticket = 0;
  const park = (name: string, until: number, ask: Partial<Ask> = {}, isFirm = false) => {
    const result = { kind: 'parked', until, isFirm, units: 1 } as const;
    const group = calls.groupOf({ endpoint: 'GET /a', maxWaitMs: 0, ...ask }, result);
    return { group, entry: group.park(name, 0, ++ticket, result) };
  };
  return { clock, calls, released, park };
}

describe('a group of parked calls', () => {
  it('releases its first call at its time, and each next one when the one before was sent', async () => {
    const { clock, calls, released, park } = parking();
    await clock.advance(10);
    const { group } = park('first', 1_000);
    for (const name of ['second', 'third']) park(name, 1_000);
    calls.releaseDue();
    await clock.advance(989);
    expect(released).toEqual([]);
    await clock.advance(1);
    expect(released).toEqual(['first']);
    calls.releaseDue();
    expect([released.length, calls.size]).toEqual([1, 2]);
    for (let sent = 0; sent < 2; sent++) calls.releaseNext(group.name);
    expect(released).toEqual(['first', 'second', 'third']);
    expect([calls.size, clock.timers]).toEqual([0, 0]);
    calls.releaseNext(group.name);
    expect(released).toHaveLength(3);
  });

  it('waits until the latest time that one of its calls was told, with one timer', async () => {
    const { clock, released, park } = parking();
    park('first', 1_000);
    park('second', 2_000);
    expect(clock.timers).toBe(1);
    await clock.advance(1_999);
    expect(released).toEqual([]);
    await clock.advance(1);
    expect(released).toEqual(['first']);
  });

  it('leaves no timer when its last call has gone, whichever way', async () => {
    const { clock, calls, park } = parking();
    const { group, entry } = park('first', 1_000);
    const second = park('second', 1_000);
    group.remove(entry);
    expect([calls.size, clock.timers]).toEqual([1, 1]);
    group.remove(second.entry);
    expect([calls.size, clock.timers]).toEqual([0, 0]);
    park('third', 1_000);
    calls.wake();
    expect([calls.size, clock.timers]).toEqual([0, 0]);
  });

  it('is another one once all of its calls have gone, with a timer of its own', async () => {
    const { clock, released, park } = parking();
    const { group, entry } = park('first', 1_000);
    group.remove(entry);
    park('second', 1_000);
    await clock.advance(1_000);
    expect(released).toEqual(['second']);
  });

  it('is released once where it is found due before its timer rings', async () => {
    const { clock, calls, released, park } = parking();
    clock.timer(1_000, () => calls.releaseDue());
    for (const name of ['first', 'second']) park(name, 1_000);
    park('third', 1_000, { endpoint: 'GET /b' });
    await clock.advance(1_000);
    await clock.advance(1_000);
    expect(released).toEqual(['first', 'third']);
    expect(clock.timers).toBe(0);
  });

  it('releases its first call when a request of its endpoint has ended, unless only time can help', () => {
    const { calls, released, park } = parking();
    park('firm', 1_000, { cost: 2 }, true);
    park('awaits an answer', 1_000);
    park('behind it', 1_000);
    park('of another endpoint', 1_000, { endpoint: 'GET /b' });
    calls.onAnswer('GET /a');
    expect(released).toEqual(['awaits an answer']);
    calls.wake();
    expect(released.toSorted()).toEqual(['awaits an answer', 'behind it', 'firm', 'of another endpoint']);
  });

  it('has the calls of one endpoint, cost and maxWaitMs, that are sent once or may be repeated', () => {
    const { calls, park } = parking();
    const { group } = park('first', 1_000);
    const others = [{ endpoint: 'GET /b' }, { cost: 2 }, { maxWaitMs: 9 }, { isOneShot: true }];
    const groups = [{}, ...others].map((ask) => park('other', 1_000, ask).group);
    expect(groups.map((one) => one === group)).toEqual([true, false, false, false, false]);
    expect(new Set(groups).size).toBe(5);
    calls.clear();
    expect(calls.size).toBe(0);
  });
});

describe('parked calls of an endpoint that pauses', () => {
  const parkedIn = (calls: ParkedCalls<string>, units: number, isApart: boolean) => {
    const result = { kind: 'parked', until: 9_000, isFirm: true, isApart, units } as const;
    return { group: calls.groupOf({ endpoint: 'GET /x', maxWaitMs: 1_000 } as Ask, result), result };
  };

  it('need no units meanwhile: they are counted by rank, those of higher ranks with each, until they are released or removed', () => {
    const calls = new ParkedCalls<string>(virtualClock(), () => {});
    const counts = (): readonly number[] => ([0, 1, 2] as const).map((rank) => calls.apart(rank));
    const { group, result } = parkedIn(calls, 1, true);
    const entries = [-1, 0, 5].map((priority, ticket) => group.park(`${ticket}`, priority, ticket, result));
    expect(counts()).toEqual([3, 2, 1]);
    // Calls that wait for units are no such calls.
    const other = parkedIn(calls, 2, false);
    other.group.park('other', 0, 3, other.result);
    expect([calls.size, ...counts()]).toEqual([4, 3, 2, 1]);
    group.remove(entries[1] as (typeof entries)[number]);
    expect(counts()).toEqual([2, 1, 1]);
    calls.releaseNext(group.name);
    expect(counts()).toEqual([1, 0, 0]);
    calls.clear();
    expect([calls.size, ...counts()]).toEqual([0, 0, 0, 0]);
  });
});
