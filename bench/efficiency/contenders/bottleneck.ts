import Bottleneck from 'bottleneck';
import { type Contender, expressible } from './contender.ts';
import { withKy } from './ky.ts';

/** Its most urgent priority is 0, its least 9, and 5 is for those that say nothing. */
const USUAL = 5;

/** ky in a chain of limiters, one for each limit, the longest first. */
export const bottleneck: Contender = {
  name: 'ky in bottleneck',
  setup: 'every limit and cost',
  usesGlobals: true,
  open(place) {
    const get = withKy(place);
    const limiters = expressible(place.limits).map(
      ({ limit, lengthMs }) =>
        new Bottleneck({ reservoir: limit, reservoirRefreshAmount: limit, reservoirRefreshInterval: lengthMs }),
    );
    const first = limiters.reduce((next, longer) => longer.chain(next));
    return {
      call: (errand) =>
        first.schedule({ priority: errand.priority > 0 ? 0 : USUAL, weight: place.costOf(errand) }, () => get(errand)),
    };
  },
};
