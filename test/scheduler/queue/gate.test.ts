import { describe, expect, it } from 'vitest';
import { isClosed, isQuotaExhausted } from '../../../src/errors.ts';
import type { ClientOptions } from '../../../src/options/client-options.ts';
import { type Admission, type Ask, holdUntil } from '../../../src/quota/admission.ts';
import type { Pacer } from '../../../src/quota/pacer.ts';
import { type ShareLimit, wholeShareLimit } from '../../../src/quota/share-limit.ts';
import { Gate, type GateResult } from '../../../src/scheduler/queue/gate.ts';
import { virtualClock } from '../../../src/testing/index.ts';
import { wire } from '../../support/wire.ts';
import { ceilinged } from '../support/ceilinged.ts';

const _ADDRESS = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';
const DAY_MS = 86_400_000;
const PAUSE = { 'retry-after': '60' };
const MONTH_OUT = { 'x-ratelimit-limit-stacks-month': '1000', 'x-ratelimit-remaining-stacks-month': '0' };
const FEW_LEFT = { 'x-ratelimit-limit-stacks-minute': '1000', 'x-ratelimit-remaining-stacks-minute': '5' };

const NO_OUTLOOK = { leave: () => {}, sentAt: () => -Infinity };

describe('little patience', () => {
  it('a call with less patience than most is refused at once when it comes while the queue stands still for longer', async () => {
    const { call, last, names } = wire();
    await call('first');
    await last('first').answer(200, PAUSE);
    await call('patient');
    const impatient = await call('impatient', { maxWaitMs: 59_000 });
    const patient = await call('patient enough', { maxWaitMs: 60_000 });
    expect(impatient.now()).toMatchObject({ name: 'QuotaExhaustedError', window: 'cooldown', retryAfterMs: 60_000 });
    expect(patient.now()).toBe('under way');
    expect(names()).toEqual(['first']);
  });

  it.each([
    ['a pause', PAUSE, 'cooldown'],
    ['a full month', MONTH_OUT, 'month'],
  ])(
    'is told at once, though it stands behind a patient one, when %s brings the queue to a standstill',
    async (_, headers, window) => {
      const { client, call, last, names } = wire({ concurrency: 1, maxWaitMs: 60 * DAY_MS });
      await call('first');
      await call('patient');
      const impatient = await call('impatient', { maxWaitMs: 1_000 });
      await call('behind');
      expect(impatient.now()).toBe('under way');
      await last('first').answer(200, headers);
      expect(impatient.now()).toMatchObject({ name: 'QuotaExhaustedError', window });
      expect(client.waiting).toBe(2);
      expect(names()).toEqual(['first']);
    },
  );

  it('a call with less patience than most is told at once only of a standstill that lasts for longer than it can wait', async () => {
    const { call, last } = wire({ concurrency: 1 });
    await call('first');
    await call('patient');
    const waits = [59_000, 61_000];
    const calls = await Promise.all(waits.map((maxWaitMs) => call(`for ${maxWaitMs}`, { maxWaitMs })));
    await last('first').answer(200, PAUSE);
    expect(calls.map(({ now }) => now() === 'under way')).toEqual([false, true]);
  });

  it('a call with less patience than most is told of a standstill at once, though it waits for its endpoint alone', async () => {
    const { clock, service, client, assets } = ceilinged(1, 'minute', {}, { maxWaitMs: 3_600_000 });
    await clock.run(client.getInfo());
    await clock.run(assets(0));
    const parked = assets(1, { maxWaitMs: 120_000 }).catch((error) => error);
    await clock.advance(100);
    service.faults.next(1, { status: 429, headers: { 'retry-after': '3000' }, counted: false });
    client.getInfo().catch(() => {});
    const before = clock.now();
    expect(isQuotaExhausted(await clock.run(parked))).toBe(true);
    expect(clock.now() - before).toBeLessThan(1_000);
    await client.close();
  });

  it('a call with less patience than most waits for what may come back at any time, however little patience it has', async () => {
    const { call, last, names } = wire({ concurrency: 1 });
    await call('first');
    const none = await call('no patience', { maxWaitMs: 0 });
    expect(none.now()).toBe('under way');
    await last('first').answer();
    expect(names()).toEqual(['first', 'no patience']);
  });

  it('a call with less patience than most is not held to the wait of a less urgent call, but to its own', async () => {
    const { call, last, names } = wire();
    await call('first');
    await last('first').answer(200, FEW_LEFT);
    await call('costly', { cost: 50 });
    const behind = await call('behind', { cost: 1, maxWaitMs: 0 });
    await call('urgent', { cost: 1, maxWaitMs: 0, priority: 1 });
    expect(isQuotaExhausted(behind.now())).toBe(true);
    expect(names()).toEqual(['first', 'urgent']);
  });
});

