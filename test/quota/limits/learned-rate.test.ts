import { describe, expect, it } from 'vitest';
import { LearnedRate } from '../../../src/quota/limits/learned-rate.ts';
import { charge, untilOf } from '../support/builders.ts';
import { flightOf } from '../support/flight.ts';

const MINUTE_MS = 60_000;

/** A rate, and what becomes of the requests of one endpoint. */
function aRate({ endpoint, isNamed }: { readonly endpoint?: string; readonly isNamed: boolean }) {
  const rate = new LearnedRate(endpoint);
  const send = (at: number) => {
    const flight = flightOf('GET /a', at);
    rate.onSent(flight, at);
    return flight;
  };
  return {
    /** So many requests are served, 20 a second. */
    serve: (from: number, count = 20) => {
      for (let nth = 0; nth < count; nth++) {
        const at = from + 50 * nth;
        rate.onServed(send(at), 1, at + 40);
      }
    },
    /** So many requests are refused at once, and a pause of a second follows. */
    refuse: (at: number, count = 1, pauseMs = 1_000) => {
      for (const flight of Array.from({ length: count }, () => send(at)))
        rate.onRefused(flight, at + 50 + pauseMs, isNamed, at + 50);
    },
    /** How long a request waits that would follow one of this instant. */
    gapAt: (at: number) => {
      send(at);
      return untilOf(rate, charge(), at) - at;
    },
    /** Whose requests wait. */
    scopeAt: (at: number) => rate.check(charge(), at)?.scope,
  };
}

describe('requests are spaced', () => {
  it('from the first refusal on where no window is known', () => {
    const { serve, refuse, gapAt } = aRate({ isNamed: false });
    serve(0);
    expect(gapAt(1_000)).toBe(0);
    refuse(1_000);
    expect(gapAt(2_050)).toBeGreaterThan(50);
  });

  it.each([
    ['that come at once, soon after others', 30_000, 2, true],
    ['of which one comes alone', 30_000, 1, false],
    ['that come a minute after the pause for others', 1_050 + 1_001 + MINUTE_MS, 2, false],
  ])('where windows are known only from refusals on %s', (_, at, count, isSpaced) => {
    const { serve, refuse, gapAt } = aRate({ isNamed: true });
    serve(0);
    // The first of all are chance, like those a minute after others.
    refuse(1_000, 2);
    expect(gapAt(2_050)).toBe(0);
    serve(at - 1_000);
    refuse(at, count);
    expect(gapAt(at + 1_050) > 0).toBe(isSpaced);
  });

  it('where windows are known by what was served since the pause for the refusals before', () => {
    const { serve, refuse, gapAt } = aRate({ isNamed: true });
    serve(0);
    refuse(1_000, 2);
    serve(2_100, 10);
    refuse(3_050, 2);
    expect(gapAt(4_100)).toBeCloseTo(2_050 / 10 / 0.95, 0);
  });

  it('of an endpoint by its longest pause at most, and else by a minute', () => {
    const gapOf = (endpoint: string | undefined): number => {
      const { serve, refuse, gapAt } = aRate({ isNamed: false, ...(endpoint && { endpoint }) });
      serve(0, 2);
      refuse(100, 1, 600_000);
      return gapAt(600_150);
    };
    expect(gapOf('GET /a')).toBeCloseTo(8_000 / 0.95, 0);
    expect(gapOf(undefined)).toBeCloseTo(MINUTE_MS / 0.95, 0);
  });

  it.each([
    ['alone, where it is for one', 'GET /a', 'endpoint'],
    ['or of all', undefined, 'all'],
  ] as const)('of an endpoint %s', (_, endpoint, scope) => {
    const { serve, refuse, gapAt, scopeAt } = aRate({ isNamed: false, ...(endpoint && { endpoint }) });
    serve(0);
    refuse(1_000);
    gapAt(2_050);
    expect(scopeAt(2_051)).toBe(scope);
  });
});

describe('spacing that does not help is given up, where windows are known,', () => {
  /** Spaced requests of which each second one is refused, as unspaced ones were. */
  const refusedAnyway = (
    times: number,
    { probes = 0, isNamed = true, served = 1, atOnce = 1, after = 0 } = {},
  ): number => {
    const { serve, refuse, gapAt } = aRate({ isNamed });
    serve(0);
    refuse(1_000, 2);
    serve(3_000, 10);
    refuse(4_000, 10);
    let at = 6_000;
    for (let nth = 0; nth < times; nth++) {
      serve(at, served);
      at += 10_000;
      refuse(at, atOnce);
      // What is refused again right after the pause.
      for (let probe = 0; probe < probes; probe++) refuse(at + 1_050 * (probe + 1));
      at += 10_000;
    }
    for (let nth = 0; nth < after; nth++) {
      serve(at, 20);
      refuse(at + 1_000, 2);
      at += 10_000;
    }
    return gapAt(at + 20_000);
  };

  it('once eight spaced ones were refused as often as others', () => {
    expect(refusedAnyway(7)).toBeGreaterThan(0);
    expect(refusedAnyway(8)).toBe(0);
  });

  it('and not where far more of them are served', () => {
    expect(refusedAnyway(9, { served: 20 })).toBeGreaterThan(0);
  });

  it('by all that are refused at once', () => {
    expect(refusedAnyway(1, { atOnce: 8 })).toBe(0);
  });

  it('for all that is refused soon after, at once or not', () => {
    expect(refusedAnyway(8, { after: 3 })).toBe(0);
  });

  it('and nowhere else', () => {
    expect(refusedAnyway(9, { isNamed: false })).toBeGreaterThan(0);
  });

  it('and not because of those that are refused again right after a pause, which tell of its length', () => {
    expect(refusedAnyway(7, { probes: 3 })).toBeGreaterThan(0);
  });
});
