import { describe, expect, it } from 'vitest';
import { Discovery } from '../../../src/sharing/facts/discovery.ts';
import { LOOK_MS, type ShareStore } from '../../../src/sharing/store/store.ts';

/** Asks for a look at an instant, and hears this. */
function asked(answer: 'granted' | 'over' | number, isFirst: boolean, now = 0): Discovery {
  const discovery = new Discovery();
  discovery.ask(isFirst, now);
  discovery.hear(answer, false, now);
  return discovery;
}

describe('a look at the service', () => {
  it('begins at once where nothing is known yet: no process can hold units', () => {
    const discovery = asked('granted', true);
    expect(discovery.isAlone(0)).toBe(true);
  });

  it('is asked for again as soon as that of another is over, and soon in any case where nothing is known yet', () => {
    expect([asked(20, true), asked(900, true), asked(900, false)].map(({ waitsUntil }) => waitsUntil)).toEqual([
      20, 50, 200,
    ]);
  });

  it('begins when the others have sent what they held, where windows are known', () => {
    const discovery = asked('granted', false);
    discovery.ask(false, 900);
    discovery.hear('granted', false, 900);
    expect([discovery.isAlone(1_299), discovery.isAlone(1_300)]).toEqual([false, true]);
  });

  it('spreads few calls, so that some are counted before a second ends and others after it', () => {
    const discovery = asked('granted', true);
    discovery.onSent(5, 40);
    expect([discovery.sendsAt(60, 50), discovery.sendsAt(60, 200)]).toEqual([190, 190]);
    discovery.onSent(0, 900);
    expect(discovery.sendsAt(60, 910)).toBe(LOOK_MS - 30);
    discovery.end();
    expect(discovery.sendsAt(60, 910)).toBe(910);
  });

  it('does not hold back calls of which more wait than fit into it, and none where answers take longer than the time between two', () => {
    const far = asked('granted', true);
    far.onSent(5, 40);
    expect(far.sendsAt(150, 50)).toBe(50);
    const crowded = asked('granted', true);
    for (const waiting of [7, 1]) crowded.onSent(waiting, 40);
    expect(crowded.sendsAt(60, 50)).toBe(50);
    // The next look may be another matter.
    crowded.ask(true, 2_000);
    crowded.hear('granted', false, 2_000);
    crowded.onSent(1, 2_040);
    expect(crowded.sendsAt(60, 2_050)).toBe(2_190);
  });

  it('is asked for again before it ends, so that the looks of a process follow each other without a break', () => {
    const discovery = asked('granted', false);
    const renewsAt = discovery.renewsAt(0);
    expect([discovery.mayAsk(renewsAt - 1), discovery.mayAsk(renewsAt)]).toEqual([false, true]);
    expect(renewsAt).toBeLessThan(LOOK_MS);
    expect(discovery.renewsAt(LOOK_MS)).toBe(Infinity);
    expect(asked('over', false).renewsAt(0)).toBe(Infinity);
    discovery.ask(false, renewsAt);
    discovery.hear('over', false, renewsAt);
    expect([discovery.isLooking(renewsAt), discovery.renewsAt(renewsAt)]).toEqual([true, Infinity]);
  });

  it('has an end that is to be told at once, also where it could not be told and no call asks for a trip', async () => {
    const discovery = asked('granted', false);
    discovery.end();
    expect(discovery.renewsAt(300)).toBe(300);
    await discovery.tellEnd({ endLook: async () => {} } as unknown as ShareStore, (work) => work(), 'a');
    expect(discovery.renewsAt(300)).toBe(Infinity);
  });

  it('ends for its owner a little before the others begin again: clocks run apart', () => {
    const discovery = asked('granted', true);
    expect([discovery.isAlone(LOOK_MS - 31), discovery.isAlone(LOOK_MS - 30)]).toEqual([true, false]);
  });

  it('is ended early when enough is known, and that is told once', async () => {
    const discovery = asked('granted', true);
    discovery.end();
    discovery.end();
    expect([discovery.isAlone(1), discovery.isEndDue]).toEqual([false, true]);
    const told: string[] = [];
    const store = { endLook: async (member: string) => void told.push(member) } as unknown as ShareStore;
    for (let trips = 0; trips < 2; trips++) await discovery.tellEnd(store, (work) => work(), 'me');
    expect([told, discovery.isEndDue]).toEqual([['me'], false]);
  });

  it('of another process is waited for, where nothing is known by asking twenty times a second', () => {
    const discovery = asked(3_000, true);
    expect([discovery.waitsUntil, discovery.mayAsk(49), discovery.mayAsk(50)]).toEqual([50, false, true]);
  });

  it('of another process at a window in doubt is waited for, by asking again every 200 ms: it may end early', () => {
    const discovery = asked(900, false);
    expect([discovery.waitsUntil, discovery.mayAsk(499), discovery.mayAsk(500)]).toEqual([200, false, true]);
  });

  it('of another process never holds this one for long without asking again, whatever the store says', () => {
    const discovery = new Discovery();
    discovery.hearOther(9e9, 100);
    expect(discovery.waitsUntil).toBe(300);
  });

  it('is asked for twice a second and no more where one was refused or ended without finding anything', () => {
    const discovery = asked('granted', false);
    discovery.end();
    expect([discovery.mayAsk(499), discovery.mayAsk(500)]).toEqual([false, true]);
  });

  it('has no end to tell of where it has not begun', () => {
    const discovery = new Discovery();
    discovery.end();
    expect(discovery.isEndDue).toBe(false);
  });

  it('is never asked for again when there were enough of them', () => {
    const discovery = asked('over', false);
    expect([discovery.isOver, discovery.mayAsk(1e9)]).toEqual([true, false]);
  });
});
