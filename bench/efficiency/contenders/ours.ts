import { createClient } from '../../../src/index.ts';
import type { Contender } from './contender.ts';

/** Any address will do: the service makes its history up. */
const ADDRESS = 'SP1J1A6PJ50NS54VWAVFGA9C4HS53NAQXZQ07P5TK';

/** This package, as it comes. */
export const ours: Contender = {
  name: 'stacks-quota',
  setup: 'nothing',
  usesGlobals: false,
  open({ origin, key, fetch, clock, random, share }) {
    const client = createClient({
      baseUrl: origin,
      apiKey: () => key,
      fetch,
      clock,
      random,
      ...(share ? { share } : {}),
    });
    return {
      call: ({ endpoint, page, offset, priority }) =>
        endpoint === 'info'
          ? client.getInfo({ priority })
          : client.getAddressAssets(ADDRESS, { limit: page, offset, priority }),
    };
  },
};
