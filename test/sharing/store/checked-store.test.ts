import { describe, expect, it } from 'vitest';
import { checkedStore } from '../../../src/sharing/store/checked-store.ts';
import { memoryStore } from '../../../src/sharing/store/memory-store.ts';
import type { ShareStore } from '../../../src/sharing/store/store.ts';
import { asking, BEGIN } from '../../../src/testing/share/asking.ts';
import { SHORT_CASES, storeContract } from '../store.contract.ts';

const METHODS = ['take', 'share', 'look', 'resume', 'endLook', 'pause', 'resumed'] as const;

storeContract('a store that a caller has written', (now) => checkedStore(memoryStore(now)), SHORT_CASES);

describe('a store that a caller has written', () => {
  const amounts = {
    sequence: 1,
    now: BEGIN,
    version: 0,
    pauseMs: 0,
    lookMs: 0,
    others: 0,
    live: 0,
    freeMs: 0,
    usual: 0,
  };
  const answer = { ...amounts, facts: undefined, urgent: { units: 0, forMs: 0 }, granted: [5], used: [5] };
  const shared = { version: 0, now: BEGIN, facts: new Map() };

  it.each(METHODS)('is none without the method %s', (name) => {
    expect(() => storeWith({ [name]: undefined })).toThrow(
      `storeOf must return a store with the methods ${METHODS.join(', ')}, not `,
    );
  });

  it.each([true, undefined])('is near if its isNear is %s', (isNear) => {
    expect(storeWith({ isNear }).isNear).toBe(isNear);
  });

  it('need not count usual units, as one of an earlier version', async () => {
    const { usual: _, ...earlier } = answer;
    expect(await storeWith({ take: async () => earlier }).take(asking())).toEqual(earlier);
  });

  const lists = [[], [5, 5], [-1], ['5'], '5', undefined];
  const wrong: readonly (readonly [name: (typeof METHODS)[number], returned: unknown])[] = [
    ...[null, 'over'].map((other) => ['take', other] as const),
    ...Object.keys(amounts).flatMap((name) =>
      [-1, Number.NaN, '1'].map((amount) => ['take', { ...answer, [name]: amount }] as const),
    ),
    ...lists.map((granted) => ['take', { ...answer, granted }] as const),
    ...lists.map((used) => ['take', { ...answer, used }] as const),
    ...[undefined, { units: 0 }, { forMs: 0 }].map((urgent) => ['take', { ...answer, urgent }] as const),
    ['take', { ...answer, facts: { 'l:minute': '500' } }],
    ['share', null],
    ...Object.keys(shared).map((name) => ['share', { ...shared, [name]: -1 }] as const),
    ...[undefined, -1, 'free'].map((other) => ['look', other] as const),
    ...[undefined, Infinity, 'granted'].map((other) => ['resume', other] as const),
  ];

  it.each(wrong)('fails if %s returns %j', async (name, returned) => {
    const store = storeWith({ [name]: async () => returned });
    await expect(call(store, name)).rejects.toThrow(`${name} must return `);
  });

  it.each(['endLook', 'pause', 'resumed'] as const)('fails if %s does', async (name) => {
    await expect(call(storeWith({ [name]: () => Promise.reject(new Error('away')) }), name)).rejects.toThrow('away');
  });
});

function storeWith(own: object): ShareStore {
  return checkedStore(
    Object.assign(
      memoryStore(() => BEGIN),
      own,
    ),
  );
}

function call(store: ShareStore, name: (typeof METHODS)[number]): Promise<unknown> {
  const calls = {
    take: () => store.take(asking()),
    share: () => store.share(0, new Map()),
    look: () => store.look('a'),
    endLook: () => store.endLook('a'),
    pause: () => store.pause(1),
    resume: () => store.resume('a'),
    resumed: () => store.resumed(),
  };
  return calls[name]();
}
