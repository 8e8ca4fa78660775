import { describe, expect, it } from 'vitest';
import { ManualPause } from '../../../src/quota/limits/manual-pause.ts';
import { Outages } from '../../../src/quota/limits/outages.ts';
import { Pauses } from '../../../src/quota/limits/pauses.ts';
import { charge, knownClock, untilOf } from '../support/builders.ts';
import { flightOf } from '../support/flight.ts';

const A = charge({ endpoint: 'GET /a' });

/** Pauses where `GET /b` was answered, and what causes them. */
function noPauses() {
  const [outages, manual] = [new Outages(), new ManualPause()];
  const pauses = new Pauses(outages, manual);
  outages.onAnswer(flightOf('GET /b', 0));
  pauses.onServed(flightOf('GET /b', 0));
  return {
    pauses,
    manual,
    /** A request is refused, without a time. */
    refuse: (now: number) => {
      const quota = { receivedAt: now, stacks: {}, malformed: [], unrecognised: {} };
      pauses.ordered.onRefused({ quota, sentAt: now }, knownClock(), now);
    },
    /** An endpoint is refused alone, and asked to pause for so long. */
    refuseAlone: (retryAfterMs: number, now: number) => {
      const window = { stacks: { minute: { limit: 10, remaining: 5 } }, malformed: [], unrecognised: {} };
      const quota = { receivedAt: now, retryAfterMs, ...window };
      pauses.endpoints.onRefused(flightOf('GET /a', now), { quota, sentAt: now }, knownClock(), now);
    },
    /** The requests of an endpoint fail five times in a row. */
    fail: (endpoint: string, now: number) => {
      for (let failure = 0; failure < 5; failure++) outages.onFailure({ endpoint, sentAt: now }, now);
    },
  };
}

describe('the pause of an endpoint', () => {
  it('that only leaves the probe to another one counts once the pause of all is over', () => {
    const { pauses } = noPauses();
    pauses.ordered.hold(1_000, 'the service asked for a pause');
    pauses.endpoints.letOthersProbe('GET /a', 1_000);
    expect(pauses.check(A, 10)).toMatchObject({ until: 1_000, scope: 'all' });
    expect(pauses.check(A, 1_000)).toMatchObject({ until: 1_100, scope: 'endpoint' });
  });

  it('that is longer counts beside the pause of all', () => {
    const { pauses, refuseAlone } = noPauses();
    pauses.ordered.hold(1_000, 'the service asked for a pause');
    refuseAlone(30_000, 10);
    expect(pauses.check(A, 10)).toMatchObject({ until: 30_010, scope: 'endpoint' });
  });

  it('is told what is sent and served: its calls follow one by one', () => {
    const { pauses, refuseAlone } = noPauses();
    refuseAlone(1_000, 0);
    const probe = flightOf('GET /a', 1_000);
    pauses.onSent(probe, false, 1_000);
    expect(untilOf(pauses, A, 1_010)).toBe(4_000);
    probe.isOver = true;
    pauses.onServed(probe);
    pauses.onSent(flightOf('GET /a', 1_100), false, 1_100);
    expect(untilOf(pauses, A, 1_100)).toBe(1_125);
  });

  it('is, of one that was ordered and an outage, the longer one', () => {
    const { pauses, refuseAlone, fail } = noPauses();
    fail('GET /a', 0);
    expect(pauses.ofEndpoint('GET /a')).toEqual({ until: 1_100, kind: 'outage' });
    refuseAlone(1_000, 0);
    expect(pauses.ofEndpoint('GET /a')).toEqual({ until: 1_100, kind: 'outage' });
    refuseAlone(2_000, 0);
    expect(pauses.ofEndpoint('GET /a')).toEqual({ until: 2_000, kind: 'cooldown' });
  });
});

it('the latest end of all pauses is that of all requests, or of an endpoint', () => {
  const { pauses, manual, refuseAlone, fail } = noPauses();
  pauses.ordered.hold(500, 'the service asked for a pause');
  expect(pauses.until).toBe(500);
  fail('GET /a', 0);
  expect(pauses.until).toBe(1_100);
  refuseAlone(3_000, 0);
  expect(pauses.until).toBe(3_000);
  manual.set(5_000);
  expect(pauses.until).toBe(5_000);
});

describe('how many calls may be sent now', () => {
  it('is none during a pause that follows another, one after it, and else not known', () => {
    const { pauses, refuse } = noPauses();
    refuse(0);
    expect([pauses.mostSent(10), pauses.mostSent(1_000)]).toEqual([Infinity, Infinity]);
    refuse(1_000);
    expect([pauses.mostSent(1_010), pauses.mostSent(3_000)]).toEqual([0, 1]);
  });

  it('is one after an outage', () => {
    const { pauses, fail } = noPauses();
    fail('GET /b', 0);
    expect([pauses.mostSent(10), pauses.mostSent(1_000)]).toEqual([0, 1]);
  });
});
