import { describe, expect, it } from 'vitest';
import { kyRetry } from '../../bench/efficiency/contenders/ky.ts';
import { ours } from '../../bench/efficiency/contenders/ours.ts';
import { contenderNamed } from '../../bench/efficiency/contenders.ts';
import type { Scenario } from '../../bench/efficiency/scenario.ts';
import { scenarioNamed } from '../../bench/efficiency/scenarios.ts';
import { type Load, shortestMs, type Terms } from '../../bench/efficiency/shortest.ts';
import { runTrial } from '../../bench/efficiency/trial.ts';
import type { WindowKind } from '../../src/testing/index.ts';
import { cases } from '../support/deep.ts';

/** A scenario of the whole set, with less to do. */
function brief(name: string, bulk: number): Scenario {
  return { ...scenarioNamed(name), bulk };
}

describe('the client, without configuration', () => {
  const kinds = cases(['sliding-log'], ['aligned', 'first-request', 'sliding-counter', 'leaky']);

  it.for(kinds)('uses nearly all that %s windows give, and is never limited', { timeout: 60_000 }, async (kind) => {
    const { utilisation, limited, requests, served } = await runTrial(brief(`${kind}: 20/s and 500/min`, 560), ours, 1);
    expect({ limited, requests, served }).toEqual({ limited: 0, requests: 560, served: 560 });
    expect(utilisation).toBeGreaterThan(0.9);
    expect(utilisation).toBeLessThanOrEqual(1);
  });

  it('never gets stuck while connections break, and is not limited', { timeout: 60_000 }, async () => {
    const trouble = { ...brief('all of it at once', 700), outage: { fromMs: 20_000, toMs: 25_000 } };
    const { isStuck, limited, served, failures } = await runTrial(trouble, ours, 1);
    expect({ isStuck, limited, calls: served + failures }).toEqual({ isStuck: false, limited: 0, calls: 700 });
    expect(served).toBeGreaterThan(600);
  });

  it('sends nothing more when the month is out, and tells every caller at once', { timeout: 60_000 }, async () => {
    const { served, failures, requests, limited } = await runTrial(brief('month runs out', 400), ours, 1);
    expect({ served, failures, requests, limited }).toEqual({ served: 300, failures: 100, requests: 300, limited: 0 });
  });
});

// Where each counted only its own requests under way, 152, 275 and 77 of 1,000 were refused. Of eight in a log 0 to 75 are, by the seed.
describe('clients that share nothing, in a minute that nothing shorter limits', () => {
  it.each(
    cases<readonly [world: string, mostRefused: number]>(
      [['8 clients, sliding-log', 45]],
      [
        ['2 clients, sliding-log', 25],
        ['4 clients, leaky', 25],
        ['8 clients, aligned', 25],
      ],
    ),
  )('are rarely refused, and use most of it together: %s', { timeout: 60_000 }, async (world, mostRefused) => {
    const { limited, served, utilisation } = await runTrial(brief(`300/min alone, ${world}`, 2_000), ours, 1);
    expect((1_000 * limited) / served).toBeLessThan(mostRefused);
    expect(utilisation).toBeGreaterThan(0.8);
  });
});

describe('the simulator', () => {
  it('refuses requests of a client that only retries, in the world in which this client is never refused', async () => {
    const { limited, utilisation } = await runTrial(brief('aligned: 20/s and 500/min', 300), kyRetry, 1);
    expect(limited).toBeGreaterThan(100);
    expect(utilisation).toBeGreaterThan(0.5);
  });

  it('refuses no clients that are told of each other, though they do not communicate', {
    timeout: 60_000,
  }, async () => {
    const crowd = brief('50 clients that do not share', 700);
    const { limited, served, requests } = await runTrial(crowd, contenderNamed('equal parts of 0.7'), 1);
    expect({ limited, served, requests }).toEqual({ limited: 0, served: 700, requests: 700 });
  });

  it('gives the globals back', async () => {
    const before = [Date, setTimeout, clearTimeout, setInterval, clearInterval, Math.random, performance.now];
    await runTrial(brief('keyless, 50/min', 10), kyRetry, 1);
    expect([Date, setTimeout, clearTimeout, setInterval, clearInterval, Math.random, performance.now]).toEqual(before);
  });

  it.for([ours, kyRetry])('measures the same in the same world: $name', async (contender) => {
    const measure = () => runTrial(brief('costs by page, 1 to 5', 80), contender, 7);
    expect(await measure()).toEqual(await measure());
  });

  it('measures something else in another world', async () => {
    const [one, other] = [
      await runTrial(brief('aligned: 20/s', 60), ours, 1),
      await runTrial(brief('aligned: 20/s', 60), ours, 2),
    ];
    expect(one.tookMs).not.toBe(other.tookMs);
  });
});

