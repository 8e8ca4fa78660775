import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AttemptCounts,
  type AttemptOutcome,
  decideRetry,
  isSafe,
  type RetryPolicy,
} from '../../src/http/retry-policy.ts';

const policy = (changes: Partial<RetryPolicy> = {}): RetryPolicy => ({
  maxAttempts: 3,
  isSafe: true,
  random: () => 0.5,
  ...changes,
});
const tries = (changes: Partial<AttemptCounts> = {}): AttemptCounts => ({
  attempts: 1,
  refusals: 0,
  hops: 0,
  ...changes,
});
const answered = (status: number): AttemptOutcome => ({ kind: 'answered', status, isLimited: false });
const limited = (status: number): AttemptOutcome => ({ kind: 'answered', status, isLimited: true });
const failed = (code: string): AttemptOutcome => ({ kind: 'failed', code });
const redirected = (to: string): AttemptOutcome => ({ ...answered(302), redirect: new URL(to) }) as AttemptOutcome;

/** Every status that an answer can have. */
const STATUSES = Array.from({ length: 400 }, (_, at) => at + 200);
const PASSING = [408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530];

describe('an answer', () => {
  it.each(PASSING)('of %i is asked for again, paid from the budget', (status) => {
    expect(decideRetry(answered(status), tries(), policy())).toEqual({ kind: 'retry', afterMs: 250, isPaid: true });
  });

  it('of any other status is delivered at once', () => {
    for (const status of STATUSES.filter((one) => !PASSING.includes(one))) {
      expect([status, decideRetry(answered(status), tries(), policy())]).toEqual([status, { kind: 'deliver' }]);
    }
  });

  it('is delivered whatever it is when asking again may do harm', () => {
    for (const status of STATUSES) {
      expect(decideRetry(answered(status), tries(), policy({ isSafe: false }))).toEqual({ kind: 'deliver' });
    }
  });

  it.each(PASSING)('of %i is delivered when the attempts are used up', (status) => {
    for (const maxAttempts of [1, 2, 3, 10]) {
      const verdictAfter = (attempts: number) =>
        decideRetry(answered(status), tries({ attempts }), policy({ maxAttempts }));
      for (let attempts = 1; attempts < maxAttempts; attempts++) expect(verdictAfter(attempts).kind).toBe('retry');
      expect(verdictAfter(maxAttempts)).toEqual({ kind: 'deliver' });
    }
  });
});

describe('a failure', () => {
  const passing = [
    'ECONNRESET',
    'ECONNREFUSED',
    'EPIPE',
    'ETIMEDOUT',
    'EAI_AGAIN',
    'ENOTFOUND',
    'UND_ERR_SOCKET',
    'ERR_HTTP2_STREAM_ERROR',
    'ERR_HTTP2_GOAWAY_SESSION',
    'TIMEOUT',
  ];
  const lasting = [
    ...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'ERR_TLS_CERT_ALTNAME_INVALID', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ...['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
    ...['HOSTNAME_MISMATCH', 'INVALID_CA', 'REDIRECT', 'TOO_LARGE'],
    ...['KEY_REFUSED', 'UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'ERR_INVALID_URL'],
    ...['ERR_ACCESS_DENIED', 'UND_ERR_CLOSED', 'UND_ERR_DESTROYED'],
    'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
  ];

  it.each([...passing, 'NETWORK'])('by %s is tried again until the attempts are used up, then given up', (code) => {
    expect(decideRetry(failed(code), tries(), policy())).toEqual({ kind: 'retry', afterMs: 250, isPaid: true });
    expect(decideRetry(failed(code), tries({ attempts: 3 }), policy())).toEqual({ kind: 'fail' });
  });

  it.each(lasting)('by %s is given up at once, for a repetition cannot mend it', (code) => {
    expect(decideRetry(failed(code), tries(), policy())).toEqual({ kind: 'fail' });
  });

  it('is given up when trying again may do harm', () => {
    expect(decideRetry(failed('ECONNRESET'), tries(), policy({ isSafe: false }))).toEqual({ kind: 'fail' });
  });
});

describe('a pause before the next attempt', () => {
  it('lies anywhere between nothing and a bound that doubles from half a second up to eight', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.constantFrom(...PASSING), fc.integer({ min: 1, max: 100 }), random, (status, attempts, chance) => {
        const verdict = decideRetry(
          answered(status),
          tries({ attempts }),
          policy({ maxAttempts: 1_000, random: () => chance }),
        );
        const bound = Math.min(8_000, 250 * 2 ** attempts);
        expect(verdict).toEqual({ kind: 'retry', afterMs: bound * chance, isPaid: true });
      }),
    );
  });
});

describe('a refusal because of a limit', () => {
  it.each([429, 403, 503, 400])('with status %i goes again at once and unpaid, whatever else was tried', (status) => {
    for (const attempts of [0, 1, 2, 3, 30]) {
      for (const isSafe of [true, false]) {
        const verdict = decideRetry(limited(status), tries({ attempts, refusals: 1 }), policy({ isSafe }));
        expect(verdict).toEqual({ kind: 'retry', afterMs: 0, isPaid: false });
      }
    }
  });

  it('is the caller’s when it is the fifth', () => {
    const kinds = [1, 2, 3, 4, 5, 6].map((refusals) => decideRetry(limited(429), tries({ refusals }), policy()).kind);
    expect(kinds).toEqual(['retry', 'retry', 'retry', 'retry', 'fail', 'fail']);
  });
});

describe('a redirect', () => {
  const target = 'https://api.mock.test/elsewhere';

  it('is followed at once and unpaid', () => {
    const verdict = decideRetry(redirected(target), tries({ attempts: 0, hops: 1 }), policy());
    expect(verdict).toEqual({ kind: 'retry', afterMs: 0, isPaid: false, url: new URL(target) });
  });

  it('is followed three times and no more', () => {
    const kinds = [1, 2, 3, 4, 5].map((hops) => decideRetry(redirected(target), tries({ hops }), policy()).kind);
    expect(kinds).toEqual(['retry', 'retry', 'retry', 'fail', 'fail']);
  });
});

it('a GET and a HEAD are safe to send twice, and nothing else is', () => {
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
  expect(methods.filter(isSafe)).toEqual(['GET', 'HEAD']);
});
