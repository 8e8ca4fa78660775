import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import { createMockService, type ServiceFault, virtualClock } from '../../src/testing/index.ts';
import { runs } from '../support/deep.ts';

const ADDRESS = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';
const REASON = new Error('the caller lost interest');
const ERRORS = ['QuotaExhaustedError', 'ServiceError', 'ConnectionError', 'ResponseShapeError', 'ClosedError'];

const fault = fc.constantFrom<(ServiceFault | undefined)[]>(
  ...([undefined, undefined, undefined, 'reset', 'lost', 'hang', 'truncate', 'slow body', 'no quota headers'] as const),
  ...[{ status: 500 }, { status: 503, counted: false }, { status: 404 }, { status: 200, body: 'no JSON' }],
  ...[
    { status: 429, counted: false },
    { status: 429, headers: { 'retry-after': '3' } },
  ],
  ...[
    { status: 200, headers: { 'retry-after': '2' }, body: '{}' },
    { redirect: '?again' },
    { redirect: 'https://a.test' },
  ],
);

const call = fc.record({
  atMs: fc.nat(20_000),
  isCostly: fc.boolean(),
  priority: fc.constantFrom(undefined, 0, 1, 5),
  maxWaitMs: fc.constantFrom(undefined, 0, 2_000, Infinity),
  timeoutMs: fc.constantFrom(undefined, 50, 1_000),
  abortAfterMs: fc.option(fc.nat(10_000), { nil: undefined }),
});

const storm = fc.record({
  calls: fc.array(call, { minLength: 1, maxLength: 40, size: 'max' }),
  faults: fc.array(fault, { maxLength: 60, size: 'max' }),
  closeAtMs: fc.option(fc.nat(30_000), { nil: undefined }),
  sharedSignal: fc.boolean(),
});

describe('in any storm', () => {
  it('every call ends, as it may, and nothing is left behind', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    await fc.assert(
      fc.asyncProperty(storm, async ({ calls, faults, closeAtMs, sharedSignal }) => {
        const clock = virtualClock({ wall: Date.UTC(2026, 0, 15, 12, 0, 20, 500) });
        const service = createMockService({
          clock,
          latencyMs: [20, 400],
          keyless: { minute: 15 },
          cost: { assets: 2 },
          ceilings: { assets: { limit: 4, period: 'minute' } },
          headers: { generic: 'per endpoint ceiling' },
        });
        let arrived = 0;
        service.faults.when(() => faults[arrived++]);
        const client = createClient({ baseUrl: service.origin, fetch: service.fetch, clock, concurrency: 4 });
        const shared = new AbortController();
        const ends = calls.map(async ({ atMs, abortAfterMs, isCostly, ...options }) => {
          await clock.sleep(atMs);
          const controller = sharedSignal ? shared : new AbortController();
          if (abortAfterMs !== undefined) clock.timer(abortAfterMs, () => controller.abort(REASON));
          const { signal } = controller;
          const asked = isCostly
            ? client.getAddressAssets(ADDRESS, { ...options, signal })
            : client.getInfo({ ...options, signal });
          return asked.then(
            () => 'answered',
            (error) => (error === REASON ? 'aborted' : error.name),
          );
        });
        if (closeAtMs !== undefined) clock.timer(closeAtMs, () => void client.close());
        for (const end of await clock.run(Promise.all(ends))) {
          expect(['answered', 'aborted', ...ERRORS]).toContain(end);
        }
        // What was given up may still arrive.
        await clock.advance(30_000);
        expect(client.quota()).toMatchObject({ inFlight: 0, held: 0, waiting: 0 });
        expect(clock.timers).toBe(0);
      }),
      { numRuns: runs(20, 60) },
    );
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});
