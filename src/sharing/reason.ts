import type { Reason } from '../quota/admission.ts';
import type { Period } from '../quota/time/periods.ts';
import type { SharedWindow } from './slots/window.ts';

/** What may hold a call of a share back, the first that does so first. */
export interface Held {
  /** Why requests are sent without grants, where the store is lost. */
  readonly lost: string | undefined;
  readonly isLearning: boolean;
  readonly isResuming: boolean;
  /** Whether its units are granted, and strangers use the second, too. */
  readonly isSpaced: boolean;
  /** The window of which a request under way is to show what is left. */
  readonly unknown: Period | undefined;
  /** The window that is full. */
  readonly full: Pick<SharedWindow, 'period' | 'limit'> | undefined;
}

/** Why the share holds a call back, as a sentence for people. */
export function reasonOf({ lost, isLearning, isResuming, isSpaced, unknown, full }: Held): Reason {
  if (lost !== undefined) return { kind: 'share', why: lost };
  if (isLearning)
    return {
      kind: 'share',
      why: 'another process sends alone for a moment, to learn the limits and when windows end',
    };
  if (isResuming) return { kind: 'share', why: 'another process sends the first request after a pause' };
  if (isSpaced) return { kind: 'share', why: 'requests are spaced in the second as others use it, too' };
  if (unknown) return { kind: 'share', why: `the next response shows what is left of the ${unknown}` };
  if (!full) return { kind: 'share', why: 'the store has not granted units of the next second yet' };
  const { period, limit } = full;
  const why = `the ${period} of ${limit} units is used up by all processes that share it`;
  return { kind: 'share', why, window: period, limit, headroom: 0 };
}
