import { type ClientOptions, isQuotaExhausted, type QuotaExhaustedError } from '../../../src/index.ts';
import type { MockServiceOptions } from '../../../src/testing/index.ts';
import { type MockWorld, mockWorld } from '../../support/mock-world.ts';

const WALL: number = Date.UTC(2026, 0, 15, 12, 0, 10);
export const ADDRESS: string = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';

/** A client that has learned the limits by one call. */
export async function world(service: MockServiceOptions = {}, options: ClientOptions = {}): Promise<MockWorld> {
  const made = mockWorld(
    { latencyMs: 80, keyless: { second: 10, minute: 60 }, ...service },
    { maxWaitMs: Infinity, random: () => 0.5, ...options },
    WALL,
  );
  await made.clock.run(made.client.getInfo());
  return made;
}

/** The error of a call that fails before any time passes. */
export async function refused(call: Promise<unknown>): Promise<QuotaExhaustedError | undefined> {
  const error = refusedSoon(call);
  for (let turn = 0; turn < 20; turn++) await undefined;
  return error();
}

/** The error of a call, once it has one. */
export function refusedSoon(call: Promise<unknown>): () => QuotaExhaustedError | undefined {
  let error: unknown;
  call.catch((reason: unknown) => {
    error = reason;
  });
  return () => (isQuotaExhausted(error) ? error : undefined);
}

/** Limits that hold nothing back. */
export const ROOMY: MockServiceOptions = { keyless: { minute: 10_000 } };

export const quietly = (calls: Promise<unknown>[]): Promise<unknown> => Promise.allSettled(calls);
