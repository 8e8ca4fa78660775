import { describe, expect, it } from 'vitest';
import type { MockServiceOptions } from '../../src/testing/index.ts';
import { DEEP, runs } from '../support/deep.ts';
import { worldOf } from './support/world.ts';

const PATHS = ['/a', '/b', '/c', '/d', '/e'];
const MINUTE_MS = 60_000;

/** Units of a minute of each endpoint, how many calls are made of five of them, and when the last of these may end at the latest, in milliseconds. */
const CEILING = runs(40, 100);
const CALLS = runs(380, 1_450);
const LATEST_MS = Math.floor(CALLS / (5 * CEILING)) * MINUTE_MS + 5_000;

/** Calls of five endpoints in turn. @returns how long they took by the service's clock, in milliseconds, and how many were refused. */
async function takes(calls: number, service: MockServiceOptions): Promise<{ ms: number; limited: number }> {
  const routes = Object.fromEntries(PATHS.map((path) => [`GET ${path}`, () => ({})]));
  const world = worldOf({ routes, ...service });
  const ask = (number: number) => world.client.get(PATHS[number % PATHS.length] ?? '/');
  await world.clock.run(() => Promise.all(Array.from({ length: calls }, (_, number) => ask(number))));
  expect(world.service.requests - world.service.limited).toBe(calls);
  return { ms: world.clock.now(), limited: world.service.limited };
}

describe('endpoints with equal limits', () => {
  it('have a ceiling each where answers count less than all of their requests', async () => {
    const ceilings = Object.fromEntries(
      PATHS.map((path) => [`GET ${path}`, { limit: CEILING, period: 'minute' as const }]),
    );
    const headers = { generic: 'per endpoint ceiling', family: false } as const;
    const { ms, limited } = await takes(CALLS, { ceilings, headers, keyed: { minute: 5_000 } });
    expect(limited).toBe(0);
    expect(ms).toBeLessThan(LATEST_MS);
  });

  it('have a ceiling each, too, where all requests that one of them holds are answered before any may be missing from an answer', async () => {
    const ceilings = Object.fromEntries(
      PATHS.map((path) => [`GET ${path}`, { limit: CEILING, period: 'minute' as const }]),
    );
    const headers = { generic: 'per endpoint ceiling', family: false } as const;
    const { ms, limited } = await takes(CALLS, { ceilings, headers, keyed: { minute: 5_000 }, latencyMs: 2 });
    expect(limited).toBe(0);
    expect(ms).toBeLessThan(LATEST_MS);
  });

  it.for(DEEP ? (['aligned', 'first-request', 'sliding-log', 'leaky'] as const) : (['aligned'] as const))(
    'have one limit where they do not, and none is refused: %s',
    async (windows) => {
      const { ms, limited } = await takes(300, { keyed: { minute: 100 }, headers: { family: false }, windows });
      expect(limited).toBe(0);
      expect(ms).toBeLessThan(3 * MINUTE_MS + 10_000);
    },
  );
});

describe('a limit without a reset', () => {
  const only = (name: string): boolean => name !== 'ratelimit-reset';

  it.for(DEEP ? (['aligned', 'first-request', 'sliding-log', 'leaky'] as const) : (['aligned'] as const))(
    'is found by what remains, and none is refused: %s',
    async (windows) => {
      const { ms, limited } = await takes(500, { keyed: { minute: 200 }, headers: { family: false, only }, windows });
      expect(limited).toBe(0);
      expect(ms).toBeLessThan(2 * MINUTE_MS + 5_000);
    },
  );
});
