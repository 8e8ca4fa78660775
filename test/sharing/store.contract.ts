import { describe, it } from 'vitest';
import type { MakeStore, StoreCase } from '../../src/testing/share/store-case.ts';
import { storeCases } from '../../src/testing/share/store-cases.ts';

/** With more than a thousand processes, so that a store which writes all of its state at each ask takes seconds; and the other cases. */
export const LONG_CASES: readonly StoreCase[] = storeCases.filter(({ title }) => title.startsWith('drops more needy'));
export const SHORT_CASES: readonly StoreCase[] = storeCases.filter((one) => !LONG_CASES.includes(one));

/** What every store of a shared quota must do: the cases that users try their own stores with. */
export function storeContract(name: string, makeStore: MakeStore, all: readonly StoreCase[] = storeCases): void {
  describe(name, () => {
    it.each(all)('$title', ({ check }) => check(makeStore));
  });
}
