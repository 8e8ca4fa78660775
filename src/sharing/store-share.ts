import type { Clock } from '../clock.ts';
import type { QuotaShare } from '../share.ts';
import { SharedQuota, type SharedQuotaOptions } from './shared-quota.ts';
import type { ShareStore } from './store/store.ts';

/** Options of {@link storeShare}. */
export interface StoreShareOptions extends Omit<SharedQuotaOptions, 'store'> {
  /** Creates the store for a credential: each API key has a quota of its own. `clock`: the client's. */
  readonly storeOf: (credential: string, clock: Clock) => ShareStore;
}

/** Creates the share of all processes that use the same store. */
export function storeShare({ storeOf, ...options }: StoreShareOptions): QuotaShare {
  return {
    join(member) {
      let store: ShareStore | undefined;
      const connect = async (): Promise<ShareStore> => (store ??= storeOf(await member.credential(), member.clock));
      const part = new SharedQuota(member, { store: connect, ...options });
      return { part, leave: () => part.leave() };
    },
  };
}
