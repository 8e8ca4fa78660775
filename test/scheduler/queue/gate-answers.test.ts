import { describe, expect, it } from 'vitest';
import { QuotaExhaustedError } from '../../../src/errors.ts';
import type { Admission, Ask, Hold, Lease, RequestOutcome } from '../../../src/quota/admission.ts';
import { LAST_INSTANT } from '../../../src/quota/headers/snapshot.ts';
import { TRIAL_MS } from '../../../src/quota/recovery/hourly-trial.ts';
import { type Admitting, Gate } from '../../../src/scheduler/queue/gate.ts';
import type { PendingCall } from '../../../src/scheduler/queue/pending-call.ts';
import { virtualClock } from '../../../src/testing/index.ts';

const NOON = Date.UTC(2026, 0, 15, 12);
const URL = 'https://api.example/extended/v1/info';
const LONGEST_WAIT_MS = 2 * TRIAL_MS;
const LEASE = { endpoint: 'GET /', sentAt: 0, units: 1 } as unknown as Lease;
const OUTCOME: RequestOutcome = { kind: 'unsent', failed: false };

/** A hold until an instant, which only time ends. */
function hold(until: number, rest: Partial<Hold> = {}): Hold {
  const reason = { kind: 'window', why: 'the minute is full.', window: 'minute', limit: 50, headroom: 3 } as const;
  const firm = { isFirm: true, mayEndOnAnswer: false, scope: 'all', yieldsToPriority: false } as const;
  return { until, ...firm, reason: () => reason, ...rest };
}

/** A gate whose pacer answers as told, with nothing behind the first call. */
function gateOf(admission: Partial<Admission>, { parked = 0, sentAt = -Infinity } = {}) {
  const clock = virtualClock({ wall: NOON });
  const answers = { next: admission };
  const told = { wakes: 0, news: 0, standstills: 0, left: [] as PendingCall[], waits: [] as unknown[] };
  let newer = 0;
  function settle(this: { revision: number }): void {
    this.revision += newer;
  }
  const gate = new Gate({
    pacer: { admit: () => answers.next, settle, lastQuota: undefined, revision: 0 } as unknown as Admitting,
    clock,
    behind: { highest: -Infinity },
    longestWaitMs: LONGEST_WAIT_MS,
    parked: () => parked,
    outlook: { leave: (call) => told.left.push(call), sentAt: () => sentAt },
    onStandstill: () => told.standstills++,
    onNews: () => told.news++,
    onWake: () => told.wakes++,
  });
  const call = (ask: Partial<Ask> = {}): PendingCall => ({
    ask: { endpoint: 'GET /', maxWaitMs: Infinity, ...ask },
    signal: undefined,
    request: { url: URL },
    trace: { attempts: 0, waiting: (wait) => told.waits.push(wait), queuedAt: clock.now() },
  });
  const ask = (asked: PendingCall) => gate.ask({ call: asked, byAge: false });
  const news = (): void => {
    newer = 1;
  };
  return { clock, gate, call, ask, told, answers, news };
}

const wait = (held: Hold): Admission => ({ kind: 'wait', hold: held });

