import { describe, expect, it } from 'vitest';
import { readFamilies, readQuota } from '../../src/index.ts';

describe('readQuota', () => {
  it('reads the headers of a response', () => {
    const headers = new Headers({
      'x-ratelimit-limit-stacks-minute': '60',
      'x-ratelimit-remaining-stacks-minute': '57',
    });
    expect(readQuota(headers, 7)).toMatchObject({ receivedAt: 7, stacks: { minute: { limit: 60, remaining: 57 } } });
  });

  it.for<[unknown, unknown, string]>([
    [undefined, 0, 'headers must be the Headers of a response, not undefined'],
    [null, 0, 'headers must be the Headers of a response, not null'],
    [5, 0, 'headers must be the Headers of a response, not 5'],
    [new Response(), 0, 'headers must be the Headers of a response, not an object (Response)'],
    [{ 'ratelimit-limit': '5' }, 0, 'headers must be the Headers of a response, not an object'],
    [new Headers(), undefined, 'receivedAt must be milliseconds since the Unix epoch, not undefined'],
    [new Headers(), new Date(0), 'receivedAt must be milliseconds since the Unix epoch, not 1970-01-01T00:00:00.000Z'],
  ])('of %o at %o is an error', ([headers, receivedAt, message]) => {
    expect(() => readQuota(headers as Headers, receivedAt as number)).toThrow(message);
  });
});

describe('readFamilies', () => {
  it('reads a snapshot', () => {
    const quota = readQuota(new Headers({ 'x-ratelimit-cost-bitcoin': '2' }), 0);
    expect(readFamilies(quota)).toMatchObject({ bitcoin: { cost: 2 } });
  });

  it.for([undefined, null, 5, {}])('of %o is an error', (quota) => {
    expect(() => readFamilies(quota as never)).toThrow('quota must be a snapshot such as the quota of a result, not');
  });
});
