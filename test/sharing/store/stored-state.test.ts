import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/sharing/store/memory-store.ts';
import { readState, writeState } from '../../../src/sharing/store/stored-state.ts';
import { asker, BEGIN, telling } from '../../../src/testing/share/asking.ts';

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
    ['a state that is a text', '{"format":1,"state":"minute"}'],
    ['a state that is null', '{"format":1,"state":null}'],
    ['a state that is a number', '{"format":1,"state":7}'],
    ['no state', '{"format":1}'],
    ['entries of which one part is no list', '{"format":1,"state":{"ours":[],"windows":7}}'],
    ['an entry that is no list', '{"format":1,"state":{"windows":[["a",{},7],{"length":3}]}}'],
    ['entries of which one never expires', '{"format":1,"state":{"windows":[["a",{},7],["b",{},null]]}}'],
    ['parts of which one has such an entry', '{"format":1,"state":{"ours":[],"windows":[["b",{},null]]}}'],
    ['an entry of two', '{"format":1,"state":{"windows":[["a",{}]]}}'],
    ['an entry of four', '{"format":1,"state":{"windows":[["a",{},7,8]]}}'],
    ['an entry whose name is a number', '{"format":1,"state":{"windows":[[1,{},7]]}}'],
    ['an entry whose value is a number', '{"format":1,"state":{"windows":[["a",1,7]]}}'],
    ['an entry that never expires', '{"format":1,"state":{"windows":[["a",{},null]]}}'],
    ['an entry without a value', '{"format":1,"state":{"windows":[["a",null,7]]}}'],
  ])('is read as empty from %s', (_, text) => {
    expect(readState(text)).toBeUndefined();
  });

  it('keeps a field that is null, and maps in and as values', () => {
    const text =
      '{"format":1,"state":{"windows":[["a",{"no":null,"by":{"map":[["x",1]]}},7],["b",{"map":[["y",2]]},8]]}}';
    const windows = [
      ['a', { no: null, by: new Map([['x', 1]]) }, 7],
      ['b', new Map([['y', 2]]), 8],
    ];
    expect(readState(text)).toEqual({ windows });
  });

  it('does not keep a store from working if it is of strange parts', async () => {
    const strange = readState('{"format":1,"state":{"ours":[],"__proto__":[],"windows":[["minute:1",{},9e15]]}}');
    const ask = asker(memoryStore(() => BEGIN, strange));
    expect((await ask(telling(3))).used).toEqual([3]);
  });
});
