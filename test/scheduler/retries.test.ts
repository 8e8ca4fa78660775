import { describe, expect, it } from 'vitest';
import type { Call } from '../../src/http/call.ts';
import type { AttemptOutcome, RetryDecision } from '../../src/http/retry-policy.ts';
import { Retries } from '../../src/scheduler/retries.ts';

const answered = (status: number, rest: object = {}): AttemptOutcome => ({
  kind: 'answered',
  status,
  isLimited: false,
  ...rest,
});
const failed: AttemptOutcome = { kind: 'failed', code: 'ECONNRESET' };

interface Rest {
  readonly method?: string;
  readonly endpoint?: string;
  readonly maxWaitMs?: number;
  readonly maxQueueMs?: number;
  readonly isOneShot?: boolean;
  readonly isInspection?: boolean;
}

/** Retries whose back-off is none. */
function retries() {
  const all = new Retries(3, () => 0);
  const decide = (outcome: AttemptOutcome, rest: Rest = {}) => {
    const { method = 'GET', endpoint = 'GET /a', maxWaitMs = Infinity, maxQueueMs, ...ask } = rest;
    const call = { ask: { endpoint, maxWaitMs, ...ask }, maxQueueMs } as unknown as Call;
    const counts = { attempts: 0, refusals: 0, hops: 0 };
    return all.decide({ call, method, outcome, counts, isExempt: false, wasDown: false, now: 0 });
  };
  return { decide, spend: () => Array.from({ length: 10 }, () => decide(failed)) };
}

const waitOf = (decision: RetryDecision): number => (decision.kind === 'retry' ? decision.afterMs : Number.NaN);

describe('the budget of an endpoint', () => {
  it('pays for no other one', () => {
    const { decide, spend } = retries();
    spend();
    expect(waitOf(decide(failed))).toBe(1_000);
    expect(waitOf(decide(failed, { endpoint: 'GET /b' }))).toBe(0);
  });

  it.each<[string, AttemptOutcome, string, number]>([
    ['a success', answered(200), 'GET', 0],
    ['a 304', answered(304), 'GET', 0],
    ['a 404, which is an answer', answered(404), 'GET', 0],
    ['a 501, which is delivered', answered(501), 'GET', 1_000],
    ['a failed write', failed, 'POST', 1_000],
    ['a write that was answered with 500', answered(500), 'POST', 1_000],
    ['a refusal', answered(429, { isLimited: true }), 'GET', 1_000],
    ['a refusal that looks like a success', answered(200, { isLimited: true }), 'GET', 1_000],
    ['a redirect', answered(302, { redirect: new URL('https://a.test/') }), 'GET', 1_000],
  ])('five times %s: the next retry waits accordingly', (_, outcome, method, waitMs) => {
    const { decide, spend } = retries();
    expect(spend().map(waitOf)).toEqual(Array(10).fill(0));
    for (let nth = 0; nth < 5; nth++) decide(outcome, { method });
    expect(waitOf(decide(failed))).toBe(waitMs);
  });
});

describe('a call is not attempted again', () => {
  it.each([
    ['whose body is gone', { isOneShot: true }],
    ['that cannot wait until the budget has a retry for it', { maxWaitMs: 999 }],
    ['that would be sent too late then', { maxQueueMs: 999 }],
  ])('%s: it has the answer, or else the failure', (_, rest) => {
    const { decide, spend } = retries();
    spend();
    expect([decide(answered(503), rest), decide(failed, rest)]).toEqual([{ kind: 'deliver' }, { kind: 'fail' }]);
    expect(waitOf(decide(failed, { maxWaitMs: 1_000, maxQueueMs: 1_000 }))).toBe(1_000);
  });

  it('that inspects the quota: a refusal has told it, and another answer or a failure may not have', () => {
    const { decide } = retries();
    const inspection = { isInspection: true };
    expect(decide(answered(429, { isLimited: true }), inspection)).toEqual({ kind: 'deliver' });
    expect(decide(answered(429, { isLimited: true }))).toMatchObject({ kind: 'retry' });
    expect(decide(answered(503), inspection)).toMatchObject({ kind: 'retry' });
    expect(decide(failed, inspection)).toMatchObject({ kind: 'retry' });
  });
});
