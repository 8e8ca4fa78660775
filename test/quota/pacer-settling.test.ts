import { describe, expect, it } from 'vitest';
import type { Lease } from '../../src/quota/admission.ts';
import { ClientWide } from '../../src/quota/client-wide.ts';
import type { QuotaSnapshot } from '../../src/quota/headers/snapshot.ts';
import { aligned } from '../../src/quota/models/aligned.ts';
import type { Shape } from '../../src/quota/models/model.ts';
import { slidingLog } from '../../src/quota/models/sliding-log.ts';
import { Pacer } from '../../src/quota/pacer.ts';
import type { Shapes, ShareLimit } from '../../src/quota/share-limit.ts';
import { kindOf, minute, quota, world } from './support/world.ts';

const LOST = { kind: 'lost', failed: true } as const;

/** The minute's headroom, of which twenty units were left at 100 ms. */
function known(part = {}) {
  const all = world(part, new ClientWide(100));
  all.answer(all.send(0), 100, quota(minute(20), { date: 0 }));
  const headroom = (now: number): number | undefined => all.pacer.view(now).windows[0]?.headroom;
  return { ...all, headroom };
}

describe('a request', () => {
  it('is settled once: what is said of it afterwards changes nothing', () => {
    const { pacer, send, all, headroom } = known();
    const lease = send(200);
    pacer.settle(lease, LOST, 300);
    const left = headroom(300);
    pacer.settle(lease, LOST, 300);
    expect(headroom(300)).toBe(left);
    expect(all('ended').length).toBe(2);
  });

  it('that was lost counts as one that arrived, and one that was never sent does not', () => {
    const { pacer, send, headroom } = known();
    pacer.settle(send(200), LOST, 300);
    expect(headroom(300)).toBe(19);
    pacer.settle(send(400), { kind: 'unsent' }, 450);
    expect(headroom(450)).toBe(19);
  });

  it('that is lost after it counted as arrived counts once', () => {
    const { pacer, send, headroom } = known();
    const lease = send(200);
    expect(headroom(4_000)).toBe(19);
    pacer.settle(lease, LOST, 4_100);
    expect(headroom(4_200)).toBe(19);
  });

  it('that is lost when its lease has expired counts once, also where nothing was asked since it was sent', () => {
    const { pacer, send, answer } = world({}, new ClientWide(100));
    answer(send(0), 100, quota({ month: { limit: 100, remaining: 20 } }, { date: 86_400_000 }));
    pacer.settle(send(200), LOST, 95_000);
    expect(pacer.view(95_000).windows[0]?.headroom).toBe(19);
  });

  it('of which nothing was heard counts as one that arrived within three seconds, and is forgotten with its minute', () => {
    const { send, headroom } = known();
    send(200);
    expect([200, 62_000, 125_000].map(headroom)).toEqual([19, 19, 20]);
  });

  it('that is answered after it counted as arrived counts once, and one that a cache answered not at all', () => {
    const { send, answer, headroom } = known();
    const late = send(200);
    expect(headroom(4_000)).toBe(19);
    answer(late, 4_100, quota());
    expect(headroom(4_200)).toBe(19);
    answer(send(4_300), 4_400, quota({}, { ageMs: 9_000 }));
    expect(headroom(4_500)).toBe(19);
  });

  it('of an endpoint of unknown cost goes alone where the service states costs, until it ends', () => {
    const { pacer, send, ask } = known();
    const lease = send(200, { endpoint: 'GET /b' });
    expect(kindOf(ask(300, { endpoint: 'GET /b' }))).toBe('first-cost');
    pacer.settle(lease, { kind: 'unsent' }, 400);
    expect(kindOf(ask(500, { endpoint: 'GET /b' }))).toBe('granted');
  });

  it('that was answered is evidence that it counted where the answer has any quota header, and was no refusal', () => {
    /** Whether a sliding log is ruled out where a minute of the calendar counts one request, and four were answered just before. */
    const rulesOut = (said: QuotaSnapshot, more = {}): boolean => {
      const shapes: Shapes[] = [];
      const read: ShareLimit['read'] = (reading) => shapes.push(reading.shapes);
      const { send, answer } = known({ read });
      for (const lease of [58_000, 58_010, 58_020, 58_030].map((at) => send(at))) answer(lease, 58_100, said, more);
      answer(send(61_500), 61_600, quota(minute(19), { date: 61_000 }));
      return !shapes.at(-1)?.alive.includes(slidingLog);
    };
    expect(rulesOut(quota({ cost: 1 }))).toBe(true);
    expect(rulesOut(quota({}, { remaining: 5 }))).toBe(true);
    expect(rulesOut(quota())).toBe(false);
    expect(rulesOut(quota({ cost: 1 }), { limited: true })).toBe(false);
  });
});

