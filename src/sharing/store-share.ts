import type { Member, QuotaShare } from '../share.ts';
import type { FailureMode } from './fallback.ts';
import { SharedQuota } from './shared-quota.ts';
import type { ShareStore } from './store.ts';

/** How processes share a quota through a store. */
export interface StoreShareOptions {
  /** Makes the store of one credential: another API key has another quota. */
  readonly storeOf: (credential: string) => ShareStore;
  readonly mode: FailureMode;
  /** How many processes to reckon with while the store has never been reached. */
  readonly processes: number;
  /** How long the store may take to answer, in milliseconds. */
  readonly timeoutMs: number;
}

/** Lets all processes that reach the same store share a quota. */
export function storeShare({ storeOf, ...options }: StoreShareOptions): QuotaShare {
  return {
    join(member) {
      const part = new SharedQuota(member, { store: presentStore(member, storeOf), ...options });
      return { part, leave: () => part.leave() };
    },
  };
}

/** The store of the present API key. */
function presentStore({ credential }: Member, storeOf: StoreShareOptions['storeOf']): () => Promise<ShareStore> {
  let known: { readonly credential: string; readonly store: ShareStore } | undefined;
  return async () => {
    const present = await credential();
    if (known?.credential !== present) known = { credential: present, store: storeOf(present) };
    return known.store;
  };
}
