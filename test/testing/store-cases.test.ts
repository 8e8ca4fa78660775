import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/sharing/store/memory-store.ts';
import type { Answer, ShareAsk, ShareStore } from '../../src/sharing/store/store.ts';
import { textStore } from '../../src/sharing/store/text-store.ts';
import type { MakeStore, StoreCase } from '../../src/testing/share/store-case.ts';
import { storeCases } from '../../src/testing/share/store-cases.ts';

function caseOf(title: string): StoreCase {
  const found = storeCases.find((one) => one.title === title);
  if (!found) throw new Error(`There is no case "${title}".`);
  return found;
}

/** A store with another `take`. */
function taking(take: (ask: ShareAsk, store: ShareStore) => Promise<Answer | 'stale'>): MakeStore {
  return (now) => {
    const store = memoryStore(now);
    return {
      look: store.look.bind(store),
      endLook: store.endLook.bind(store),
      pause: store.pause.bind(store),
      resume: store.resume.bind(store),
      resumed: store.resumed.bind(store),
      share: store.share.bind(store),
      take: (ask) => take(ask, store),
    };
  };
}

describe('the cases of a store', () => {
  it('are all passed by a store that is right', async () => {
    await Promise.all(storeCases.map(({ check }) => check(memoryStore)));
    expect(storeCases.length).toBeGreaterThan(50);
  });

  it('have titles that differ', () => {
    expect(new Set(storeCases.map(({ title }) => title)).size).toBe(storeCases.length);
  });

  it.each<[string, MakeStore, string]>([
    [
      'hands out one unit too many',
      taking(async (ask, store) => {
        const answer = await store.take(ask);
        return answer === 'stale' ? answer : { ...answer, granted: answer.granted.map((units) => units && units + 1) };
      }),
      'grants no more than there is to asks that come at the same time',
    ],
    [
      'forgets the claims of a process that asks again',
      taking((ask, store) => store.take({ ...ask, slots: ask.slots.map((slot) => ({ ...slot, total: 0 })) })),
      'books a total once, however often it is told',
    ],
    [
      'books a total each time that it is told',
      taking((ask, store) => store.take({ ...ask, member: `${ask.member}${ask.sequence}` })),
      'books a total once, however often it is told',
    ],
    [
      'has a clock that counts in seconds',
      (now) => memoryStore(() => Math.floor(now() / 1_000)),
      'answers with its own clock and the sequence of the ask',
    ],
    ['has a clock of its own', () => memoryStore(Date.now), 'answers with its own clock and the sequence of the ask'],
    [
      'does not hear what the service has counted',
      taking((ask, store) =>
        store.take({ ...ask, windows: ask.windows.map((window) => ({ ...window, reading: -1 })) }),
      ),
      'counts what the service counted beyond all claims as used by strangers, at most the limit',
    ],
    [
      'reads and replaces its text without a lock',
      (now) => {
        let text: string | undefined;
        return textStore(async (change) => {
          const read = text;
          await Promise.resolve();
          text = change(read, now());
        });
      },
      'grants no more than there is to asks that come at the same time',
    ],
    [
      'forgets everything between two operations',
      (now) =>
        textStore(async (change) => {
          change(undefined, now());
        }),
      'answers that an ask is stale whose sequence does not rise, and changes nothing',
    ],
    [
      'forgets the facts with their version, after an hour without an ask',
      (now) => {
        let [store, usedAt] = [memoryStore(now), now()];
        return {
          ...taking(async (ask) => {
            if (now() - usedAt >= 3_600_000) store = memoryStore(now);
            usedAt = now();
            return await store.take(ask);
          })(now),
          share: (version, tell) => store.share(version, tell),
        };
      },
      'keeps the version and the facts as long as there are asks, and forgets the version an hour after the last, but no fact',
    ],
  ])('are not all passed by a store that %s', async (_, makeStore, title) => {
    await expect(caseOf(title).check(makeStore)).rejects.toThrow('The store');
  });

  it.each([undefined, () => undefined, async () => ({})])('say that they need a store: %o', async (makeStore) => {
    const { check } = caseOf('answers with its own clock and the sequence of the ask');
    await expect(check(makeStore as never)).rejects.toThrow(/check (?:takes a function that|must return a store)/);
  });

  it('say what a store answered, and what was expected', async () => {
    const { check } = caseOf('answers with its own clock and the sequence of the ask');
    await expect(check(() => memoryStore(() => 7))).rejects.toThrow(
      /^The store answered \{"sequence":2,.*"now":7.*expected an object with .*"now":17731/,
    );
  });
});
