import { describe, it } from 'vitest';
import type { MakeStore } from '../../src/testing/share/store-case.ts';
import { storeCases } from '../../src/testing/share/store-cases.ts';

/** What every store of a shared quota must do: the cases that users try their own stores with. */
export function storeContract(name: string, makeStore: MakeStore): void {
  describe(name, () => {
    it.each(storeCases)('$title', ({ check }) => check(makeStore));
  });
}