describe('the shortest possible time', () => {
  /** 300 ms into a second, 40 s into a minute. */
  const terms: Terms = {
    windows: 'aligned',
    limits: { second: 10 },
    ceilings: {},
    spent: undefined,
    startsAt: Date.UTC(2026, 2, 10, 14, 0, 40, 300),
    changes: [],
    pauses: [],
    taken: [],
    leastLatencyMs: 20,
  };
  const load = (count: number, cost = 1, endpoint = 'info'): Load => ({
    cost,
    endpoint,
    fromMs: Array.from({ length: count }, () => 0),
  });

  it.for<[WindowKind, number]>([
    ['aligned', 1_720],
    ['first-request', 2_020],
    ['sliding-log', 2_020],
    // Ten units fade by one every 100 ms, and then nine by one every 111 ms.
    ['sliding-counter', 2_275.6],
    ['leaky', 1_520],
  ])('for 25 requests in %s windows of 10 a second is %d ms', ([windows, ms]) => {
    expect(shortestMs([load(25)], { ...terms, windows })).toBeCloseTo(ms, 0);
  });

  it('knows several windows at once', () => {
    expect(shortestMs([load(25)], { ...terms, limits: { second: 10, minute: 20 } })).toBeCloseTo(19_720, 0);
  });

  it('knows windows of different shapes', () => {
    const limits = { second: 10, minute: 20 };
    // Five units drain from the bucket of a minute in 15 s.
    expect(shortestMs([load(25)], { ...terms, limits, windows: { minute: 'leaky' } })).toBeCloseTo(15_020, 0);
  });

  it('puts the costly requests where they fit', () => {
    expect(shortestMs([load(6, 4), load(6, 1)], terms)).toBeCloseTo(1_720, 0);
  });

  it('sends a request that costs more than a window alone', () => {
    expect(shortestMs([load(1, 15), load(1, 1)], terms)).toBeCloseTo(720, 0);
  });

  it('waits for calls that come later', () => {
    expect(shortestMs([{ ...load(0), fromMs: [0, 400] }], terms)).toBeCloseTo(420, 0);
  });

  it('counts what was used before', () => {
    expect(shortestMs([load(5)], { ...terms, spent: { units: 6, agoMs: 0 } })).toBeCloseTo(720, 0);
  });

  it.for<[WindowKind, number]>([
    ['aligned', 720],
    ['first-request', 1_020],
    ['sliding-log', 1_020],
    ['sliding-counter', 1_120],
    // Five of the ten units have drained by then.
    ['leaky', 20],
  ])('of %s windows leaves the others four units half a second later, and then is %d ms for ten', ([windows, ms]) => {
    const taken = Array.from({ length: 4 }, () => ({ at: terms.startsAt + 500, units: 1 }));
    expect(shortestMs([load(10)], { ...terms, windows, taken })).toBeCloseTo(ms, 0);
  });

  it('counts an endpoint against its own ceiling', () => {
    const ceilings = { assets: { minute: 2 } };
    expect(shortestMs([load(3, 1, 'assets')], { ...terms, ceilings })).toBeCloseTo(19_720, 0);
  });

  it('applies new limits at once', () => {
    const changes = [{ atMs: 100, limits: { second: 25 } }];
    expect(shortestMs([load(25)], { ...terms, changes })).toBeCloseTo(120, 0);
  });

  it('goes by the clock of the service as it is set', () => {
    const changes = [{ atMs: 100, skewMs: 600 }];
    expect(shortestMs([load(20)], { ...terms, changes })).toBeCloseTo(120, 0);
  });

  it('stands still during an outage', () => {
    expect(shortestMs([load(10)], { ...terms, pauses: [{ fromMs: 0, toMs: 300 }] })).toBeCloseTo(320, 0);
  });
});
