import { describe, expect, it } from 'vitest';
import { Outage } from '../../../src/quota/limits/outage.ts';
import { charge, untilOf } from '../support/builders.ts';
import { flightOf } from '../support/flight.ts';
import { AGE_MS } from '../support/script.ts';

const CHARGE = charge();
const SENT = { sentAt: 0 };

describe('a service that does not answer', () => {
  const failing = (times: number, now = 0): Outage => {
    const outage = new Outage();
    for (let failure = 0; failure < times; failure++) outage.onFailure(SENT, now);
    return outage;
  };

  it('is asked on after a few failures', () => {
    expect(untilOf(failing(4), CHARGE, 0)).toBe(0);
  });

  it('is left alone after five in a row, then asked by one', () => {
    const outage = failing(5);
    expect(untilOf(outage, CHARGE, 0)).toBe(1_000);
    expect(outage.check(CHARGE, 0)?.reason()).toEqual({
      kind: 'outage',
      why: 'the last 5 requests failed',
    });
    outage.onSent(flightOf('GET /a', 1_000), 1_000);
    expect(outage.check(CHARGE, 1_001)?.reason().kind).toBe('half-open');
  });

  it('spaces no requests by its answers while few have failed', () => {
    const outage = failing(4);
    outage.onAnswer(flightOf('GET /a', 100));
    outage.onSent(flightOf('GET /a', 200), 200);
    expect(untilOf(outage, CHARGE, 200)).toBe(200);
  });

  it('is said to be down with the code of the latest failure', () => {
    const outage = failing(4);
    expect(outage.why).toBe('');
    outage.onFailure(SENT, 0, 'ECONNRESET');
    expect(outage.why).toBe('the last 5 requests failed, the latest with ECONNRESET');
  });

  it('was found down by requests that were sent after the first failure, until one is answered', () => {
    const outage = failing(4, 70);
    expect(outage.wasDownAt(80)).toBe(false);
    outage.onFailure(SENT, 90);
    expect([60, 70, 71].map((sentAt) => outage.wasDownAt(sentAt))).toEqual([false, false, true]);
    outage.onAnswer(flightOf('GET /a', 2_000));
    expect(outage.wasDownAt(3_000)).toBe(false);
  });

  it('has not failed in a row where a minute is between two failures', () => {
    const outage = failing(4);
    outage.onFailure(SENT, 60_001);
    expect(untilOf(outage, CHARGE, 60_001)).toBe(60_001);
    for (let failure = 0; failure < 4; failure++) outage.onFailure(SENT, 120_001);
    expect(untilOf(outage, CHARGE, 120_001)).toBe(121_001);
  });

  it('is down still where its probe fails after a minute without requests', () => {
    const outage = failing(5);
    outage.onFailure(SENT, 600_000);
    expect(untilOf(outage, CHARGE, 600_000)).toBe(602_000);
  });

  it('has callers wait since it failed first', () => {
    const outage = failing(5, 70);
    outage.onFailure(SENT, 90);
    expect([outage.check(CHARGE, 80)?.isFirm, outage.check(CHARGE, 80)?.failingSince]).toEqual([true, 70]);
  });

  it('is left alone for longer once, and then asked every two seconds', () => {
    const outage = failing(5);
    const pauses = Array.from({ length: 5 }, () => {
      const now = outage.until;
      outage.onFailure(SENT, now);
      return outage.until - now;
    });
    expect(pauses).toEqual([2_000, 2_000, 2_000, 2_000, 2_000]);
  });

  it('pauses once for all that fail together', () => {
    const outage = failing(32);
    expect(outage.until).toBe(1_000);
  });

  it('is down no more when anything is answered in between', () => {
    const outage = failing(4);
    outage.onAnswer(flightOf('GET /a', 0));
    outage.onFailure(SENT, 0);
    expect(untilOf(outage, CHARGE, 0)).toBe(0);
  });

  it('is not down where requests that were sent later were answered', () => {
    const outage = new Outage();
    outage.onAnswer(flightOf('GET /b', 10));
    for (let failure = 0; failure < 32; failure++) outage.onFailure({ sentAt: 9 }, 30_000, 'TIMEOUT');
    expect(outage.check(CHARGE, 30_000)).toBeUndefined();
    for (let failure = 0; failure < 5; failure++) outage.onFailure({ sentAt: 10 }, 30_000, 'TIMEOUT');
    expect(untilOf(outage, CHARGE, 30_000)).toBe(31_000);
  });

  it('is asked by all again once it has answered the one that went first', () => {
    const outage = failing(5);
    const probe = flightOf('GET /a', 1_000);
    outage.onSent(probe, 1_000);
    expect(untilOf(outage, CHARGE, 1_001)).toBe(1_000 + AGE_MS);
    outage.onAnswer(probe);
    expect(outage.check(CHARGE, 1_002)).toBeUndefined();
    outage.onSent(flightOf('GET /a', 1_002), 1_002);
    expect(outage.check(CHARGE, 1_002)).toMatchObject({ until: 1_027, isFirm: false });
    for (let second = 2; second < 40; second++) outage.onSent(flightOf('GET /a', second * 1_000), second * 1_000);
    expect(outage.check(CHARGE, 39_000)).toBeUndefined();
  });

  it('is left alone to the end of the pause, whatever a request that was sent before it is answered', () => {
    const outage = failing(5);
    outage.onAnswer(flightOf('GET /a', -10));
    expect(outage.check(CHARGE, 500)).toMatchObject({
      until: 1_000,
      mayEndOnAnswer: false,
      failingSince: 0,
      isOutage: true,
    });
  });
});
