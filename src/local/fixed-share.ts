import { ConfigError, quote } from '../errors.ts';
import type { QuotaShare } from '../share.ts';
import { memoryStore } from '../sharing/store/memory-store.ts';
import type { ShareStore, WindowAsk } from '../sharing/store/store.ts';
import { storeShare } from '../sharing/store-share.ts';

/** A store in memory has no calls that can be late. In milliseconds. */
const TIMEOUT_MS = 1_000;

/** When the clock of such a store begins, in milliseconds since the Unix epoch: only differences count. */
const BEGINS_AT = 1e12;

/**
 * Creates a share of a fixed part of every window, for processes that cannot communicate: four of them with
 * `fixedShare(0.25)` take no more than the limit together, unless that is less than a unit for each. What one does not use is not
 * used by the others, so prefer {@link localShare} or `redisShare` where they can be used.
 *
 * @param part - the part of each window, above 0 and at most 1. Every window holds at least one unit.
 * @throws ConfigError if it is not such a number.
 *
 * @example
 * ```ts
 * const client = createClient({ share: fixedShare(0.25) });
 * ```
 */
export function fixedShare(part: number): QuotaShare {
  if (!(typeof part === 'number' && part > 0 && part <= 1))
    throw new ConfigError('part', `must be a number above 0 and at most 1, such as 0.25, not ${quote(part)}`);
  return storeShare({
    storeOf: (_credential, clock) => ownOf(memoryStore(() => BEGINS_AT + clock.now())),
    part,
    mode: 'partial',
    processes: 1,
    timeoutMs: TIMEOUT_MS,
  });
}

/** A store that counts the claims of this process alone. */
function ownOf(store: ShareStore): ShareStore {
  // The service's count includes the usage of all processes, so it says nothing of this part.
  const unread = (window: WindowAsk): WindowAsk => ({ ...window, reading: -1, bounds: 'below' });
  return {
    pause: (ms) => store.pause(ms),
    resume: (member) => store.resume(member),
    resumed: () => store.resumed(),
    share: (version, tell) => store.share(version, tell),
    endLook: (member) => store.endLook(member),
    // No looks, because the other processes would not wait meanwhile.
    look: async () => 'over',
    take: (ask) => store.take({ ...ask, windows: ask.windows.map(unread) }),
  };
}
