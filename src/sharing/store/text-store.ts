import { ConfigError, quote } from '../../errors.ts';
import { memoryStore } from './memory-store.ts';
import { perform, remoteStore } from './operations.ts';
import type { ShareStore } from './store.ts';
import { readState, writeState } from './stored-state.ts';

/**
 * Computes the next text of a share from the stored one.
 *
 * @param text - the stored text; `undefined` or `null`: there is none.
 * @param now - the store's clock, in milliseconds since the Unix epoch: one clock for all processes, such as that of the database.
 * @returns the text to store in its place.
 */
export type TextChange = (text: string | null | undefined, now: number) => string;

/**
 * Creates a store that keeps all it knows of a share in one text, in any database or file that can replace a text atomically. The
 * rules are those of the other stores; a text has some kilobytes.
 *
 * @param update - replaces the text by `change(text, now)`. No other process may read or replace the text meanwhile: use a
 * transaction that locks the row, or a lock. `change` may be called again if the transaction has to be repeated. It throws a
 * {@link ConfigError} if `now` is not a finite number.
 *
 * @example
 * ```ts
 * const texts = new Map<string, string>(); // your database
 * const storeOf = (id: string) =>
 *   textStore(async (change) => {
 *     texts.set(id, change(texts.get(id), Date.now()));
 *   });
 * ```
 */
export function textStore(update: (change: TextChange) => Promise<void>): ShareStore {
  if (typeof update !== 'function')
    throw new ConfigError('update', `must be a function that replaces the text of a share, not ${quote(update)}`);
  return remoteStore(async (operation) => {
    let result: Promise<unknown> | undefined;
    await update((text, now) => {
      // Some databases return a number as text.
      if (!Number.isFinite(now))
        throw new ConfigError('now', `must be the store's clock, a number of milliseconds, not ${quote(now)}`);
      const store = memoryStore(() => now, readState(text ?? undefined));
      // The store has changed when the call returns.
      result = perform(store, operation);
      return writeState(store.state);
    });
    if (!result) throw new Error('The store was not changed: `update` must call `change`');
    return await result;
  });
}
