import { describe, expect, it } from 'vitest';
import { EachEndpoint, latestEnd } from '../../../src/quota/limits/each-endpoint.ts';

/** What some endpoints have of their own, made in this order. */
function madeFor(count: number): EachEndpoint<{ readonly until: number }> {
  const each = new EachEndpoint((endpoint) => ({ until: Number(endpoint) }));
  for (let endpoint = 0; endpoint < count; endpoint++) each.of(String(endpoint));
  return each;
}

describe('what each endpoint has of its own', () => {
  it('is made once, and kept beside that of others', () => {
    const each = madeFor(3);
    const first = each.get('0');
    expect(first).toEqual({ until: 0 });
    expect(each.of('0')).toBe(first);
    expect([...each.all].map(({ until }) => until)).toEqual([0, 1, 2]);
    expect([each.get('3'), each.get(undefined)]).toEqual([undefined, undefined]);
  });

  it('is kept for 64 endpoints; of one more the first is forgotten', () => {
    const each = madeFor(64);
    expect([...each.all]).toHaveLength(64);
    each.of('64');
    expect([...each.all]).toHaveLength(64);
    expect([each.get('0'), each.get('1')?.until, each.get('64')?.until]).toEqual([undefined, 1, 64]);
  });

  it('ends with the last of them, or has never begun', () => {
    expect([latestEnd(madeFor(0)), latestEnd(madeFor(3))]).toEqual([-Infinity, 2]);
  });
});
