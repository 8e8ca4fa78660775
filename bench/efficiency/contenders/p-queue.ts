import PQueue from 'p-queue';
import { type Contender, expressible } from './contender.ts';
import { withKy } from './ky.ts';

/** ky in one queue for each limit, the longest first. */
export const pQueue: Contender = {
  name: 'ky in p-queue',
  setup: 'every limit',
  usesGlobals: true,
  open(place) {
    const get = withKy(place);
    const queues = expressible(place.limits).map(
      ({ limit, lengthMs }) => new PQueue({ interval: lengthMs, intervalCap: limit, strict: true }),
    );
    return {
      call(errand) {
        const { priority } = errand;
        return queues.reduce(
          (task, queue) => () => queue.add(task, { priority }),
          (): Promise<unknown> => get(errand),
        )();
      },
    };
  },
};
