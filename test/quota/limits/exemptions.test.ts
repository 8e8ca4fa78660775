import { describe, expect, it } from 'vitest';
import { type Hold, holdUntil, type Limit } from '../../../src/quota/admission.ts';
import { Exemptions } from '../../../src/quota/limits/exemptions.ts';
import { ManualPause } from '../../../src/quota/limits/manual-pause.ts';
import { Outages } from '../../../src/quota/limits/outages.ts';
import { Pauses } from '../../../src/quota/limits/pauses.ts';
import { wholeShareLimit } from '../../../src/quota/share-limit.ts';
import { charge, knownClock } from '../support/builders.ts';
import { flightOf } from '../support/flight.ts';

const HOUR_MS = 3_600_000;
const ASK = { endpoint: 'GET /a', maxWaitMs: Infinity };

/** A hold of many hours, which only time ends. */
const LONG: Hold = holdUntil(30 * HOUR_MS, () => ({ kind: 'reserve', why: 'the rest is kept' }), { isFirm: true });

/** Exemptions where `GET /a` refuses alone and pauses for five hours, and what they are told. */
function endpointPauses(open = 0, ...limits: Limit[]) {
  const pauses = new Pauses(new Outages(), new ManualPause());
  const told: boolean[] = [];
  const shareLimit = { mayTry: () => true, tellTrial: (isServed: boolean) => told.push(isServed) };
  const flights = { open: 1, openOf: () => open };
  const exemptions = new Exemptions({ flights, pauses, windows: { limits }, shareLimit });
  const quota = { receivedAt: 0, retryAfterMs: 5 * HOUR_MS, stacks: {}, malformed: [], unrecognised: {} };
  pauses.endpoints.onServed(flightOf('GET /b', 0));
  pauses.endpoints.onRefused(flightOf('GET /a', 0), { quota, sentAt: 0 }, knownClock(), 0);
  const mayGo = (now: number): boolean => {
    const hold = pauses.check(charge(), now);
    return !hold || exemptions.holdLeft(ASK, charge(), { hold, own: hold }, now) === undefined;
  };
  mayGo(0);
  return { exemptions, pauses, told, mayGo };
}

/** What is left of that hold an hour after the last answer, where these limits are the windows. */
function leftAfterAnHour(own: Hold | undefined, ...limits: Limit[]): Hold | undefined {
  const pauses = new Pauses(new Outages(), new ManualPause());
  const exemptions = new Exemptions({
    flights: { open: 0, openOf: () => 0 },
    pauses,
    windows: { limits },
    shareLimit: wholeShareLimit,
  });
  exemptions.onAnswer({ endpoint: 'GET /a' }, 0);
  return exemptions.holdLeft(ASK, charge(), { hold: LONG, own }, HOUR_MS);
}

describe('an hourly trial of an endpoint that pauses alone', () => {
  it('goes an hour after the last answer of its own, though others are under way', () => {
    const { exemptions, mayGo } = endpointPauses();
    expect([mayGo(HOUR_MS - 1), mayGo(HOUR_MS), exemptions.triesAt]).toEqual([false, true, HOUR_MS]);
    exemptions.onSent(ASK, flightOf('GET /a', HOUR_MS), HOUR_MS);
    expect([mayGo(HOUR_MS + 1), mayGo(2 * HOUR_MS)]).toEqual([false, true]);
    exemptions.onAnswer({ endpoint: 'GET /a' }, HOUR_MS + 500);
    expect([mayGo(2 * HOUR_MS), mayGo(2 * HOUR_MS + 500)]).toEqual([false, true]);
    exemptions.onAnswer({ endpoint: 'GET /b' }, 2 * HOUR_MS);
    expect(mayGo(2 * HOUR_MS + 500)).toBe(true);
  });

  it('waits for one of its own that is under way, and for what holds back more than its endpoint', () => {
    expect(endpointPauses(1).mayGo(HOUR_MS)).toBe(false);
    expect(endpointPauses(0, { check: () => LONG }).mayGo(HOUR_MS)).toBe(false);
    const { pauses, mayGo } = endpointPauses();
    pauses.manual.set(2 * HOUR_MS);
    expect(mayGo(HOUR_MS)).toBe(false);
  });

  it('ends the pause if it is served, and tells siblings nothing of theirs', () => {
    const { exemptions, pauses, told } = endpointPauses();
    exemptions.onExempt(flightOf('GET /a', HOUR_MS), false, HOUR_MS + 10);
    expect([pauses.endpoints.until, told]).toEqual([5 * HOUR_MS, []]);
    exemptions.onExempt(flightOf('GET /a', HOUR_MS), true, HOUR_MS + 10);
    expect([pauses.endpoints.until, told]).toEqual([HOUR_MS + 10, []]);
    exemptions.onExempt(flightOf('GET /b', HOUR_MS), true, HOUR_MS + 10);
    expect(told).toEqual([true]);
  });
});

describe('an hourly trial', () => {
  it('passes a hold of the share, or of what binds beside a window that is used up', () => {
    expect(leftAfterAnHour(undefined)).toBeUndefined();
    expect(leftAfterAnHour(LONG, { check: () => LONG })).toBeUndefined();
  });

  it('passes nothing that holds a call back while the quota has room: what the caller keeps is not tried', () => {
    expect(leftAfterAnHour(LONG)).toBe(LONG);
    expect(leftAfterAnHour(LONG, { check: () => undefined })).toBe(LONG);
    expect(leftAfterAnHour(LONG, { check: () => ({ ...LONG, isFirm: false }) })).toBe(LONG);
  });
});
