import { describe, expect, it } from 'vitest';
import { Discovery } from '../../src/sharing/discovery.ts';
import { LOOK_MS, type ShareStore } from '../../src/sharing/store.ts';

/** Asks a store that answers so, at an instant. */
async function asked(answer: 'granted' | 'over' | number, isFirst: boolean, now = 0): Promise<Discovery> {
  const discovery = new Discovery();
  await discovery.ask({ look: async () => answer } as unknown as ShareStore, 'me', isFirst, () => now);
  return discovery;
}

describe('a look at the service', () => {
  it('begins at once where nothing is known yet: nobody can hold units', async () => {
    const discovery = await asked('granted', true);
    expect(discovery.isAlone(0)).toBe(true);
  });

  it('begins when the others have sent what they held, where windows are known', async () => {
    const discovery = await asked('granted', false);
    await discovery.ask({ look: async () => 'granted' } as unknown as ShareStore, 'me', false, () => 900);
    expect([discovery.isAlone(1_299), discovery.isAlone(1_300)]).toEqual([false, true]);
    expect(discovery.aloneFor(2_300)).toBe(1_000);
  });

  it('is asked for again before it ends, so that the looks of a process follow each other without a break', async () => {
    const discovery = await asked('granted', false);
    const renewsAt = discovery.renewsAt(0);
    expect([discovery.mayAsk(renewsAt - 1), discovery.mayAsk(renewsAt)]).toEqual([false, true]);
    expect(renewsAt).toBeLessThan(LOOK_MS);
    expect(discovery.renewsAt(LOOK_MS)).toBe(Number.POSITIVE_INFINITY);
    expect((await asked('over', false)).renewsAt(0)).toBe(Number.POSITIVE_INFINITY);
  });

  it('ends for its owner a little before the others begin again: clocks run apart', async () => {
    const discovery = await asked('granted', true);
    expect([discovery.isAlone(LOOK_MS - 31), discovery.isAlone(LOOK_MS - 30)]).toEqual([true, false]);
  });

  it('is ended early when enough is known, and that is told once', async () => {
    const discovery = await asked('granted', true);
    expect([discovery.end(), discovery.end()]).toEqual([true, false]);
    expect(discovery.isAlone(1)).toBe(false);
  });

  it('of another process is waited for, where nothing is known by asking twenty times a second', async () => {
    const discovery = await asked(3_000, true);
    expect([discovery.waitsUntil, discovery.mayAsk(49), discovery.mayAsk(50)]).toEqual([50, false, true]);
  });

  it('of another process at a window in doubt is waited for, by asking again every 200 ms: it may end early', async () => {
    const discovery = await asked(900, false);
    expect([discovery.waitsUntil, discovery.mayAsk(499), discovery.mayAsk(500)]).toEqual([200, false, true]);
  });

  it('of another process never holds this one for long without asking again, whatever the store says', () => {
    const discovery = new Discovery();
    discovery.hearOther(9e9, 100);
    expect(discovery.waitsUntil).toBe(300);
  });

  it('is asked for twice a second and no more where one was refused or ended without finding anything', async () => {
    const discovery = await asked('granted', false);
    discovery.end();
    expect([discovery.mayAsk(499), discovery.mayAsk(500)]).toEqual([false, true]);
  });

  it('is never asked for again when there were enough of them', async () => {
    const discovery = await asked('over', false);
    expect([discovery.isOver, discovery.mayAsk(1e9)]).toEqual([true, false]);
  });
});
