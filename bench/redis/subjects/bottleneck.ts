import Bottleneck from 'bottleneck';
import { MINUTE } from '../calendar.ts';
import type { Subject } from '../subject.ts';
import { plainCall } from './plain-call.ts';

/** The most urgent of its priorities, and the one of jobs that have none. */
const URGENT = 0;
const USUAL = 5;

/**
 * A cluster, told the true limits. Refreshes of a clustered reservoir must be multiples of five seconds, so the limit of a
 * second is a `minTime` and the limit of a minute a reservoir. A month cannot be told.
 */
export const bottleneck: Subject = {
  name: 'bottleneck',
  open(place) {
    const { second, minute } = place.limits;
    const limiter = new Bottleneck({
      ...{ id: 'bench', datastore: 'ioredis', clearDatastore: false },
      connection: new Bottleneck.IORedisConnection({ client: place.redis }),
      ...(second !== undefined && { minTime: 1_000 / second }),
      ...(minute !== undefined && {
        ...{ reservoir: minute, reservoirRefreshAmount: minute, reservoirRefreshInterval: MINUTE },
      }),
    });
    limiter.on('error', () => {});
    return {
      call: (priority, weight) =>
        plainCall(
          place,
          weight,
          (send) => limiter.schedule({ priority: priority > 0 ? URGENT : USUAL, weight }, send) as Promise<Response>,
        ),
    };
  },
};