describe('a call that is held', () => {
  it('is held from now on, whenever the client began', async () => {
    const { clock, call, ask, answers } = gateOf(wait(hold(50_000 + LONGEST_WAIT_MS)));
    await clock.advance(50_000);
    expect(ask(call())).toEqual({ kind: 'waiting' });
    answers.next = wait(hold(150_000, { passableUnits: 25 }));
    expect(ask(call())).toMatchObject({ kind: 'parked', until: 52_000 });
  });

  it('waits at the gate for as long as most would, and is parked if that is longer', () => {
    const { call, ask, answers, told } = gateOf(wait(hold(LONGEST_WAIT_MS)));
    expect(ask(call())).toEqual({ kind: 'waiting' });
    expect(told.waits).toMatchObject([{ until: LONGEST_WAIT_MS, isParked: false }]);
    answers.next = wait(hold(LONGEST_WAIT_MS + 1));
    expect(ask(call())).toEqual({
      kind: 'parked',
      until: LONGEST_WAIT_MS + 1,
      isFirm: true,
      isApart: false,
      units: undefined,
    });
    expect(told.waits).toMatchObject([{}, { until: LONGEST_WAIT_MS + 1, isParked: true }]);
    answers.next = wait(hold(LONGEST_WAIT_MS + 1, { isFirm: false }));
    expect(ask(call())).toEqual({ kind: 'waiting' });
    expect(told.standstills).toBe(1);
  });

  it('and can be sent only once makes way after the time of a trial', () => {
    const { call, ask, answers } = gateOf(wait(hold(TRIAL_MS)));
    expect(ask(call({ isOneShot: true }))).toEqual({ kind: 'waiting' });
    answers.next = wait(hold(TRIAL_MS + 1));
    expect(ask(call({ isOneShot: true }))).toMatchObject({ kind: 'parked' });
    expect(ask(call())).toEqual({ kind: 'waiting' });
  });

  it.each([
    [400, 400],
    [10_000, 1_000],
    [100_000, 2_000],
  ])('until %i, and is passed by cheaper ones, asks again at %i', (until, recheckAt) => {
    const held = wait(hold(until, { passableUnits: 25 }));
    const { call, ask } = gateOf(held, { parked: 255 });
    expect(ask(call())).toEqual({ kind: 'parked', until: recheckAt, isFirm: true, isApart: false, units: 25 });
    const many = gateOf(held, { parked: 256 });
    expect(many.ask(many.call())).toEqual({ kind: 'waiting' });
  });

  it('for its endpoint alone is parked until then', () => {
    const { call, ask } = gateOf(wait(hold(10_000, { scope: 'endpoint', isFirm: false })));
    expect(ask(call())).toEqual({ kind: 'parked', until: 10_000, isFirm: false, isApart: false, units: undefined });
  });

  it('asks again when its hold ends, and when an answer may have ended it', async () => {
    const { clock, gate, call, ask, told, answers } = gateOf(wait(hold(1_000)));
    ask(call());
    expect([gate.isPausing, clock.timers]).toEqual([true, 1]);
    gate.settle(LEASE, OUTCOME);
    expect(told.wakes).toBe(0);
    await clock.advance(1_000);
    expect([told.wakes, gate.isPausing, clock.timers]).toEqual([1, false, 0]);
    answers.next = wait(hold(3_000, { mayEndOnAnswer: true }));
    ask(call());
    gate.settle(LEASE, OUTCOME);
    gate.wake();
    expect(told.wakes).toBe(2);
    expect(clock.timers).toBe(1);
    gate.leave();
    expect(clock.timers).toBe(0);
  });

  it('asks again, and parked calls before it, after an answer that tells something new of the windows', () => {
    const { gate, call, ask, told, news } = gateOf(wait(hold(3_000)));
    ask(call());
    gate.settle(LEASE, OUTCOME);
    expect(told).toMatchObject({ news: 0, wakes: 0 });
    news();
    gate.settle(LEASE, OUTCOME);
    expect(told).toMatchObject({ news: 1, wakes: 1 });
  });

  it('keeps one timer, which is set anew where it rings too soon or too late', async () => {
    const { clock, call, ask, told, answers } = gateOf(wait(hold(1_000)));
    for (const until of [5_000, 3_000, 8_000]) {
      answers.next = wait(hold(until));
      ask(call());
      expect(clock.timers).toBe(1);
    }
    await clock.advance(7_999);
    expect(told.wakes).toBe(0);
    await clock.advance(1);
    expect(told.wakes).toBe(1);
  });

  it('gives way to a call of a higher priority that comes, and not to one of its own', () => {
    const { gate, call, ask, told } = gateOf(wait(hold(1_000)));
    ask(call({ priority: 2 }));
    gate.onArrival(2);
    expect(told.wakes).toBe(0);
    gate.onArrival(3);
    expect(told.wakes).toBe(1);
  });
});

describe('a call that is refused', () => {
  const errorOf = ({ call, ask }: ReturnType<typeof gateOf>): unknown => {
    try {
      return ask(call({ maxWaitMs: 60_000 }));
    } catch (error) {
      return error;
    }
  };

  it('is told when its hold ends, or when those that wait have been sent, if that is later', () => {
    const held = gateOf(wait(hold(90_000.2)));
    const bound = { endpoint: 'GET /', url: URL, window: 'minute', limit: 50, remaining: 3 };
    expect(errorOf(held)).toMatchObject({ ...bound, retryAfterMs: 90_001, retryAt: new Date(NOON + 90_001) });
    expect(held.told.left).toHaveLength(1);
    const behind = gateOf(wait(hold(90_000)), { sentAt: 120_000 });
    expect(errorOf(behind)).toMatchObject({ retryAfterMs: 120_000 });
  });

  it('is told the last instant of the calendar where its hold never ends', () => {
    const never = gateOf(wait(hold(Infinity)));
    expect(errorOf(never)).toMatchObject({ retryAfterMs: Infinity, retryAt: new Date(LAST_INSTANT) });
  });

  it('has any patience where its hold never ends, though answers may come', () => {
    const { call, ask } = gateOf(wait(hold(Infinity, { isFirm: false, mayEndOnAnswer: true })));
    expect(() => ask(call({ maxWaitMs: Infinity }))).toThrow(QuotaExhaustedError);
  });

  it('is told of an outage where that is why', () => {
    const out = gateOf(wait(hold(90_000, { failingSince: 0, isOutage: true })));
    expect(errorOf(out)).toMatchObject({ name: 'ConnectionError', code: 'OUTAGE', attempts: 0, url: URL });
    const lost = gateOf(wait(hold(90_000, { failingSince: 0 })));
    expect(errorOf(lost)).toMatchObject({ name: 'QuotaExhaustedError', url: URL });
  });
});

