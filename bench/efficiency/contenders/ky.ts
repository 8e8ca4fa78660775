import ky from 'ky';
import PQueue from 'p-queue';
import type { Errand } from '../scenario.ts';
import type { Contender, Place } from './contender.ts';

/** As many at a time as ours. */
const CONCURRENCY = 32;

/** Makes one call with ky, which tries again when it is limited, for as long as it is told to wait. */
export function withKy({ origin, key, fetch }: Place): (errand: Errand) => Promise<unknown> {
  const client = ky.create({
    baseUrl: origin,
    headers: key === undefined ? {} : { 'x-api-key': key },
    fetch,
    retry: {
      limit: 10,
      statusCodes: [403, 408, 429, 500, 502, 503, 504],
      afterStatusCodes: [403, 429, 503],
      retryOnTimeout: true,
    },
  });
  return (errand) => client(pathOf(errand)).json();
}

/** The path and query of an errand. */
export function pathOf({ endpoint, page }: Errand): string {
  const address = 'SP1J1A6PJ50NS54VWAVFGA9C4HS53NAQXZQ07P5TK';
  return endpoint === 'info' ? '/extended/v1/info' : `/extended/v1/address/${address}/assets?limit=${page}`;
}

/** ky's own retry, and nothing that knows of limits. */
export const kyRetry: Contender = {
  name: 'ky retry',
  setup: 'how often to retry, and after which answers',
  usesGlobals: true,
  open(place) {
    const get = withKy(place);
    const line = new PQueue({ concurrency: CONCURRENCY });
    return { call: (errand) => line.add(() => get(errand), { priority: errand.priority }) };
  },
};
