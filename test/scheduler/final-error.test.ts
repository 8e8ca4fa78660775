import { describe, expect, it } from 'vitest';
import type { TracedCall } from '../../src/http/attempt.ts';
import { Failure } from '../../src/http/failure.ts';
import type { AttemptOutcome } from '../../src/http/retry-policy.ts';
import type { Pacer } from '../../src/quota/pacer.ts';
import { finalError } from '../../src/scheduler/final-error.ts';
import { virtualClock } from '../../src/testing/index.ts';

const ENDPOINT = 'GET /extended/v1/info';
const URL = 'https://api.example/extended/v1/info';
const NOON = Date.UTC(2026, 0, 15, 12);
const cause = new Error('reset by peer');

/** The error of a call after two attempts, a second after noon. */
async function errorOf(outcome: AttemptOutcome, failure?: Failure, until = -Infinity, attempts = 2) {
  const clock = virtualClock({ wall: NOON });
  await clock.advance(1_000);
  const call = { ask: { endpoint: ENDPOINT }, trace: { attempts } } as TracedCall;
  const request = { method: 'GET', url: URL };
  const pacer = { pausedUntilFor: () => until, lastQuota: undefined } as unknown as Pacer;
  return finalError({ call, request, outcome, ...(failure && { failure }), clock, pacer });
}

const refused: AttemptOutcome = { kind: 'answered', status: 429, isLimited: true };
const common = { endpoint: ENDPOINT, url: URL };

describe('the error of a call that is not attempted again', () => {
  it('names what failed, and why', async () => {
    const failed = { kind: 'failed', code: 'ECONNRESET' } as const;
    const told = { ...common, name: 'ConnectionError', code: 'ECONNRESET', attempts: 2 };
    expect(await errorOf(failed, new Failure('ECONNRESET', cause))).toMatchObject({ ...told, cause });
    expect(await errorOf(failed)).toMatchObject(told);
  });

  it('names a redirect that is not followed', async () => {
    const redirect = { kind: 'answered', status: 302, isLimited: false } as const;
    expect(await errorOf(redirect)).toMatchObject({
      ...common,
      name: 'ConnectionError',
      code: 'REDIRECT',
      attempts: 2,
    });
  });

  it.each([
    ['in force', 3_500.4, 2_501],
    ['over', 400, 1_000],
    ['none', undefined, 1_000],
  ])('says when a pause is over that is %s, or to retry in a second', async (_, until, retryAfterMs) => {
    const error = await errorOf(refused, undefined, until);
    expect(error).toMatchObject({ ...common, name: 'QuotaExhaustedError', window: 'cooldown', retryAfterMs });
    expect(error).toMatchObject({ retryAt: new Date(NOON + 1_000 + retryAfterMs) });
    expect(error.message).toContain('refused the call repeatedly with 429, although');
  });
});
