import { describe, expect, it } from 'vitest';
import { type Charge, type Hold, holdUntil } from '../../src/quota/admission.ts';
import { ClientWide } from '../../src/quota/client-wide.ts';
import type { QuotaSnapshot } from '../../src/quota/headers/snapshot.ts';
import { Pacer } from '../../src/quota/pacer.ts';
import { wholeShareLimit } from '../../src/quota/share-limit.ts';
import { type Answered, factsOf } from './support/builders.ts';
import { LIMITS, type Saying, Stage } from './support/script.ts';

const MINUTE: Saying = { hasDate: true, cost: 1, minuteLeft: 1_000 };

/** A stage on which each of these was the answer to one request, 100 ms under way and 100 ms after the last. */
function hearing(...sayings: readonly Saying[]): Stage {
  const stage = new Stage();
  for (const saying of sayings) {
    stage.play([
      { do: 'ask', endpoint: 'GET /a' },
      { do: 'pass', ms: 100 },
      { do: 'answer', which: 0, saying },
    ]);
  }
  return stage;
}

/** How long an admission says to wait, in milliseconds. */
function waitOf(admission: Answered, stage: Stage): number {
  return admission.kind === 'granted' ? 0 : admission.until - stage.now;
}

/** How many requests go at this instant, of no more than 30. */
function burst(stage: Stage): number {
  return Array.from({ length: 30 }, () => stage.ask()).filter(({ kind }) => kind === 'granted').length;
}

describe('a refusal', () => {
  const refusal: Saying = { hasDate: true, limited: true };

  it('that says when to come back pauses everything until then, and counts from its receipt', () => {
    const stage = hearing(MINUTE, { ...refusal, retryAfterMs: 7_000, resetInMs: 1_000 });
    const wait = stage.ask('GET /b');
    expect(waitOf(wait, stage)).toBe(7_000);
    expect(wait).toMatchObject({ mayEndOnAnswer: false, reason: { kind: 'cooldown' } });
  });

  it('that names a reset pauses everything until then', () => {
    const stage = hearing(MINUTE, { ...refusal, resetInMs: 20_000 });
    expect(waitOf(stage.ask('GET /b'), stage)).toBeGreaterThanOrEqual(20_000);
    expect(waitOf(stage.ask('GET /b'), stage)).toBeLessThan(21_500);
  });

  it('that says which window is full leaves it to that window', () => {
    const stage = hearing(MINUTE, { ...refusal, minuteLeft: 0 });
    expect(stage.ask()).toMatchObject({ kind: 'wait', reason: { kind: 'window', window: 'minute' } });
  });

  it('that says nothing pauses for a second, and then one goes first', () => {
    const stage = hearing(MINUTE, refusal);
    expect(waitOf(stage.ask(), stage)).toBe(1_000);
    stage.play([{ do: 'pass', ms: 1_000 }]);
    expect(burst(stage)).toBe(1);
    expect(stage.ask()).toMatchObject({ mayEndOnAnswer: true, reason: { kind: 'half-open' } });
  });

  it('that names a cost above a window of which something is left ends such requests, and no others', () => {
    const stage = hearing(MINUTE);
    stage.play([
      { do: 'ask', endpoint: 'GET /costly' },
      { do: 'pass', ms: 100 },
      { do: 'answer', which: 0, saying: { ...refusal, cost: 99, minuteLeft: 900 } },
      { do: 'pass', ms: 2_000 },
    ]);
    expect(stage.ask('GET /costly')).toMatchObject({ kind: 'wait', until: Infinity });
    expect(stage.ask('GET /a').kind).toBe('granted');
  });
});

describe('an answer that was not refused', () => {
  it('pauses everything too where it says when to come back', () => {
    const stage = hearing({ ...MINUTE, retryAfterMs: 2_000 });
    expect(waitOf(stage.ask(), stage)).toBe(2_000);
  });

  it('pauses nothing for longer than an hour, whatever it says', () => {
    for (const retryAfterMs of [3_600_000, 3_600_001, 30 * 86_400_000]) {
      const stage = hearing({ ...MINUTE, retryAfterMs });
      expect(waitOf(stage.ask(), stage)).toBe(3_600_000);
    }
  });

  it('without any quota leaves what is known in force', () => {
    const stage = hearing({ ...MINUTE, minuteLeft: 500 }, {}, {});
    expect(stage.pacer.view(stage.now).windows).toMatchObject([
      { window: 'minute', limit: LIMITS.minute, remaining: 10, headroom: 8 },
    ]);
  });

  it('changes a limit at once, up or down', () => {
    const stage = hearing(MINUTE);
    const said = (limit: number, remaining: number): number | undefined => {
      const quota: QuotaSnapshot = { ...stage.quota(MINUTE), stacks: { cost: 1, minute: { limit, remaining } } };
      stage.play([{ do: 'pass', ms: 10 }]);
      const admission = stage.ask();
      if (admission.kind === 'granted') stage.settle(admission.lease, { kind: 'answered', quota, limited: false });
      return stage.pacer.view(stage.now).windows[0]?.headroom;
    };
    expect(said(50, 48)).toBe(48);
    expect(said(5, 2)).toBe(2);
  });
});

