import { describe, expect, it } from 'vitest';
import { Outages } from '../../../src/quota/limits/outages.ts';
import { charge } from '../support/builders.ts';
import { flightOf } from '../support/flight.ts';

const A = charge({ endpoint: 'GET /a' });
const B = charge({ endpoint: 'GET /b' });

/** Outages where each of these endpoints was answered at first, and `GET /a` has failed so often since. */
function failing(times: number, ...answered: readonly string[]): Outages {
  const outages = new Outages();
  for (const endpoint of answered) outages.onAnswer(flightOf(endpoint, 0));
  for (let failure = 0; failure < times; failure++) outages.onFailure({ endpoint: 'GET /a', sentAt: 1 }, 10);
  return outages;
}

/** Ends the pause of the service: a request of `GET /b` is answered that was sent after it. */
function serve(outages: Outages): void {
  const probe = flightOf('GET /b', 1_050);
  outages.onSent(probe, 1_050);
  probe.isOver = true;
  outages.onAnswer(probe);
}

describe('an endpoint that fails', () => {
  it('is left to itself once another one is answered', () => {
    const outages = failing(5, 'GET /b', 'GET /a');
    expect(outages.check(B, 10)).toMatchObject({ until: 1_010, scope: 'all', isOutage: true });
    serve(outages);
    expect(outages.check(B, 1_100)).toBeUndefined();
    outages.onFailure({ endpoint: 'GET /a', sentAt: 1_060 }, 1_200);
    const hold = outages.check(A, 1_200);
    expect(hold).toMatchObject({ until: 3_300, scope: 'endpoint', isFirm: true, failingSince: 10, isOutage: true });
    expect(hold?.reason().why).toBe('the last 6 requests of GET /a failed');
    expect(outages.check(B, 1_200)).toBeUndefined();
  });

  it('is known by the end of its pause, and by the latest of all, for estimates', () => {
    const outages = failing(5, 'GET /b');
    expect([outages.untilOf('GET /a'), outages.untilOf('GET /b'), outages.endpointsUntil]).toEqual([
      1_110,
      -Infinity,
      1_110,
    ]);
    expect(failing(5).untilOf('GET /a')).toBe(-Infinity);
  });

  it('is known as one of others whichever was answered last', () => {
    for (const answered of [
      ['GET /a', 'GET /b'],
      ['GET /b', 'GET /a'],
      ['GET /b', 'GET /a', 'GET /a'],
    ])
      expect(failing(5, ...answered).hasAnsweredBeside('GET /a')).toBe(true);
    expect(failing(5, 'GET /a', 'GET /a').hasAnsweredBeside('GET /a')).toBe(false);
  });

  it('says nothing new of a service that answers for others', () => {
    const outages = failing(5, 'GET /b');
    serve(outages);
    for (let failure = 0; failure < 5; failure++) outages.onFailure({ endpoint: 'GET /a', sentAt: 1_060 }, 1_200);
    expect(outages.check(B, 1_200)).toBeUndefined();
  });

  it('leaves the probe of the service to another one', () => {
    const outages = failing(5, 'GET /b');
    expect(outages.check(B, 1_010)).toBeUndefined();
    expect(outages.check(A, 1_010)).toMatchObject({ until: 1_110, scope: 'endpoint' });
  });

  it('is the service itself where no other one was answered', () => {
    for (const outages of [failing(5), failing(5, 'GET /a'), failing(5, 'GET /a', 'GET /a')]) {
      expect(outages.check(A, 10)).toMatchObject({ until: 1_010, scope: 'all' });
      expect(outages.check(A, 1_010)).toBeUndefined();
      outages.onFailure({ endpoint: 'GET /a', sentAt: 1_010 }, 1_020);
      expect(outages.check(A, 1_020)).toMatchObject({ until: 3_020, scope: 'all' });
    }
  });

  it('is served again once it is answered', () => {
    const outages = failing(5, 'GET /b');
    serve(outages);
    const probe = flightOf('GET /a', 2_000);
    outages.onSent(probe, 2_000);
    expect(outages.check(A, 2_010)).toMatchObject({ until: 5_000, scope: 'endpoint' });
    probe.isOver = true;
    outages.onAnswer(probe);
    expect(outages.check(A, 2_100)).toBeUndefined();
    outages.onSent(flightOf('GET /a', 2_100), 2_100);
    expect(outages.check(A, 2_100)).toMatchObject({ until: 2_125, scope: 'endpoint' });
  });

  it('was down by what its own requests found', () => {
    const outages = failing(5, 'GET /b');
    expect(outages.wasDown({ endpoint: 'GET /b', sentAt: 20 })).toBe(true);
    serve(outages);
    expect(outages.wasDown({ endpoint: 'GET /b', sentAt: 20 })).toBe(false);
    expect(outages.wasDown({ endpoint: 'GET /a', sentAt: 20 })).toBe(true);
  });

  it('was not down where none was ever answered: nothing shows that it exists', () => {
    expect(failing(5).wasDown({ endpoint: 'GET /a', sentAt: 20 })).toBe(false);
  });

  it('is one of a bounded number', () => {
    const outages = failing(5, 'GET /b');
    for (let other = 0; other < 64; other++) outages.onFailure({ endpoint: `GET /${other}`, sentAt: 1 }, 10);
    serve(outages);
    expect(outages.check(A, 1_060)?.scope).not.toBe('endpoint');
  });
});
