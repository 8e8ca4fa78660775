import { asker } from './asking.ts';
import { expect } from './expecting.ts';
import type { StoreCases } from './store-case.ts';

const facts = (...pairs: [string, string][]) => new Map(pairs);

/** How a store keeps what processes tell each other. */
export const FACTS: StoreCases = {
  'tells all facts to a process that knows another version': async ({ store, now }) => {
    const told = facts(['l:minute', '90'], ['c:GET /extended/v1/tx', '2'], ['lead', '-3.5 4 17'], ['r:x', 'y z']);
    expect(await store.share(0, told)).toEqual({ version: 1, now: now(), facts: told });
    expect(await store.share(1, facts())).toEqual({ version: 1, now: now(), facts: undefined });
    expect(await store.share(-1, facts())).toMatchObject({ version: 1, facts: told });
  },

  'tells all facts with its answer to an ask that knows another version': async ({ store }) => {
    const ask = asker(store);
    expect(await ask({ version: -1 })).toMatchObject({ version: 0, facts: facts() });
    const told = facts(['l:minute', '90'], ['lead', '-3.5 4 17']);
    await store.share(0, told);
    expect(await ask()).toMatchObject({ version: 1, facts: told });
    expect(await ask({ version: 1 })).toMatchObject({ version: 1, facts: undefined });
  },

  'tells an empty share to a process that knows nothing at all': async ({ store }) => {
    expect(await store.share(-1, facts())).toMatchObject({ version: 0, facts: facts() });
    expect(await store.share(0, facts())).toMatchObject({ version: 0, facts: undefined });
  },

  'raises the version by one when anything changes, and only then': async ({ store }) => {
    await store.share(0, facts(['l:minute', '90']));
    expect((await store.share(0, facts(['l:minute', '90']))).version).toBe(1);
    expect((await store.share(0, facts(['l:minute', '91'], ['l:hour', '7']))).version).toBe(2);
  },

  'replaces a fact by a newer one': async ({ store }) => {
    await store.share(0, facts(['l:minute', '90'], ['c:x', '1']));
    expect((await store.share(0, facts(['l:minute', '30']))).facts).toEqual(facts(['l:minute', '30'], ['c:x', '1']));
  },

  'keeps the shape of the higher epoch, and of equal ones what either ruled out': async ({ store }) => {
    const shape = async (value: string) => (await store.share(-1, facts(['s:minute', value]))).facts?.get('s:minute');
    expect(await shape('1 5')).toBe('1 5');
    expect(await shape('1 2')).toBe('1 7');
    expect(await shape('0 24')).toBe('1 7');
    expect(await shape('10 8')).toBe('10 8');
    expect(await shape('9 1')).toBe('10 8');
    expect((await store.share(-1, facts())).version).toBe(3);
  },

  'keeps no fact that is none': async ({ store }) => {
    const told = facts(
      ...([
        ['x:minute', '1'],
        ['leads', '1'],
        ['l:', '1'],
        [`l:${'x'.repeat(201)}`, '1'],
        ['l:minute', 'x'.repeat(101)],
        ['s:minute', 'nonsense'],
        ['s:hour', '1 -2'],
        ['s:day', '1 4294967296'],
      ] as [string, string][]),
    );
    expect(await store.share(-1, told)).toMatchObject({ version: 0, facts: facts() });
  },

  'keeps 700 facts, and drops new ones beyond': async ({ store }) => {
    const many = (kind: string, count: number) =>
      facts(...Array.from({ length: count }, (_, index): [string, string] => [`${kind}:${index}`, '1']));
    await store.share(0, many('c', 600));
    const { facts: kept } = await store.share(0, many('l', 200));
    expect(kept?.size).toBe(700);
    const { facts: after } = await store.share(0, facts(['c:0', '2'], ['r:new', '1']));
    expect(after?.size).toBe(700);
    expect(after?.get('c:0')).toBe('2');
    expect(after?.has('r:new')).toBe(false);
  },
};
