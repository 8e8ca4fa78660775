import { describe, expect, it } from 'vitest';
import { type Hold, holdUntil, type Limit } from '../../../src/quota/admission.ts';
import { Exemptions } from '../../../src/quota/limits/exemptions.ts';
import { ManualPause } from '../../../src/quota/limits/manual-pause.ts';
import { Outages } from '../../../src/quota/limits/outages.ts';
import { Pauses } from '../../../src/quota/limits/pauses.ts';
import { wholeShareLimit } from '../../../src/quota/share-limit.ts';
import { charge } from '../support/builders.ts';

const HOUR_MS = 3_600_000;
const ASK = { endpoint: 'GET /a', maxWaitMs: Infinity };

/** A hold of many hours, which only time ends. */
const LONG: Hold = holdUntil(30 * HOUR_MS, () => ({ kind: 'reserve', why: 'the rest is kept' }), { isFirm: true });

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
