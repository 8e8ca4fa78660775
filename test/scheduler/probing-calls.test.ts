import { beforeEach, describe, expect, it } from 'vitest';
import type { Call } from '../../src/http/call.ts';
import type { AttemptOutcome } from '../../src/http/retry-policy.ts';
import { type EndedRequest, Retries } from '../../src/scheduler/retries.ts';

const served: AttemptOutcome = { kind: 'answered', status: 200, isLimited: false };
const refused: AttemptOutcome = { kind: 'answered', status: 429, isLimited: true };
const full: AttemptOutcome = { ...refused, isFull: true };
const redirect: AttemptOutcome = { ...served, status: 302, redirect: new URL('https://a.test/') };
const broken: AttemptOutcome = { ...served, status: 503 };
const failed: AttemptOutcome = { kind: 'failed', code: 'ECONNRESET' };

const PATIENCE_MS = 10_000;

let retries: Retries;

/** A call of an endpoint, and what becomes of its requests. */
function aCall() {
  const call = { ask: { endpoint: 'GET /a', maxWaitMs: PATIENCE_MS } } as unknown as Call;
  const counts: EndedRequest['counts'] = { attempts: 0, refusals: 0, hops: 0 };
  return {
    counts,
    /** Whether its next request is a probe. */
    isProbe: (now = 0) => retries.isProbe(call, counts, now),
    /** Its next request ends, as that of the scheduler would. @returns whether it falls behind then. */
    request: (outcome: AttemptOutcome, { now = 0, wasDown = false, isExempt = false } = {}) => {
      counts.isProbe = retries.isProbe(call, counts, now);
      const decision = retries.decide({ call, method: 'GET', outcome, counts, isExempt, wasDown, now });
      return decision.kind === 'retry' && decision.fallsBehind === true;
    },
    end: () => retries.onEnded(call, counts),
  };
}

beforeEach(() => {
  retries = new Retries(5, () => 0);
  aCall().request(served);
});

describe('the next request of a call is a probe, which is not counted if it is refused,', () => {
  it('where another one of its endpoint has been refused as well since that served', () => {
    const [one, other] = [aCall(), aCall()];
    one.request(refused);
    expect(one.isProbe()).toBe(false);
    other.request(refused);
    expect(one.isProbe()).toBe(true);
    one.request(refused);
    expect(one.counts.refusals).toBe(1);
    aCall().request(served);
    expect(one.isProbe()).toBe(false);
    one.request(refused);
    expect(one.counts.refusals).toBe(2);
  });

  it('until the other one has ended', () => {
    const [one, other] = [aCall(), aCall()];
    one.request(refused);
    other.request(refused);
    other.end();
    expect(one.isProbe()).toBe(false);
  });

  it('but not that of a call that has not failed', () => {
    for (const one of [aCall(), aCall()]) one.request(refused);
    expect(aCall().isProbe()).toBe(false);
  });

  it('nor that of one that fails for longer than it may wait', () => {
    const [one, other] = [aCall(), aCall()];
    one.request(refused, { now: 1_000 });
    other.request(refused, { now: 1_500 });
    one.request(refused, { now: 2_000 });
    expect([one.isProbe(1_000 + PATIENCE_MS), one.isProbe(1_001 + PATIENCE_MS)]).toEqual([true, false]);
  });

  it.each([
    ['full windows refuse', full],
    ['redirects send on', redirect],
  ])('nor that of calls that %s', (_, outcome) => {
    const calls = [aCall(), aCall()];
    for (const one of calls) one.request(outcome);
    expect(calls.map((one) => one.isProbe())).toEqual([false, false]);
  });
});

describe('a call goes behind those of its priority', () => {
  it.each([
    ['that was refused once', [refused], false],
    ['that was refused twice', [refused, refused], true],
    ['that failed, and was refused', [failed, refused], true],
    ['that failed twice', [failed, failed], false],
    ['that was answered with 503 twice', [broken, broken], false],
    ['that was refused by a full window', [refused, full], false],
  ] as const)('%s: the last one says whether', (_, outcomes, fallsBehind) => {
    const call = aCall();
    expect(outcomes.map((outcome) => call.request(outcome)).at(-1)).toBe(fallsBehind);
  });

  it('that found the service down, though for the first time', () => {
    expect(aCall().request(failed, { wasDown: true })).toBe(true);
  });

  it('but not one that is refused for longer than it may wait', () => {
    const call = aCall();
    call.request(refused);
    expect(call.request(refused, { now: PATIENCE_MS + 1 })).toBe(false);
  });
});

describe('what counts of the requests of a call', () => {
  it('are its refusals, redirects and attempts apart, and no refusal of what the limits forbade', () => {
    const { counts, request } = aCall();
    request(refused);
    request(refused, { isExempt: true });
    request(redirect);
    request(failed);
    expect(counts).toMatchObject({ refusals: 1, hops: 1, attempts: 1 });
  });

  it.each([
    ['is an attempt while the call fails alone', 1, true, 2],
    ['is no attempt while others fail, too', 2, true, 1],
    ['is an attempt then where the service was not down', 2, false, 2],
  ])('a failure in an outage %s', (_, failing, wasDown, attempts) => {
    const [one, ...others] = Array.from({ length: failing }, aCall);
    for (const each of [one, ...others]) each?.request(failed);
    one?.request(failed, { wasDown });
    expect(one?.counts.attempts).toBe(attempts);
  });
});
