import type { Client } from '../../../src/client/client.ts';
import type { CallStoryEvent, ClientEvent } from '../../../src/events.ts';
import type { ClientOptions } from '../../../src/options/client-options.ts';
import type { MockService, MockServiceOptions, VirtualClock } from '../../../src/testing/index.ts';
import { mockWorld } from '../../support/mock-world.ts';

export const ADDRESS = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';

/** The instant at which a client begins. */
export const WALL: number = Date.UTC(2026, 0, 15, 12, 0, 20, 500);

export interface Told {
  readonly clock: VirtualClock;
  readonly mock: MockService;
  readonly client: Client;
  readonly events: readonly CallStoryEvent[];
  readonly storyOf: (call: number) => CallStoryEvent[];
  readonly types: (call: number) => string[];
}

/** A client of a mock a tenth of a second away, in virtual time, and all that is told of its calls. */
export function told(service: MockServiceOptions = {}, options: ClientOptions = {}): Told {
  const events: CallStoryEvent[] = [];
  const onEvent = (event: ClientEvent): void => void ('call' in event && events.push(event));
  const {
    clock,
    service: mock,
    client,
  } = mockWorld(
    { latencyMs: 100, keyless: { minute: 1_000 }, ...service },
    { random: () => 0.5, onEvent, ...options },
    WALL,
  );
  const storyOf = (call: number): CallStoryEvent[] => events.filter((event) => event.call === call);
  const types = (call: number): string[] => storyOf(call).map(({ type }) => type);
  return { clock, mock, client, events, storyOf, types };
}
