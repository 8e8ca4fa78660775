import type { Member, QuotaShare } from '../share.ts';
import type { FailureMode } from './fallback.ts';
import { SharedQuota } from './shared-quota.ts';
import type { ShareStore } from './store.ts';

/** Options of {@link storeShare}. */
export interface StoreShareOptions {
  /** Creates the store for a credential: each API key has a quota of its own. */
  readonly storeOf: (credential: string) => ShareStore;
  readonly mode: FailureMode;
  /** The number of processes to assume while the store has never been reached. */
  readonly processes: number;
  /** The store's time-out, in milliseconds. */
  readonly timeoutMs: number;
}

/** Creates the share of all processes that use the same store. */
export function storeShare({ storeOf, ...options }: StoreShareOptions): QuotaShare {
  return {
    join(member) {
      const part = new SharedQuota(member, { store: presentStore(member, storeOf), ...options });
      return { part, leave: () => part.leave() };
    },
  };
}

/** Returns the store of the present API key. */
function presentStore({ credential }: Member, storeOf: StoreShareOptions['storeOf']): () => Promise<ShareStore> {
  let known: { readonly credential: string; readonly store: ShareStore } | undefined;
  return async () => {
    const present = await credential();
    if (known?.credential !== present) known = { credential: present, store: storeOf(present) };
    return known.store;
  };
}
