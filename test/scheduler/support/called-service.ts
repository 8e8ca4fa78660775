import { expect } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { createClient } from '../../../src/client/create-client.ts';
import type { ClientEvent } from '../../../src/events.ts';
import type { ClientOptions } from '../../../src/options/client-options.ts';
import {
  createMockService,
  type MockService,
  type MockServiceOptions,
  type VirtualClock,
  virtualClock,
} from '../../../src/testing/index.ts';

const ADDRESS = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';
const PLENTY = { minute: 10_000 };

/** What {@link pair} makes. */
interface Pair {
  readonly clock: VirtualClock;
  readonly mock: MockService;
  readonly client: Client;
  readonly events: readonly ClientEvent[];
  /** Asks for the assets from an offset on, by which requests are told apart. */
  ask(offset: number): Promise<unknown>;
  /** The requests that the service got. */
  asked(): { readonly offset: number; readonly at: number }[];
  /** How many events of a type there were. */
  count(type: ClientEvent['type']): number;
  /** What a call ends with, error or not. */
  endOf(work: Promise<unknown>): Promise<unknown>;
}

/** A client and the service it calls, a tenth of a second away, both in virtual time. */
export function pair(options: ClientOptions = {}, service: MockServiceOptions = {}): Pair {
  const clock = virtualClock({ wall: Date.UTC(2026, 0, 15, 12, 0, 20, 500) });
  const mock = createMockService({ clock, latencyMs: 100, keyless: PLENTY, ...service });
  const events: ClientEvent[] = [];
  const client = createClient({
    baseUrl: mock.origin,
    fetch: mock.fetch,
    clock,
    random: () => 0.5,
    onEvent: (event) => events.push(event),
    ...options,
  });
  const ask = (offset: number) => client.getAddressAssets(ADDRESS, { offset });
  const asked = () => mock.log.map(({ path, at }) => ({ offset: Number(/offset=(\d+)/.exec(path)?.[1]), at }));
  const count = (type: ClientEvent['type']) => events.filter((event) => event.type === type).length;
  const endOf = <T>(work: Promise<T>): Promise<unknown> => clock.run(work.catch((error: unknown) => error));
  return { clock, mock, client, events, ask, asked, count, endOf };
}

/** An error of a class, with facts that it states. */
export const error = (name: string, facts: object = {}): unknown => expect.objectContaining({ name, ...facts });