describe('a standstill', () => {
  it('refuses those with less patience, of the priority of the first call or a lower one', async () => {
    const { clock, gate, call, ask, answers } = gateOf(wait(hold(50_000)));
    const calls = [49_999, 50_000].flatMap((maxWaitMs) => [0, 1].map((priority) => call({ maxWaitMs, priority })));
    const refused = (): number[] => [...gate.standstillErrors(calls).keys()].map((one) => calls.indexOf(one));
    expect(refused()).toEqual([]);
    ask(call());
    expect(refused()).toEqual([0]);
    answers.next = wait(hold(50_000, { isFirm: false, mayEndOnAnswer: true }));
    ask(call());
    expect(refused()).toEqual([]);
    await clock.advance(10_000);
    answers.next = wait(hold(60_001, { failingSince: 0 }));
    ask(call({ priority: 1 }));
    expect(refused()).toEqual([0, 1, 2, 3]);
    answers.next = wait(hold(59_999));
    calls.push(call({ maxWaitMs: 49_999 }));
    ask(call({ priority: 1 }));
    // The last one was queued while it stood still.
    expect(refused()).toEqual([0, 1, 2, 3]);
  });

  it('refuses no inspection, which has no use for patience', () => {
    const { gate, call, ask } = gateOf(wait(hold(50_000)));
    const inspection = call({ isInspection: true, maxWaitMs: 0 });
    expect(ask(inspection)).toEqual({ kind: 'waiting' });
    expect(gate.standstillErrors([inspection]).size).toBe(0);
  });

  it('lasts until a request is sent: the call at the gate fails when asking again would be later than it may wait, however soon that is', async () => {
    const { clock, call, ask, answers } = gateOf(wait(hold(5_000)));
    const first = call({ maxWaitMs: 12_000 });
    for (const until of [5_000, 10_000]) {
      answers.next = wait(hold(until));
      expect(ask(first)).toEqual({ kind: 'waiting' });
      // What an answer may end is none, but it does not end one.
      answers.next = wait(hold(until, { isFirm: false, mayEndOnAnswer: true }));
      expect(ask(first)).toEqual({ kind: 'waiting' });
      await clock.advance(5_000);
    }
    answers.next = wait(hold(15_000));
    expect(() => ask(first)).toThrow(QuotaExhaustedError);
    const later = call({ maxWaitMs: 12_000 });
    expect(ask(later)).toEqual({ kind: 'waiting' });
    answers.next = { kind: 'granted', lease: LEASE };
    ask(later);
    await clock.advance(5_000);
    answers.next = wait(hold(25_000));
    expect(ask(first)).toEqual({ kind: 'waiting' });
  });

  it('is none while the client is paused without an end, nor before that', async () => {
    const { clock, call, ask, answers } = gateOf(wait(hold(5_000)));
    const first = call({ maxWaitMs: 12_000 });
    ask(first);
    answers.next = wait(hold(60_000, { isFirm: false, mayEndOnAnswer: false }));
    ask(first);
    await clock.advance(60_000);
    answers.next = wait(hold(70_000));
    expect(ask(first)).toEqual({ kind: 'waiting' });
  });

  it('begins anew when a request is answered', async () => {
    const { clock, gate, call, ask, answers } = gateOf(wait(hold(5_000)));
    const first = call({ maxWaitMs: 12_000 });
    ask(first);
    await clock.advance(10_000);
    gate.settle(LEASE, OUTCOME);
    answers.next = wait(hold(22_000));
    expect(ask(first)).toEqual({ kind: 'waiting' });
    answers.next = wait(hold(22_001));
    expect(() => ask(first)).toThrow(QuotaExhaustedError);
  });

  it('ends when no call is at the gate any more', async () => {
    const { clock, gate, call, ask, answers } = gateOf(wait(hold(5_000)));
    const first = call({ maxWaitMs: 12_000 });
    ask(first);
    gate.leave();
    await clock.advance(60_000);
    answers.next = wait(hold(70_000));
    expect(ask(first)).toEqual({ kind: 'waiting' });
  });
});

it('a closed gate lets no call ask', () => {
  const { gate, call, ask } = gateOf({ kind: 'granted', lease: LEASE });
  expect(gate.tryAcquire(call())).toBe(LEASE);
  gate.close();
  expect(() => gate.tryAcquire(call())).toThrow('The client is closed.');
  expect(() => ask(call())).toThrow('The client is closed.');
});