describe('much patience', () => {
  it('a call with more patience than most makes way for the others while it waits, so that they are refused at once', async () => {
    const { client, call, last, names, clock } = wire();
    await call('first');
    await last('first').answer(200, MONTH_OUT);
    const patient = await call('patient', { maxWaitMs: Infinity, timeoutMs: DAY_MS });
    const usual = await call('usual');
    expect(usual.now()).toMatchObject({ name: 'QuotaExhaustedError', window: 'month', limit: 1000, remaining: 0 });
    expect([patient.now(), client.waiting]).toEqual(['under way', 1]);
    await clock.advance(3_599_000);
    expect(names()).toEqual(['first']);
    // After an hour without an answer it is sent all the same.
    await clock.advance(2_000);
    expect(names()).toEqual(['first', 'patient']);
  });

  it.each(['an abort', 'the end of the client'])(
    'a call with more patience than most is told of %s at once',
    async (what) => {
      const { client, call, last } = wire();
      await call('first');
      await last('first').answer(200, MONTH_OUT);
      const controller = new AbortController();
      const { signal } = controller;
      const patient = await call('patient', { maxWaitMs: Infinity, signal });
      if (what === 'an abort') controller.abort(new Error('enough'));
      else await client.close();
      expect(await patient.end).toMatchObject({ message: what === 'an abort' ? 'enough' : 'The client is closed.' });
      expect(client.waiting).toBe(0);
    },
  );

  it('a call with more patience than most is sent as soon as the share of the window has grown', async () => {
    let isOut = false;
    let grow = (): void => {};
    const share: ClientOptions['share'] = {
      join({ wake }) {
        grow = wake;
        const check: ShareLimit['check'] = (_charge, now) =>
          isOut ? holdUntil(now + 60_000, () => ({ kind: 'share', why: 'used' }), { isFirm: true }) : undefined;
        return { part: { ...wholeShareLimit, check }, leave: () => Promise.resolve() };
      },
    };
    const { call, last, names, clock } = wire({ share, maxWaitMs: 0 });
    await call('first');
    await last('first').answer(200, { 'x-ratelimit-remaining-stacks-minute': '999' });
    isOut = true;
    await call('patient', { maxWaitMs: 120_000 });
    expect(names()).toEqual(['first']);
    isOut = false;
    grow();
    await clock.advance(0);
    expect(names()).toEqual(['first', 'patient']);
  });
});

describe('windows of one endpoint', () => {
  it('the window of one endpoint lets the calls of others pass', async () => {
    const { clock, service, client, assets } = ceilinged(2, 'minute');
    const costly = [0, 1, 2, 3].map((offset) => assets(offset));
    await clock.run(Promise.all([costly[0], costly[1]]));
    expect(client.waiting).toBe(2);
    await clock.run(Promise.all(Array.from({ length: 20 }, () => client.getInfo())));
    expect(clock.now()).toBeLessThan(1_000);
    await clock.run(Promise.all(costly));
    expect(clock.now()).toBeGreaterThan(60_000);
    expect(service.limited).toBe(0);
  });

  it('the window of one endpoint keeps those that wait for it in their order, before newcomers', async () => {
    const { clock, service, assets, offsets } = ceilinged(5, 'minute');
    const first = Array.from({ length: 12 }, (_, at) => assets(at));
    await clock.advance(30_000);
    const later = Array.from({ length: 5 }, (_, at) => assets(12 + at));
    await clock.run(Promise.all([...first, ...later]));
    expect(offsets()).toEqual(Array.from({ length: 17 }, (_, at) => at));
    expect(service.limited).toBe(0);
  });

  it('the window of one endpoint is tried by one call after its end, and the others go as soon as that is back', async () => {
    const { clock, service, assets } = ceilinged(10, 'second');
    service.faults.next(1, 'truncate');
    await clock.run(Promise.all(Array.from({ length: 50 }, (_, at) => assets(at))));
    expect(service.limited).toBe(0);
    // Cut to the second, a reset may be a second late: two seconds to ten of 51 requests.
    expect(clock.now()).toBeLessThan(12_000);
  });

  it('the window of one endpoint holds no call that aborts', async () => {
    const { clock, service, client, assets } = ceilinged(1, 'minute');
    const controller = new AbortController();
    const ends = [assets(0), assets(1, { signal: controller.signal }), assets(2)].map((call) =>
      call.catch((error) => error),
    );
    await clock.advance(1_000);
    expect(client.waiting).toBe(2);
    controller.abort('enough');
    expect(await ends[1]).toBe('enough');
    expect(client.waiting).toBe(1);
    await clock.run(Promise.all(ends));
    expect(service.requests).toBe(2);
  });

  it('the window of one endpoint holds no call when the client closes', async () => {
    const { clock, client, assets } = ceilinged(1, 'minute');
    const ends = [assets(0), assets(1), assets(2)].map((call) => call.catch((error) => error));
    await clock.advance(1_000);
    await client.close();
    expect((await Promise.all(ends)).map(isClosed)).toEqual([false, true, true]);
    expect([client.waiting, clock.timers]).toEqual([0, 0]);
  });
});

