import { expect } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { createClient } from '../../../src/client/create-client.ts';
import type { ClientEvent } from '../../../src/events.ts';
import type { ClientOptions } from '../../../src/options/client-options.ts';
import {
  createMockService,
  type MockService,
  type MockServiceOptions,
  mockNetwork,
  type VirtualClock,
  virtualClock,
} from '../../../src/testing/index.ts';

export const KEY = 'k3y-of-32-characters-0123456789ab';
export const ADDRESS = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';
export const INFO = '/extended/v1/info';

/** What a request was when it left. */
interface Left {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

interface Pair {
  readonly clock: VirtualClock;
  readonly mock: MockService;
  /** Another service on the same network, for which the client is not. */
  readonly other: MockService;
  readonly client: Client;
  readonly events: readonly ClientEvent[];
  readonly left: readonly Left[];
  /** The codes of the attempts that were lost. */
  readonly codes: () => string[];
  /** What work ends with, error or not. */
  readonly endOf: (work: Promise<unknown>) => Promise<unknown>;
}

/** A client and the service it calls, a tenth of a second away, both in virtual time. */
export function pair(options: ClientOptions = {}, service: MockServiceOptions = {}): Pair {
  const clock = virtualClock({ wall: Date.UTC(2026, 0, 15, 12, 0, 20, 500) });
  const mock = createMockService({ clock, latencyMs: 100, keyless: { minute: 10_000 }, keys: [KEY], ...service });
  const other = createMockService({ clock, origin: 'https://other.test' });
  const wire = mockNetwork(mock, other).fetch;
  const events: ClientEvent[] = [];
  const left: Left[] = [];
  const client = createClient({
    baseUrl: mock.origin,
    fetch: async (input, init) => {
      const { method, url, headers } = input as Request;
      const body = await (input as Request).clone().text();
      left.push({ method, url, headers: Object.fromEntries(headers), body });
      return wire(input, init);
    },
    clock,
    random: () => 0.5,
    onEvent: (event) => events.push(event),
    ...options,
  });
  return {
    clock,
    mock,
    other,
    client,
    events,
    left,
    codes: () => events.flatMap((event) => (event.type === 'lost' ? [event.code] : [])),
    endOf: (work) => clock.run(work.catch((error: unknown) => error)),
  };
}

/** A client whose every request is answered by hand. */
export function answering(
  answer: (request: Request) => Response | Promise<Response>,
  options: ClientOptions = {},
): Pick<Pair, 'clock' | 'client'> {
  const clock = virtualClock();
  const client = createClient({
    baseUrl: 'https://api.mock.test',
    fetch: async (input) => answer(input as Request),
    clock,
    ...options,
  });
  return { clock, client };
}

/** A `ConfigError` about an option, in such words. */
export const configError = (option: string, words: RegExp): unknown =>
  expect.objectContaining({ name: 'ConfigError', option, message: expect.stringMatching(words) });
