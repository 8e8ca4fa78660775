import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { familiesOf } from '../../../src/quota/headers/families.ts';
import { readQuota } from '../../../src/quota/headers/snapshot.ts';
import { runs } from '../../support/deep.ts';

const read = (headers: Record<string, string>) =>
  JSON.parse(JSON.stringify(familiesOf(readQuota(new Headers(headers), 0))));

describe('the families of a response', () => {
  it.for<[what: string, headers: Record<string, string>, families: object]>([
    ['are none where only the family is named that the client paces by', { 'x-ratelimit-cost-stacks': '1' }, {}],
    [
      'may be others',
      {
        'X-RateLimit-Cost-Bitcoin': '3',
        'x-ratelimit-limit-bitcoin-minute': '60',
        'x-ratelimit-remaining-bitcoin-minute': '57',
        'x-ratelimit-remaining-token-metadata-day': '5',
      },
      {
        bitcoin: { cost: 3, windows: { minute: { limit: 60, remaining: 57 } }, malformed: [] },
        'token-metadata': { windows: { day: { remaining: 5 } }, malformed: [] },
      },
    ],
    [
      'may have periods that the client does not know, also without the name of the family',
      { 'x-ratelimit-limit-stacks-week': '9', 'x-ratelimit-remaining-fortnight': '7' },
      { stacks: { windows: { week: { limit: 9 }, fortnight: { remaining: 7 } }, malformed: [] } },
    ],
    [
      'read -1 as nothing left, and the more cautious of two values',
      { 'x-ratelimit-remaining-bitcoin-month': '-1', 'x-ratelimit-limit-bitcoin-hour': '5, 3' },
      { bitcoin: { windows: { month: { remaining: 0 }, hour: { limit: 3 } }, malformed: [] } },
    ],
    [
      'name headers that make no sense',
      { 'x-ratelimit-cost-bitcoin': 'much', 'x-ratelimit-limit-bitcoin-minute': '1e3' },
      { bitcoin: { windows: {}, malformed: ['x-ratelimit-cost-bitcoin', 'x-ratelimit-limit-bitcoin-minute'] } },
    ],
    [
      'are named by no header that states neither units nor a cost',
      { 'ratelimit-policy': '"minute";q=500;w=60', 'x-ratelimit-reset-bitcoin': '5' },
      {},
    ],
    [
      'may have all that a window holds left, and state the limit last',
      { 'x-ratelimit-remaining-bitcoin-minute': '5', 'x-ratelimit-limit-bitcoin-minute': '5' },
      { bitcoin: { windows: { minute: { limit: 5, remaining: 5 } }, malformed: [] } },
    ],
    [
      'name the one header of a pair that makes no sense, and keep the other',
      { 'x-ratelimit-limit-bitcoin-minute': '5', 'x-ratelimit-remaining-bitcoin-minute': 'few' },
      { bitcoin: { windows: { minute: { limit: 5 } }, malformed: ['x-ratelimit-remaining-bitcoin-minute'] } },
    ],
    [
      'read a limit rounded down, and none below zero',
      { 'x-ratelimit-limit-bitcoin-minute': '5.9', 'x-ratelimit-limit-bitcoin-hour': '-1' },
      { bitcoin: { windows: { minute: { limit: 5 } }, malformed: ['x-ratelimit-limit-bitcoin-hour'] } },
    ],
    [
      'name a pair of which more remains than the limit',
      { 'x-ratelimit-limit-bitcoin-minute': '5', 'x-ratelimit-remaining-bitcoin-minute': '6' },
      {
        bitcoin: {
          windows: {},
          malformed: ['x-ratelimit-limit-bitcoin-minute', 'x-ratelimit-remaining-bitcoin-minute'],
        },
      },
    ],
  ])('%s', ([, headers, families]) => {
    expect(read(headers)).toEqual(families);
  });

  it('name both of such a pair in whichever order they are listed', () => {
    const names = ['x-ratelimit-remaining-bitcoin-minute', 'x-ratelimit-limit-bitcoin-minute'] as const;
    for (const [first, second] of [names, names.toReversed()] as const) {
      const value = (name: string | undefined): string => (name === names[0] ? '6' : '5');
      const unrecognised = { [`${first}`]: value(first), [`${second}`]: value(second) };
      const { bitcoin } = familiesOf({ unrecognised });
      expect(bitcoin?.malformed.toSorted()).toEqual(names.toSorted());
    }
  });

  it('are read from whatever is sent', () => {
    const part = fc.constantFrom('limit', 'remaining', 'cost', '__proto__', 'bitcoin', 'minute', '');
    const name = fc.array(part, { maxLength: 5 }).map((parts) => ['x-ratelimit', ...parts].join('-'));
    const value = fc.oneof(fc.integer().map(String), fc.string());
    fc.assert(
      fc.property(fc.dictionary(name, value), (unrecognised) => {
        for (const { cost = 0, windows } of Object.values(familiesOf({ unrecognised }))) {
          const numbers = Object.values(windows).flatMap(({ limit = 0, remaining = 0 }) => [limit, remaining]);
          expect([cost, ...numbers].every((number) => number >= 0)).toBe(true);
        }
      }),
      { numRuns: runs(200, 1_000) },
    );
  });
});
