import type { BulkOutcome, ClientOptions } from '../../../src/index.ts';
import type { MockServiceOptions, VirtualClock } from '../../../src/testing/index.ts';
import { type MockWorld, mockWorld } from '../../support/mock-world.ts';

/** A client, and the service that it calls a tenth of a second away. */
export function world(service: MockServiceOptions = {}, options: ClientOptions = {}): MockWorld {
  return mockWorld(
    { keys: ['k'], latencyMs: 100, keyed: { second: 100 }, ...service },
    { apiKey: 'k', maxAttempts: 1, ...options },
    Date.UTC(2026, 0, 15, 12),
  );
}

/** The whole numbers from 0, so that each item is its own place. */
export const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** An input that tells how much of it was taken, and whether it was closed. */
export function input(
  count: number,
  pauseMs = 0,
  clock?: VirtualClock,
): { readonly told: { taken: number; isClosed: boolean }; readonly items: AsyncGenerator<number> } {
  const told = { taken: 0, isClosed: false };
  async function* items(): AsyncGenerator<number> {
    try {
      for (let item = 0; item < count; item++) {
        if (clock && pauseMs > 0) await clock.sleep(pauseMs);
        told.taken++;
        yield item;
      }
    } finally {
      told.isClosed = true;
    }
  }
  return { told, items: items() };
}

/** All outcomes of a bulk, in the order in which they were handed on. */
export async function gathered<Item, Value>(
  outcomes: AsyncIterable<BulkOutcome<Item, Value>>,
  onOutcome: (outcome: BulkOutcome<Item, Value>) => unknown = () => {},
): Promise<BulkOutcome<Item, Value>[]> {
  const all: BulkOutcome<Item, Value>[] = [];
  for await (const outcome of outcomes) {
    all.push(outcome);
    await onOutcome(outcome);
  }
  return all;
}

export const byIndex = <T extends { readonly index: number }>(all: readonly T[]): T[] =>
  all.toSorted((a, b) => a.index - b.index);
