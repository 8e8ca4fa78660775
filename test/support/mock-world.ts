import { type Client, type ClientOptions, createClient } from '../../src/index.ts';
import {
  createMockService,
  type MockService,
  type MockServiceOptions,
  type VirtualClock,
  virtualClock,
} from '../../src/testing/index.ts';

/** A client and the service that it calls, both in virtual time. */
export interface MockWorld {
  readonly clock: VirtualClock;
  readonly service: MockService;
  readonly client: Client;
}

/** Makes a service and a client of it. The wall clock begins at `wall`. */
export function mockWorld(service: MockServiceOptions, options: ClientOptions, wall?: number): MockWorld {
  const clock = virtualClock({ wall });
  const mock = createMockService({ clock, ...service });
  const client = createClient({ baseUrl: mock.origin, fetch: mock.fetch, clock, ...options });
  return { clock, service: mock, client };
}
