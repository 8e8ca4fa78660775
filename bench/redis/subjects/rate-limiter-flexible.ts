import { RateLimiterQueue, RateLimiterRedis } from 'rate-limiter-flexible';
import { lengthOf, listOf } from '../calendar.ts';
import type { Subject } from '../subject.ts';
import { plainCall } from './plain-call.ts';

/** Told the true limits: a RateLimiterRedis with a RateLimiterQueue for each, of which the longest period comes first. */
export const rateLimiterFlexible: Subject = {
  name: 'rate-limiter-flexible',
  open(place) {
    const queues = listOf(place.limits)
      .toReversed()
      .map(({ period, limit }) => {
        const duration = lengthOf(period) / 1_000;
        const limiter = new RateLimiterRedis({ storeClient: place.redis, points: limit, duration, keyPrefix: period });
        return new RateLimiterQueue(limiter);
      });
    return {
      call: (_, units) =>
        plainCall(place, units, async (send) => {
          for (const queue of queues) await queue.removeTokens(units, place.key());
          return send();
        }),
    };
  },
};
