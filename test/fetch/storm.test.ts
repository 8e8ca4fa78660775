import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LoggedRequest, ServiceFault } from '../../src/testing/index.ts';
import { runs } from '../support/deep.ts';
import { mockWorld } from '../support/mock-world.ts';

const FAULTS: readonly ServiceFault[] = [
  'reset',
  'lost',
  'hang',
  'truncate',
  { status: 408 },
  { status: 500 },
  { status: 503 },
  { status: 504, headers: { 'retry-after': '1' } },
  { status: 429, headers: { 'retry-after': '2' } },
  { status: 503, headers: { 'retry-after': '1' } },
  { status: 307, headers: { location: '?moved' } },
];

/** A request that the service certainly did not do: it said so, and when to come back. */
const isRefused = ({ status }: LoggedRequest, fault: ServiceFault | undefined): boolean =>
  typeof fault === 'object' && 'headers' in fault && (status === 429 || status === 503);

it('whatever goes wrong, a POST by client.fetch is done once at most, each call ends, and nothing stays held', async () => {
  const fault = fc.option(fc.constantFrom(...FAULTS), { nil: undefined, freq: 2 });
  const methods = fc.array(fc.constantFrom('GET', 'POST'), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(methods, fc.array(fault, { maxLength: 40 }), async (calls, faults) => {
      const { clock, service, client } = mockWorld(
        { latencyMs: 100, keyless: { minute: 20 } },
        { timeoutMs: 10_000, random: () => 0.5 },
        Date.UTC(2026, 0, 15, 12, 0, 20, 500),
      );
      const met: (ServiceFault | undefined)[] = [];
      let arrived = 0;
      service.faults.when(() => {
        const next = faults[arrived++];
        // A reset never arrives, so it is not in the log.
        if (next !== 'reset') met.push(next);
        return next;
      });
      const ends = calls.map(async (method, nth) => {
        const response = await client.fetch(`/w${nth}`, { method });
        await response.text();
      });
      await clock.run(Promise.allSettled(ends));

      for (const [nth, method] of calls.entries()) {
        if (method !== 'POST') continue;
        const done = service.log.filter(
          (request, at) =>
            request.path === `/w${nth}` &&
            request.method === 'POST' &&
            !request.limited &&
            !isRefused(request, met[at]),
        );
        // A redirect that keeps the method is the service's own wish, and goes to another path.
        expect(done.length).toBeLessThanOrEqual(1);
      }
      expect(service.limited).toBe(0);
      expect(client.quota()).toMatchObject({ inFlight: 0, held: 0, waiting: 0 });
      await client.close();
      expect(clock.timers).toBe(0);
    }),
    { numRuns: runs(40, 150) },
  );
});
