import type { Contender } from './contenders/contender.ts';
import { ours } from './contenders/ours.ts';

/** Ours first, then what a user would choose otherwise. */
export const contenders: readonly Contender[] = [ours];
