import { ConfigError, quote } from '../errors.ts';
import type { QuotaShare } from '../share.ts';
import { fingerprintOf } from './fingerprint.ts';
import { readShareOptions, readStoreOptions, STORE_OPTIONS, type StoreOptions } from './share-options.ts';
import { checkedStore } from './store/checked-store.ts';
import type { ShareStore } from './store/store.ts';
import { storeShare } from './store-share.ts';

/** Options of {@link customShare}. */
export interface CustomShareOptions extends StoreOptions {
  /**
   * Returns the store of an API key, which all processes with that key share. `id` is a fingerprint of the service and the key, 22
   * letters, digits, `-` and `_`: use it as the name of a row or a file.
   */
  readonly storeOf: (id: string) => ShareStore;
}

const OPTIONS: readonly string[] = ['storeOf', ...STORE_OPTIONS];

/**
 * Creates a share that divides the quota of an API key among processes, through a store of your own: a {@link textStore}, or an
 * object that implements {@link ShareStore}. `storeCases` of `stacks-quota/testing` tries such a store.
 *
 * @throws ConfigError if an option is invalid.
 *
 * @example
 * ```ts
 * const texts = new Map<string, string>(); // your database
 * const storeOf = (id: string) =>
 *   textStore(async (change) => {
 *     texts.set(id, change(texts.get(id), Date.now()));
 *   });
 * const client = createClient({ share: customShare({ storeOf }) });
 * ```
 */
export function customShare(options: CustomShareOptions): QuotaShare {
  const own = readShareOptions('customShare', OPTIONS, options);
  const { storeOf } = own;
  if (typeof storeOf !== 'function')
    throw new ConfigError('storeOf', `must be a function that returns a store, not ${quote(storeOf)}`);
  const { secret, ...store } = readStoreOptions(own);
  return storeShare({ storeOf: (credential) => checkedStore(storeOf(fingerprintOf(secret, credential))), ...store });
}
