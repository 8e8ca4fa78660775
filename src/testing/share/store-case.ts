import type { ShareStore } from '../../sharing/store/store.ts';

/** Creates an empty store. `now`: the clock that it must use, in milliseconds since the Unix epoch; a case moves it by hours. */
export type MakeStore = (now: () => number) => ShareStore | Promise<ShareStore>;

/** One thing that every store must do. */
export interface StoreCase {
  readonly title: string;
  /** Tries it with an empty store. Rejects with an error that says what the store did instead. */
  check(makeStore: MakeStore): Promise<void>;
}

/** An empty store, and its clock. */
export interface StoreWorld {
  readonly store: ShareStore;
  now(): number;
  pass(ms: number): void;
}

/** Cases by their titles. */
export type StoreCases = Readonly<Record<string, (world: StoreWorld) => Promise<void>>>;
