import { describe, expect, it } from 'vitest';
import { Resumption } from '../../src/sharing/resumption.ts';
import type { ShareStore } from '../../src/sharing/store.ts';

const UNTIL = 10_000;

/** A store that says what to do after a pause. */
function saying(answer: 'free' | 'probe' | number): ShareStore {
  return { resume: async () => answer } as unknown as ShareStore;
}

/** A process that has heard of a pause, asked what to do at its end, and was told. */
async function told(answer: 'free' | 'probe' | number, random = 0.5): Promise<Resumption> {
  const resumption = new Resumption(() => random);
  resumption.pause(UNTIL);
  await resumption.ask(saying(answer), 'me', () => UNTIL);
  return resumption;
}

describe('a pause of the service', () => {
  it('holds everything until it ends, and then until the store has said what to do', () => {
    const resumption = new Resumption(() => 0);
    expect(resumption.until(0)).toBeLessThanOrEqual(0);
    resumption.pause(UNTIL);
    expect([resumption.until(0), resumption.mayAsk(0)]).toEqual([UNTIL, false]);
    expect([resumption.until(UNTIL), resumption.mayAsk(UNTIL)]).toEqual([UNTIL + 1, true]);
  });

  it('is news only if it ends later than the one that is known', () => {
    const resumption = new Resumption(() => 0);
    expect([UNTIL, UNTIL, UNTIL - 1, UNTIL + 1].map((until) => resumption.pause(until))).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  it('ends with one probe: the process that makes it sends one request and no second', async () => {
    const resumption = await told('probe');
    expect([resumption.until(UNTIL) <= UNTIL, resumption.mayProbe(UNTIL)]).toEqual([true, true]);
    resumption.take(UNTIL);
    expect(resumption.mayProbe(UNTIL + 1)).toBe(false);
    resumption.onServed(UNTIL, UNTIL + 40);
    expect([resumption.mayAsk(UNTIL + 50), resumption.isDue(UNTIL + 50)]).toEqual([false, true]);
  });

  it('is not ended by the answer to a request that was sent before it', async () => {
    const resumption = await told('probe');
    resumption.onServed(UNTIL - 500, UNTIL + 40);
    expect([resumption.mayProbe(UNTIL + 50), resumption.isDue(UNTIL + 50)]).toEqual([true, false]);
  });

  it('is asked about again when the probe has not come back in two seconds', async () => {
    const resumption = await told('probe');
    resumption.take(UNTIL);
    expect([resumption.mayAsk(UNTIL + 1_999), resumption.mayAsk(UNTIL + 2_000)]).toEqual([false, true]);
    resumption.onServed(UNTIL, UNTIL + 2_000);
    expect([resumption.mayAsk(UNTIL + 2_000), resumption.isDue(UNTIL + 2_000)]).toEqual([true, false]);
  });

  it('is asked about five times a second while another process probes, however long that may take', async () => {
    const resumption = await told(2_000);
    expect([resumption.until(UNTIL + 1), resumption.mayAsk(UNTIL + 199), resumption.mayAsk(UNTIL + 200)]).toEqual([
      UNTIL + 200,
      false,
      true,
    ]);
  });

  it('is left by the processes that did not probe within a second, and not by all at once', async () => {
    const untils = await Promise.all([0, 0.25, 1].map(async (random) => (await told('free', random)).until(UNTIL)));
    expect(untils).toEqual([UNTIL, UNTIL + 250, UNTIL + 1_000]);
  });

  it('that follows another begins anew', async () => {
    const resumption = await told('probe');
    resumption.take(UNTIL);
    resumption.pause(UNTIL + 5_000);
    expect([resumption.mayProbe(UNTIL + 10), resumption.until(UNTIL + 10)]).toEqual([false, UNTIL + 5_000]);
  });

  it('that is over, and that this process did not know of, is asked about, too', () => {
    const resumption = new Resumption(() => 0);
    resumption.hear(1, 0);
    expect(resumption.mayAsk(5)).toBe(true);
  });

  it('is over with its time where the store cannot be asked', () => {
    const resumption = new Resumption(() => 0);
    resumption.pause(UNTIL);
    resumption.giveUp();
    expect(resumption.until(UNTIL)).toBeLessThanOrEqual(UNTIL);
  });
});
