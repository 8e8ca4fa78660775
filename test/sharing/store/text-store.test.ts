import { describe, expect, it } from 'vitest';
import { quote } from '../../../src/errors.ts';
import { type TextChange, textStore } from '../../../src/sharing/store/text-store.ts';
import { asker, BEGIN } from '../../../src/testing/share/asking.ts';
import type { MakeStore } from '../../../src/testing/share/store-case.ts';
import { cases } from '../../support/deep.ts';
import { LONG_CASES, SHORT_CASES, storeContract } from '../store.contract.ts';

const makeStore: MakeStore = (now) => {
  let text: string | null = null;
  return textStore(async (change) => {
    text = change(text, now());
  });
};

storeContract('the store in a text', makeStore, cases(SHORT_CASES, LONG_CASES));

describe('a store in a text', () => {
  it('counts once what a transaction repeats', async () => {
    let text: string | undefined;
    const update = async (change: TextChange): Promise<void> => {
      change(text, BEGIN);
      text = change(text, BEGIN);
    };
    expect(await asker(textStore(update))({ want: 6 })).toMatchObject({ granted: [6], used: [6] });
  });

  it('begins empty where the text is none of its own', async () => {
    let text: string | undefined = 'nonsense';
    const store = textStore(async (change) => {
      text = change(text, BEGIN);
    });
    expect(await asker(store)({ want: 6 })).toMatchObject({ used: [6] });
    expect(await asker(store)({ member: 'b', want: 6 })).toMatchObject({ used: [12] });
  });

  it('fails with the error of the database', async () => {
    const store = textStore(() => Promise.reject(new Error('SQLITE_FULL')));
    await expect(store.look('a')).rejects.toThrow('SQLITE_FULL');
  });

  it.for([Number.NaN, Infinity, undefined, String(BEGIN)])(
    'fails at once if its clock returns %s, and leaves the text alone',
    async (now) => {
      const texts: string[] = [];
      const store = textStore(async (change) => void texts.push(change(undefined, now as number)));
      await expect(store.pause(10)).rejects.toThrow(
        `now must be the store's clock, a number of milliseconds, not ${quote(now)}`,
      );
      expect(texts).toEqual([]);
    },
  );

  it.for([undefined, {}, 'update'])('is not made of %o', (update) => {
    expect(() => textStore(update as unknown as Parameters<typeof textStore>[0])).toThrow(
      'update must be a function that replaces the text of a share',
    );
  });

  it('fails if the text is not changed', async () => {
    await expect(textStore(async () => {}).resumed()).rejects.toThrow('must call `change`');
  });

  it('keeps a text that does not grow with processes that are gone', async () => {
    let text = '';
    let now = BEGIN;
    const store = textStore(async (change) => {
      text = change(text, now);
    });
    let most = 0;
    for (let member = 0; member < 300; member++, now += 2_000) {
      await asker(store)({ member: `m${member}`, want: 5 });
      most = Math.max(most, text.length);
    }
    // 30 accounts of the last minute.
    expect(most).toBeLessThan(10_000);
  });
});