describe('the front of the queue', () => {
  /** A gate whose pacer says what the test says, with a call of priority 7 behind. */
  function gateOf(answers: readonly Partial<Admission>[], priority = -3) {
    const clock = virtualClock();
    const asked: Ask[] = [];
    const admit = (ask: Ask): Partial<Admission> => {
      asked.push(ask);
      return answers[Math.min(asked.length, answers.length) - 1] ?? {};
    };
    const behind = { size: 1, highest: 7 };
    const gate = new Gate({
      pacer: { admit } as unknown as Pacer,
      clock,
      behind,
      outlook: NO_OUTLOOK,
      longestWaitMs: 60_000,
      onStandstill: () => {},
      onNews: () => {},
      onWake: () => again(),
      parked: () => 0,
    });
    const call = {
      ask: { endpoint: 'GET /', maxWaitMs: 60_000, ...(priority && { priority }) },
      signal: undefined,
      trace: { attempts: 0, waiting() {}, queuedAt: 0 },
    };
    let again = (): void => {};
    /** Asks until the call leaves the gate. */
    const acquire = (byAge = false): Promise<GateResult> =>
      new Promise((resolve) => {
        again = () => {
          const result = gate.ask({ call, byAge });
          if (result.kind !== 'waiting') resolve(result);
        };
        again();
      });
    return { clock, gate, acquire, asked, behind };
  }
  const granted = { kind: 'granted', lease: { endpoint: 'GET /', sentAt: 0, units: 1 } } as const;
  const hold = holdUntil(1_000, () => ({ kind: 'window', why: 'full' }), { isFirm: true });
  const wait = { kind: 'wait', hold } as const;

  it('a call at the gate makes room for a more urgent one that came as it got there', async () => {
    const { acquire, asked } = gateOf([granted]);
    expect(await acquire()).toEqual({ kind: 'overtaken' });
    expect(asked).toEqual([]);
  });

  it('a call at the gate asks as the most urgent of those behind it when its time has come', async () => {
    const { acquire, asked, behind } = gateOf([granted]);
    expect(await acquire(true)).toBe(granted);
    behind.highest = -9;
    expect(await acquire(true)).toBe(granted);
    expect(asked.map(({ priority, urgency }) => [priority, urgency])).toEqual([
      [-3, 7],
      [-3, undefined],
    ]);
    const usual = gateOf([granted], 0);
    await usual.acquire(true);
    expect(usual.asked).toMatchObject([{ urgency: 7 }]);
  });

  it('a call at the gate makes room, though its time has come, where what it waits for is spared for the more urgent', async () => {
    const spared = { ...wait, hold: { ...hold, yieldsToPriority: true } } as const;
    const { clock, gate, acquire, behind } = gateOf([spared]);
    expect(await acquire(true)).toEqual({ kind: 'overtaken' });
    behind.highest = -3;
    const passage = acquire(true);
    await clock.advance(500);
    behind.highest = 1;
    gate.onArrival(1);
    expect(await passage).toEqual({ kind: 'overtaken' });
  });

  it('a call at the gate is not overtaken when its time has come, but asks as the more urgent one that comes while it waits', async () => {
    const { clock, gate, acquire, asked, behind } = gateOf([wait, wait, wait, wait, granted]);
    const passage = acquire(true);
    behind.highest = 99;
    gate.onArrival(99);
    await clock.advance(0);
    expect(asked.at(-1)?.urgency).toBe(99);
    await clock.advance(1_000);
    expect(await passage).toBe(granted);
  });
});
