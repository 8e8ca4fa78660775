import { describe, expect, it } from 'vitest';
import { SiblingUse } from '../../src/sharing/sibling-use.ts';
import { fleetOf } from './support/fleet.ts';

/** What is known after a minute whose use grew by this much each second, of which this process sent some. */
function grown(units: number, own: number, seconds = 60): SiblingUse {
  const use = new SiblingUse();
  for (let second = 0; second <= seconds; second++) {
    use.hear('minute:1', second * units, second * 1_000);
    use.onSent(own);
  }
  return use;
}

describe('what the other processes of a share use', () => {
  it('is what grows in a window beyond the units of this process', () => {
    const perSecond = grown(10, 4).unitsOf('second', 60_000);
    // A minute of it is twice as long as a rate is remembered.
    expect(perSecond).toBeGreaterThan(6 * 0.8);
    expect(perSecond).toBeLessThanOrEqual(6);
  });

  it('is nothing while this process sends all of it, and never less than nothing', () => {
    expect(grown(4, 4).unitsOf('minute', 60_000)).toBe(0);
    expect(grown(2, 4).unitsOf('minute', 60_000)).toBe(0);
  });

  it('is unknown by the first reading of a window, which counts what was used before', () => {
    const use = new SiblingUse();
    use.hear('minute:1', 500, 0);
    use.hear('minute:2', 40, 60_000);
    expect(use.unitsOf('minute', 60_000)).toBe(0);
  });

  it('is not measured between two trips that come close together', () => {
    const use = new SiblingUse();
    use.hear('minute:1', 0, 5_000);
    use.hear('minute:1', 50, 5_499);
    expect(use.unitsOf('minute', 5_499)).toBe(0);
    use.hear('minute:1', 50, 5_500);
    expect(use.unitsOf('minute', 5_500)).toBeGreaterThan(0);
  });

  it('is a mean in which older reports fade, by a factor of e in thirty seconds', () => {
    const use = new SiblingUse();
    use.hear('minute:1', 0, 0);
    use.hear('minute:1', 10, 1_000);
    // The first rate, of ten a second.
    expect(use.unitsOf('second', 1_000)).toBeCloseTo(10, 9);
    use.hear('minute:1', 10, 31_000);
    expect(use.unitsOf('second', 31_000)).toBeCloseTo(10 * Math.exp(-1), 9);
  });

  it('begins anew after more than thirty seconds without a report', () => {
    const rate = (restMs: number): number => {
      const use = new SiblingUse();
      use.hear('minute:1', 0, 0);
      use.hear('minute:1', 10, 1_000);
      use.hear('minute:1', 10, 1_000 + restMs);
      return use.unitsOf('second', 1_000 + restMs);
    };
    expect(rate(30_000)).toBeGreaterThan(3);
    expect(rate(30_001)).toBe(0);
  });

  it('is remembered by the time at which it was seen last', () => {
    const use = new SiblingUse();
    expect(use.usedAt).toBe(-Infinity);
    // The first report counts what was used before.
    use.hear('minute:1', 5, 0);
    expect(use.usedAt).toBe(-Infinity);
    use.onSent(3);
    use.hear('minute:1', 8, 1_000);
    expect(use.usedAt).toBe(-Infinity);
    use.hear('minute:1', 9, 2_000);
    use.hear('minute:1', 9, 3_000);
    expect(use.usedAt).toBe(2_000);
    // A window that begins counts nothing from before.
    use.onSent(1);
    use.hear('minute:2', 2, 60_000);
    expect(use.usedAt).toBe(60_000);
  });

  it('counts for nothing a minute after the last report', () => {
    const use = grown(10, 0);
    expect(use.unitsOf('minute', 120_000)).toBeGreaterThan(0);
    expect(use.unitsOf('minute', 120_001)).toBe(0);
  });
});

// By an equal part of the minute it was 96 s.
it('an estimate reckons with what the other processes leave, not with an equal part', async () => {
  const quota = { keyed: { minute: 60 }, windows: { minute: 'aligned' }, latencyMs: [20, 80] } as const;
  const { clock, clients } = fleetOf(4, quota, {}, { seed: 1, calendar: ['minute', 'month'] });
  const [busy, other] = clients;
  const little = async (): Promise<void> => {
    for (let call = 0; call < 30; call++) {
      await other?.getInfo();
      await clock.sleep(3_000);
    }
  };
  const job = async (): Promise<void> => {
    await clock.sleep(65_000);
    const calls = Promise.all(Array.from({ length: 100 }, () => busy?.getInfo({ maxWaitMs: 600_000 })));
    await clock.sleep(2_000);
    const { ms = Infinity } = busy?.estimate() ?? {};
    const from = clock.now();
    await calls;
    expect(Math.abs(ms - (clock.now() - from))).toBeLessThan(1_000);
  };
  await clock.run(Promise.all(clients.map((client) => client.getInfo())));
  await clock.run(clock.sleep(70_000));
  await clock.run(Promise.all([little(), job()]));
});
