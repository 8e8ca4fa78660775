import type { QuotaSnapshot } from './quota/snapshot.ts';

/** What made a call wait or fail: one of the limits the gate asks, see {@link QuotaExhaustedError.why}. */
export type WaitReason =
  | 'window'
  | 'cooldown'
  | 'first look'
  | 'concurrency'
  | 'half-open'
  | 'unknown cost'
  | 'pace';