describe('by the books of one shape a request', () => {
  /** The headroom of a minute of which twenty units were left at its beginning, and what has become of requests since. */
  function shaped(shape: Shape) {
    const pacer = new Pacer({ clientWide: new ClientWide(10), leaseMs: 90_000, shapes: [shape] });
    const send = (now: number): Lease => {
      const admission = pacer.admit({ endpoint: 'GET /a', maxWaitMs: 0 }, now);
      if (admission.kind !== 'granted') throw new Error(admission.hold.reason().why);
      return admission.lease;
    };
    const answer = (lease: Lease, now: number, said: QuotaSnapshot): void =>
      pacer.settle(lease, { kind: 'answered', quota: said, limited: false }, now);
    const lose = (lease: Lease, now: number): void => pacer.settle(lease, LOST, now);
    const headroom = (now: number): number | undefined => pacer.view(now).windows[0]?.headroom;
    answer(send(0), 100, quota(minute(20), { date: 0 }));
    return { send, answer, lose, headroom };
  }

  it('of which nothing was heard may have been counted until three seconds after it was sent', () => {
    const { send, headroom } = shaped(slidingLog);
    send(200);
    expect([62_000, 63_100, 63_300].map(headroom)).toEqual([19, 19, 20]);
  });

  it('that was lost while another was under way may be missing from the answer to that', () => {
    const { send, answer, lose, headroom } = shaped(aligned);
    const other = send(30_000);
    lose(send(30_010), 30_050);
    answer(other, 30_100, quota(minute(19)));
    expect(headroom(30_200)).toBe(18);
  });

  it('that is answered after it counted as arrived is missing from no answer', () => {
    const { send, answer, lose, headroom } = shaped(aligned);
    const late = send(20_000);
    lose(send(25_000), 25_100);
    const other = send(30_000);
    answer(late, 30_050, quota());
    answer(other, 30_100, quota(minute(18)));
    expect(headroom(30_200)).toBe(18);
  });
});

describe('the end of the longest pause', () => {
  it('is that of the service or of the caller, whichever is later, and none that has no end', () => {
    const wide = new ClientWide(10);
    const { pacer } = world({}, wide);
    expect(pacer.pausedUntil).toBe(-Infinity);
    pacer.learn({ pausedUntil: 5_000 }, 0);
    expect(pacer.pausedUntil).toBe(5_000);
    wide.manualPause.set(9_000);
    expect(pacer.pausedUntil).toBe(9_000);
    wide.manualPause.set(Infinity);
    expect(pacer.pausedUntil).toBe(5_000);
  });
});

