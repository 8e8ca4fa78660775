import { describe } from 'vitest';
import { booksContract } from './contracts/books.ts';
import { factsContract } from './contracts/facts.ts';
import { grantsContract } from './contracts/grants.ts';
import { stateContract } from './contracts/state.ts';
import { turnsContract } from './contracts/turns.ts';
import type { StoreWorld } from './support/asking.ts';

/** What every store of a shared quota must do. */
export function storeContract(name: string, makeStore: () => Promise<StoreWorld>): void {
  describe(name, () => {
    describe('(books)', () => booksContract(makeStore));
    describe('(grants)', () => grantsContract(makeStore));
    describe('(state)', () => stateContract(makeStore));
    describe('(facts)', () => factsContract(makeStore));
    describe('(looks)', () => turnsContract(makeStore));
  });
}
