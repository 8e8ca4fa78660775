import { describe, expect, it } from 'vitest';
import type { Lease } from '../../src/quota/admission.ts';
import { Books } from '../../src/quota/books.ts';
import { ClientWide } from '../../src/quota/client-wide.ts';
import { Pacer } from '../../src/quota/pacer.ts';

const ASK = { endpoint: 'GET /a', maxWaitMs: Infinity };

function books(close: (pacer: Pacer) => void = () => undefined): Books {
  const open = (): Pacer => new Pacer({ clientWide: new ClientWide(10), leaseMs: 60_000 });
  return new Books({ open, close });
}

function granted(all: Books, now: number): Lease {
  const admission = all.admit(ASK, now);
  if (admission.kind !== 'granted') throw new Error('nothing holds a first request back');
  return admission.lease;
}

describe('the books of keys that follow each other', () => {
  it('are those of the first key, whatever its number turns out to be', () => {
    const all = books();
    const first = all.present;
    expect(all.key).toBeUndefined();
    expect(all.turnTo(7)).toBe(false);
    expect([all.key, all.present]).toEqual([7, first]);
    expect(all.turnTo(7)).toBe(false);
    expect(all.present).toBe(first);
  });

  it('tell each pacer the number of its key, once that is known', () => {
    const told: (() => number | undefined)[] = [];
    const open = (key: () => number | undefined): Pacer => {
      told.push(key);
      return new Pacer({ clientWide: new ClientWide(10), leaseMs: 60_000 });
    };
    const all = new Books({ open, close: () => undefined });
    expect(told.map((key) => key())).toEqual([undefined]);
    all.turnTo(7);
    all.turnTo(8);
    expect(told.map((key) => key())).toEqual([7, 8]);
  });

  it('are new with each new key, and a key that returns finds its own', () => {
    const all = books();
    all.turnTo(1);
    const first = all.present;
    expect(all.turnTo(2)).toBe(true);
    expect(all.key).toBe(2);
    expect(all.present).not.toBe(first);
    expect(all.turnTo(1)).toBe(true);
    expect(all.present).toBe(first);
  });

  it('are kept of the four keys that were used last', () => {
    const closed: Pacer[] = [];
    const all = books((pacer) => closed.push(pacer));
    const pacers = [1, 2, 3, 4].map((key) => {
      all.turnTo(key);
      return all.present;
    });
    all.turnTo(1);
    expect(closed).toEqual([]);
    all.turnTo(5);
    expect(closed).toEqual([pacers[1]]);
    for (const [key, place] of [
      [1, 0],
      [3, 2],
      [4, 3],
    ] as const) {
      all.turnTo(key);
      expect(all.present).toBe(pacers[place]);
    }
    all.turnTo(2);
    expect(pacers).not.toContain(all.present);
  });

  it('settle a request where it was admitted, though another key has followed', () => {
    const all = books();
    all.turnTo(1);
    const lease = granted(all, 0);
    const first = all.present;
    expect(all.keyOf(lease)).toBe(1);
    all.turnTo(2);
    expect(first.view(10).inFlight).toBe(1);
    const quota = { receivedAt: 10, stacks: { minute: { limit: 10, remaining: 8 } }, malformed: [], unrecognised: {} };
    all.settle(lease, { kind: 'answered', quota, limited: false }, 10);
    expect(first.view(10).inFlight).toBe(0);
    expect(first.lastQuota).toBe(quota);
    expect(all.lastQuota).toBeUndefined();
    expect(first.drift(lease, quota, 20)).toEqual({ minute: 0 });
    expect(all.drift(lease, quota, 20)).toEqual({ minute: 0 });
    expect(all.present.drift(lease, quota, 20)).toEqual({});
    expect(all.revision).toBe(all.present.revision);
    all.turnTo(1);
    expect(all.lastQuota).toBe(quota);
    expect(all.revision).toBe(first.revision);
    expect(first.revision).toBeGreaterThan(0);
  });
});
