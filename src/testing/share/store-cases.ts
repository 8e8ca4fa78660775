import type { ShareStore } from '../../sharing/store/store.ts';
import { BEGIN } from './asking.ts';
import { BOOKS } from './books-cases.ts';
import { FACTS } from './facts-cases.ts';
import { GRANTS } from './grants-cases.ts';
import { SLIDING } from './sliding-cases.ts';
import { STATE } from './state-cases.ts';
import type { MakeStore, StoreCase, StoreWorld } from './store-case.ts';
import { TURNS } from './turns-cases.ts';

/**
 * What every `ShareStore` must do, as cases for any test runner. The store must take its clock as an argument, because a case lets
 * hours pass at once. Each case begins with an empty store.
 *
 * @example
 * ```ts
 * import { test } from 'node:test';
 * import { textStore } from 'stacks-quota/sharing';
 * import { storeCases } from 'stacks-quota/testing';
 *
 * const makeStore = (now: () => number) => {
 *   let text: string | undefined; // your database
 *   return textStore(async (change) => {
 *     text = change(text, now());
 *   });
 * };
 * for (const { title, check } of storeCases) test(title, () => check(makeStore));
 * ```
 */
export const storeCases: readonly StoreCase[] = [BOOKS, SLIDING, GRANTS, STATE, FACTS, TURNS].flatMap((cases) =>
  Object.entries(cases).map(([title, check]) => ({
    title,
    check: async (makeStore: MakeStore) => await check(await worldOf(makeStore)),
  })),
);

async function worldOf(makeStore: MakeStore): Promise<StoreWorld> {
  let time = BEGIN;
  const now = (): number => time;
  const pass = (ms: number): void => {
    time += ms;
  };
  if (typeof makeStore !== 'function') throw new Error('check takes a function that makes an empty store.');
  const store = await makeStore(now);
  if (typeof (store as ShareStore | null | undefined)?.take !== 'function')
    throw new Error('The function given to check must return a store.');
  return { store, now, pass };
}
