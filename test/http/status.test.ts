import { describe, expect, it } from 'vitest';
import { isGatewayFailure, isLimitation } from '../../src/http/status.ts';
import { readQuota } from '../../src/quota/headers/snapshot.ts';

/** Every status that an answer can have. */
const STATUSES = Array.from({ length: 400 }, (_, at) => at + 200);

describe('an answer', () => {
  it('of a gateway, or of a service that does not serve yet, counts towards an outage, and no other does', () => {
    const failures = [425, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530];
    expect(STATUSES.filter(isGatewayFailure)).toEqual(failures);
  });

  const quotaOf = (headers: Record<string, string>) => readQuota(new Headers(headers), 0);
  const NOTHING_LEFT = [{ 'ratelimit-remaining': '0' }, { 'x-ratelimit-remaining-stacks-minute': '0' }];

  it.each([
    [429, {}],
    [403, { 'retry-after': '7' }],
    [400, { 'retry-after': '7' }],
    [503, { 'retry-after': '0' }],
  ])('with status %i and headers %j refuses because of a limit, whatever was asked', (status, headers) => {
    for (const isSafe of [true, false]) expect(isLimitation(status, quotaOf(headers), isSafe)).toBe(true);
  });

  it.each([403, 503])('with status %i does so, too, if nothing is left and asking again does no harm', (status) => {
    for (const headers of NOTHING_LEFT)
      expect([true, false].map((isSafe) => isLimitation(status, quotaOf(headers), isSafe))).toEqual([true, false]);
    expect(isLimitation(status, quotaOf({ 'x-ratelimit-remaining-stacks-minute': '1' }), true)).toBe(false);
  });

  it.each([200, 304, 400, 401, 404, 500, 502])('with status %i does not because it was the last unit', (status) => {
    for (const headers of NOTHING_LEFT) expect(isLimitation(status, quotaOf(headers), true)).toBe(false);
  });

  it('that succeeds never does, though it asks for a pause', () => {
    expect(isLimitation(200, quotaOf({ 'retry-after': '7' }), true)).toBe(false);
  });
});
