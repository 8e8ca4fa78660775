import { readFileSync } from 'node:fs';
import { type Client, type ClientOptions, createClient } from '../../../src/index.ts';
import {
  createMockService,
  type MockService,
  type MockServiceOptions,
  seeded,
  type VirtualClock,
  virtualClock,
} from '../../../src/testing/index.ts';

/** Real addresses and contracts of the main network. */
const ADDRESSES: readonly string[] = readFileSync(new URL('../../../examples/addresses.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');

/** One client, one service and the time that both live in. */
export interface World {
  readonly clock: VirtualClock;
  readonly service: MockService;
  readonly client: Client;
  /** Asks for the assets of the address numbered so, each time another one. */
  ask(number: number): Promise<unknown>;
}

/** Makes a world whose service has the limits of the real one, round trips of 20 to 200 ms and no events to page through. */
export function worldOf(service: MockServiceOptions = {}, options: ClientOptions = {}): World {
  const clock = virtualClock();
  const mock = createMockService({
    clock,
    keys: ['a-key'],
    keyed: { second: 20, minute: 500 },
    latencyMs: [20, 200],
    random: seeded(7),
    assetsOf: () => 0,
    ...service,
  });
  const client = createClient({
    baseUrl: mock.origin,
    apiKey: 'a-key',
    fetch: mock.fetch,
    clock,
    random: seeded(8),
    ...options,
  });
  const ask = (number: number): Promise<unknown> => client.getAddressAssets(ADDRESSES[number % ADDRESSES.length] ?? '');
  return { clock, service: mock, client, ask };
}
