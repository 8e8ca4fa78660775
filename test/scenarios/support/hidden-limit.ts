import type { ServiceFault } from '../../../src/testing/index.ts';
import type { World } from './world.ts';

/** A limit of requests: in each window of the calendar, or of a bucket of that size that drains in that time. */
interface HiddenLimit {
  readonly limit: number;
  readonly ms: number;
  readonly drains?: boolean;
}

/** Has the service refuse what exceeds a limit that no answer names. @returns how many requests it has refused so. */
export function hideLimit(
  { clock, service }: Pick<World, 'clock' | 'service'>,
  { limit, ms, drains = false }: HiddenLimit,
  fault: ServiceFault,
): () => number {
  let [used, at, refused] = [0, clock.wall(), 0];
  service.faults.when(() => {
    const now = clock.wall();
    if (drains) used = Math.max(0, used - ((now - at) * limit) / ms);
    else if (Math.floor(now / ms) > Math.floor(at / ms)) used = 0;
    at = now;
    if (used + 1 <= limit) {
      used++;
      return undefined;
    }
    refused++;
    return fault;
  });
  return () => refused;
}
