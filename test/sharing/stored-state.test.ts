import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/sharing/memory-store.ts';
import { readState, writeState } from '../../src/sharing/stored-state.ts';
import { asker, BEGIN, telling } from '../../src/testing/share/asking.ts';

describe('the stored state of a store', () => {
  it('is read as it was written, with everything that a store knows', async () => {
    const store = memoryStore(() => BEGIN);
    await asker(store)({ want: 30, urgent: 2, isSign: true });
    await store.share(0, new Map([['l:minute', '500']]));
    await store.look('a');
    await store.pause(9_000);
    expect(readState(writeState(store.state))).toEqual(store.state);
  });

  it.each([
    ['no text', undefined],
    ['no JSON', 'SQLite format 3'],
    ['null', 'null'],
    ['a text of another version of the package', '{"format":2,"state":{}}'],
    ['no list of entries', '{"format":1,"state":{"windows":7}}'],
    ['an entry that never expires', '{"format":1,"state":{"windows":[["a",{},null]]}}'],
    ['an entry without a value', '{"format":1,"state":{"windows":[["a",null,7]]}}'],
  ])('is read as empty from %s', (_, text) => {
    expect(readState(text)).toBeUndefined();
  });

  it('does not keep a store from working if it is of strange parts', async () => {
    const strange = readState('{"format":1,"state":{"ours":[],"__proto__":[],"windows":[["minute:1",{},9e15]]}}');
    const ask = asker(memoryStore(() => BEGIN, strange));
    expect((await ask(telling(3))).used).toEqual([3]);
  });
});
