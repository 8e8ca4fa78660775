import {
  type Client,
  type ClientOptions,
  createClient,
  createPool,
  type Pool,
  type PoolMember,
} from '../../../src/index.ts';
import {
  createMockService,
  type MockService,
  type MockServiceOptions,
  type VirtualClock,
  virtualClock,
} from '../../../src/testing/index.ts';

/** What {@link world} makes. */
export interface TwoKeys {
  readonly clock: VirtualClock;
  readonly services: readonly MockService[];
  readonly clients: readonly Client[];
  readonly pool: Pool;
  /** Makes so many calls of the pool at once. */
  calls(count: number): Promise<unknown>;
  /** How many requests each service got. */
  requests(): readonly number[];
  /** How many of them were refused because of a limit. */
  limited(): number;
}

/** Two keys, each of a service of its own, so that their plans can differ. */
export function world(
  plans: readonly [MockServiceOptions['keyed'], MockServiceOptions['keyed']],
  {
    options = {},
    bound = [{}, {}],
    service = {},
  }: {
    readonly options?: ClientOptions;
    readonly bound?: readonly Omit<PoolMember, 'client'>[];
    readonly service?: MockServiceOptions;
  } = {},
): TwoKeys {
  const clock = virtualClock({ wall: Date.UTC(2026, 0, 15, 12, 0, 10) });
  const services = plans.map((keyed, nth) =>
    createMockService({ clock, latencyMs: [60, 140], keys: [`${nth}-key`], keyed, ...service }),
  );
  const clients = services.map(({ origin, fetch }, nth) =>
    createClient({ baseUrl: origin, fetch, clock, apiKey: `${nth}-key`, random: () => 0.5, ...options }),
  );
  const pool = createPool(clients.map((client, nth) => ({ client, ...bound[nth] })));
  const calls = (count: number) => clock.run(Promise.all(Array.from({ length: count }, () => pool.getInfo())));
  const requests = (): readonly number[] => services.map((one) => one.requests);
  const limited = (): number => services.reduce((sum, one) => sum + one.limited, 0);
  return { clock, services, clients, pool, calls, requests, limited };
}

export const PLANS = [
  { second: 20, minute: 500 },
  { second: 50, minute: 2_000 },
] as const;