describe('a charge', () => {
  it('is what the caller says, where the caller knows better than experience', () => {
    const stage = hearing({ ...MINUTE, cost: 2 });
    expect(stage.ask()).toMatchObject({ lease: { units: 2 } });
    expect(stage.ask('GET /a', 5)).toMatchObject({ lease: { units: 5 } });
  });

  it('that is stated and exceeds the whole window never fits', () => {
    const stage = hearing({ ...MINUTE, minuteLeft: 950 });
    expect(stage.ask('GET /a', 99)).toMatchObject({ kind: 'wait', until: Infinity });
    expect(stage.ask('GET /a', 99)).toMatchObject({
      isFirm: true,
      reason: { limit: 20, why: expect.stringContaining('never holds more than 20') },
    });
  });

  it('of nothing always fits', () => {
    expect(hearing({ ...MINUTE, minuteLeft: 0 }).ask('GET /a', 0).kind).toBe('granted');
  });
});

describe('a window', () => {
  it('of no units at all never has room', () => {
    const stage = new Stage();
    const admission = stage.ask();
    const quota: QuotaSnapshot = { ...stage.quota(MINUTE), stacks: { minute: { limit: 0, remaining: 0 } } };
    if (admission.kind === 'granted') stage.settle(admission.lease, { kind: 'answered', quota, limited: false });
    expect(stage.ask()).toMatchObject({ kind: 'wait', until: Infinity, reason: { headroom: 0 } });
  });

  it('of which a process has a part waits for that part', () => {
    const check = (_: Charge, now: number): Hold => holdUntil(now + 500, () => ({ kind: 'share', why: 'used' }));
    const part = { ...wholeShareLimit, check };
    const pacer = new Pacer({ clientWide: new ClientWide(30), leaseMs: 9_000, shareLimit: part });
    expect(factsOf(pacer.admit({ endpoint: 'GET /a', maxWaitMs: 0 }, 1_000))).toMatchObject({
      kind: 'wait',
      until: 1_500,
      reason: { kind: 'share' },
    });
  });

  it('of seconds is spent evenly from its half on until it has shown its shape', () => {
    const stage = hearing({ hasDate: true, cost: 1, secondLeft: 1_000 });
    expect(burst(stage)).toBe(LIMITS.second / 2);
    expect(waitOf(stage.ask(), stage)).toBeCloseTo(1_000 / LIMITS.second, 3);
    expect(stage.ask()).toMatchObject({ reason: { why: expect.stringContaining('until its shape is known') } });
  });

  it('of seconds is no fuller by a request of unknown cost than that was seen to cost', () => {
    const saying: Saying = { hasDate: true, cost: 1, secondLeft: 1_000 };
    const stage = hearing(saying);
    stage.play([
      { do: 'ask', endpoint: 'GET /b' },
      { do: 'pass', ms: 100 },
      { do: 'answer', which: 0, saying },
    ]);
    expect(burst(stage)).toBeGreaterThanOrEqual(LIMITS.second / 2 - 1);
  });

  it('that only the headers of every API describe is one per limit, and no more than sixteen of them', () => {
    const stage = new Stage();
    for (let limit = 1; limit <= 40; limit++) {
      const admission = stage.ask(`GET /${limit}`);
      if (admission.kind !== 'granted') throw new Error('nothing holds a new endpoint back');
      const quota = { ...stage.quota({ hasDate: true, resetInMs: 30_000 }), limit: 100 + limit, remaining: 100 };
      stage.settle(admission.lease, { kind: 'answered', quota, limited: false });
      stage.play([{ do: 'pass', ms: 10 }]);
    }
    const { windows } = stage.pacer.view(stage.now);
    expect(windows.map(({ window }) => window)).toEqual(Array(16).fill('endpoint'));
  });
});

describe('the view', () => {
  it('is plain data that says all', () => {
    const stage = hearing({ ...MINUTE, secondLeft: 1_000, endpointLeft: 500, resetInMs: 30_000 });
    stage.ask();
    const view = stage.pacer.view(stage.now);
    expect(JSON.parse(JSON.stringify(view))).toEqual(view);
    expect(view).toMatchObject({
      windows: [
        { window: 'second', limit: 6, remaining: 6, headroom: 5 },
        { window: 'minute', limit: 20, remaining: 20, headroom: 19 },
        { window: 'endpoint', limit: 13, remaining: 6, headroom: 5, shapes: [] },
      ],
      inFlight: 1,
      held: 1,
    });
    expect(view.lead?.most).toBeGreaterThan(view.lead?.least ?? Infinity);
  });

  it('names a pause as long as it is in force', () => {
    const stage = hearing({ ...MINUTE, retryAfterMs: 2_000 });
    expect(stage.pacer.view(stage.now).cooldown).toEqual({
      until: stage.now + 2_000,
      why: 'the service asked for a pause',
    });
    stage.play([{ do: 'pass', ms: 2_000 }]);
    expect(stage.pacer.view(stage.now).cooldown).toBeUndefined();
  });
});
