import pThrottle from 'p-throttle';
import type { Errand } from '../scenario.ts';
import { type Contender, expressible } from './contender.ts';
import { withKy } from './ky.ts';

/** ky, let through once for each limit, the longest first. It knows no priorities. */
export const throttled: Contender = {
  name: 'ky in p-throttle',
  setup: 'every limit and cost',
  usesGlobals: true,
  open(place) {
    const { costOf, isCostly } = place;
    const weighing = isCostly ? { weight: (errand: Errand) => costOf(errand) } : {};
    return {
      call: expressible(place.limits).reduce(
        (call, { limit, lengthMs }) => pThrottle({ limit, interval: lengthMs, strict: true, ...weighing })(call),
        withKy(place),
      ),
    };
  },
};