describe('a pacer', () => {
  it('heeds each of two windows that one answer tells of first', () => {
    const { send, answer, ask } = world();
    answer(send(0), 100, quota(minute(0), { date: 0, limit: 13, remaining: 12, resetAt: 30_000 }));
    expect(kindOf(ask(200))).toBe('window');
  });

  it('has another revision once a window comes, or its limit changes', () => {
    const { pacer, send, answer } = world();
    const revisions = [pacer.revision];
    for (const [at, said] of [minute(19), minute(18), minute(27, 30)].entries()) {
      answer(send(1_000 * at), 1_000 * at + 100, quota(said));
      revisions.push(pacer.revision);
    }
    const [none, first, same, changed] = revisions;
    expect(first).not.toBe(none);
    expect(same).toBe(first);
    expect(changed).not.toBe(same);
  });

  it('says why a stated cost is never sent that exceeds a window, and nothing of one that fits', () => {
    const { pacer, send, answer } = known();
    expect(pacer.excess(20, 200)).toBeUndefined();
    expect(pacer.excess(21, 200)).toMatchObject({ kind: 'window', window: 'minute', limit: 20 });
    answer(send(300), 400, quota({ ...minute(19), second: { limit: 10, remaining: 9 } }));
    expect(pacer.excess(11, 500)).toMatchObject({ window: 'second', limit: 10 });
  });

  it('knows no outlook of a month that no answer has named, and one that was named', () => {
    const { pacer, send, answer } = world();
    expect(pacer.month(0, 0)).toBeUndefined();
    answer(send(0), 100, quota({ cost: 1, month: { limit: 1_000, remaining: 900 } }, { date: 0 }));
    expect(pacer.month(200, 0)).toMatchObject({ limit: 1_000 });
  });

  it('has bulk work leave the reserve that was asked for', () => {
    const bulkReserve = { forPriorityAbove: 0, share: { minute: 0.5 }, spreadMonthUntil: undefined };
    const pacer = new Pacer({ clientWide: new ClientWide(10), leaseMs: 90_000, bulkReserve });
    const ask = (priority: number) => pacer.admit({ endpoint: 'GET /a', maxWaitMs: Infinity, priority }, 1_000).kind;
    const first = pacer.admit({ endpoint: 'GET /a', maxWaitMs: 0 }, 0);
    if (first.kind === 'granted')
      pacer.settle(first.lease, { kind: 'answered', quota: quota(minute(9)), limited: false }, 100);
    expect([ask(0), ask(1)]).toEqual(['wait', 'granted']);
  });
});

describe('after a pause', () => {
  it('one request goes first, and the next once it was served', () => {
    const { pacer, send, answer, ask } = known();
    pacer.learn({ pausedUntil: 5_000 }, 1_000);
    const first = send(5_000);
    expect(kindOf(ask(5_050))).toBe('half-open');
    answer(first, 5_100, quota(minute(19)));
    expect(kindOf(ask(5_100))).toBe('granted');
    expect(kindOf(ask(7_000))).toBe('granted');
  });

  it('that retry-after ended too soon it is not believed again, though an inspection went after the request that showed it', () => {
    const { send, answer, ask } = known();
    const refusal = quota(minute(0), { retryAfterMs: 5_000 });
    const [one, other] = [send(1_000), send(1_010)];
    answer(one, 1_100, quota(minute(0), { date: 0 }));
    answer(other, 1_110, refusal, { limited: true });
    const tried = send(6_200);
    send(6_300, { isInspection: true });
    answer(tried, 6_400, refusal, { limited: true });
    expect(kindOf(ask(11_500))).toBe('window');
  });
});

it('answers of a service that fails are failures in a row, too', () => {
  const { send, answer, ask } = known();
  for (let at = 1_000; at < 1_500; at += 100) answer(send(at), at + 50, quota(), { failed: true });
  expect(kindOf(ask(1_500))).toBe('outage');
});

it('what calls of higher priority are expected to need is kept from the others', () => {
  const granted = (priority: number): number => {
    const { send, ask } = known();
    for (let at = 200; at < 600; at += 100) send(at, { priority });
    send(600);
    return Array.from({ length: 20 }, () => ask(700)).filter(({ kind }) => kind === 'granted').length;
  };
  expect(granted(9)).toBeLessThan(granted(0));
});

it('an inspection waits for a free slot, which an answer gives', () => {
  const { send, ask } = world({}, new ClientWide(1));
  send(1_000);
  expect(ask(1_100, { isInspection: true })).toMatchObject({ kind: 'wait', reason: { kind: 'concurrency' } });
});

describe('an inspection that was served in spite of a pause', () => {
  it('ends the pause if units are left, and tells siblings so', () => {
    const servedWith = (remaining: number) => {
      const { pacer, send, answer, ask, all } = world();
      pacer.learn({ pausedUntil: 1_000_000 }, 1_000);
      answer(send(2_000, { isInspection: true }), 2_100, quota(minute(remaining)));
      return [ask(2_200).kind, all('trial')];
    };
    expect(servedWith(9)).toEqual(['granted', [[true]]]);
    expect(servedWith(0)).toEqual(['wait', [[false]]]);
  });
});

it('a refusal is no unit that was served, and an answer without a date leaves the clock of the service unknown', () => {
  const wide = new ClientWide(5);
  const { send, answer } = world({}, wide);
  answer(send(1_000), 1_100, quota(minute(0)), { limited: true });
  expect([wide.throughput.units, wide.clock.known]).toEqual([0, false]);
});
