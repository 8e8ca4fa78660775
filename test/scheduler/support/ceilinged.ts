import type { CallOptions, ClientOptions } from '../../../src/options/client-options.ts';
import type { MockServiceOptions } from '../../../src/testing/index.ts';
import { type MockWorld, mockWorld } from '../../support/mock-world.ts';

const ADDRESS = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';

/** What {@link ceilinged} makes. */
export interface CeilingedWorld extends MockWorld {
  /** Asks for the assets from this offset on. */
  assets(offset: number, given?: CallOptions): Promise<unknown>;
  /** The offsets of the requests that the service has answered, in their order. */
  offsets(): number[];
}

/** A service on which the assets have a ceiling of their own, and a client of it. */
export function ceilinged(
  limit: number,
  period: 'second' | 'minute' = 'second',
  options: MockServiceOptions = {},
  clientOptions: ClientOptions = {},
): CeilingedWorld {
  const serviceOptions: MockServiceOptions = {
    latencyMs: 100,
    keyless: { minute: 1_000_000 },
    ceilings: { assets: { limit, period } },
    headers: { generic: 'per endpoint ceiling' },
    assetsOf: () => 0,
    ...options,
  };
  const world = mockWorld(serviceOptions, clientOptions);
  const { service, client } = world;
  return {
    ...world,
    assets: (offset, given) => client.getAddressAssets(ADDRESS, { offset, ...given }),
    offsets: () => service.log.map(({ path }) => Number(path.replace(/.*\?offset=/, ''))),
  };
}
