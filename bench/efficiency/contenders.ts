import { allPastNamed } from './contenders/all-past.ts';
import { bottleneck } from './contenders/bottleneck.ts';
import type { Contender } from './contenders/contender.ts';
import { discord } from './contenders/discord.ts';
import { equalPartsNamed } from './contenders/equal-parts.ts';
import { kyRetry } from './contenders/ky.ts';
import { ours } from './contenders/ours.ts';
import { pQueue } from './contenders/p-queue.ts';
import { throttled } from './contenders/p-throttle.ts';

/** stacks-quota first, then the alternatives that a user would choose. */
export const contenders: readonly Contender[] = [ours, kyRetry, pQueue, throttled, bottleneck, discord];

/** Returns the contender with this name. */
export function contenderNamed(name: string): Contender {
  const found = contenders.find((contender) => contender.name === name) ?? equalPartsNamed(name) ?? allPastNamed(name);
  if (!found) throw new Error(`There is no contender ${name}.`);
  return found;
}
