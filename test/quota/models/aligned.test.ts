import { describe, expect, it } from 'vitest';
import { AlignedModel, aligned } from '../../../src/quota/models/aligned.ts';
import { ServerClock } from '../../../src/quota/time/server-clock.ts';
import { AnsweredRequests } from '../../../src/quota/usage/answered.ts';
import { knownClock, readingsOf } from '../support/builders.ts';

/** A minute of a service whose clock shows what ours does, give or take the slack of a stamp. */
const minute = (): AlignedModel => new AlignedModel('minute', knownClock());
const read = readingsOf(5, 110);

describe('an aligned window', () => {
  it('has room for what it still holds, and is waited for by what it does not', () => {
    const model = minute();
    model.book(4, 1_000, 1_100);
    expect(model.earliest(1, 0, 5, 2_000)).toBe(2_000);
    expect(model.earliest(1, 1, 5, 2_000)).toBeGreaterThan(60_000);
    expect(model.earliest(1, 1, 5, 2_000)).toBeLessThan(60_100);
  });

  it('is explained by what was booked and by what is under way', () => {
    const model = minute();
    model.book(2, 1_000, 1_100);
    expect(model.unexplained(read(2_000, 5, { held: 1 }))).toBe(2);
  });

  it('holds no more than a reading says and what was answered since', () => {
    const model = minute();
    model.book(5, 1_000, 1_100);
    expect(model.reconcile(read(2_000, 3, { settledSince: 1 }))).toBe(0);
    expect(model.spent(3_000)).toBe(4);
  });

  it('is not judged by an answer that may be of the window before or of the one after', () => {
    const model = minute();
    const past = new AnsweredRequests();
    past.add(1_000, 1_100, 9, 9);
    expect(model.unexplained(read(59_950, 5))).toBeUndefined();
    expect(model.reconcile(read(59_950, 5))).toBe(0);
    expect(model.isContradicted(read(59_950, 1), past)).toBe(false);
    expect(model.isContradicted(read(50_000, 1), past)).toBe(true);
    expect(model.isContradicted(read(50_000, 9), past)).toBe(false);
  });

  it('holds no more than a reading says, whichever of two windows that speaks of: the later one has not begun, or holds no more', () => {
    const clock = new ServerClock();
    clock.observeEnd('minute', 60_000, 0, 10_000);
    const model = new AlignedModel('minute', clock);
    model.book(5, 30_000, 30_100);
    expect(model.earliest(1, 0, 5, 55_000)).toBeGreaterThan(60_000);
    expect(model.reconcile(read(54_000, 2, { settledSince: 1 }))).toBe(0);
    expect(model.earliest(2, 0, 5, 55_000)).toBe(55_000);
    expect(model.earliest(3, 0, 5, 55_000)).toBeGreaterThan(60_000);
  });

  it('of a second holds what was booked, where a reading may speak of either of two', () => {
    const clock = new ServerClock();
    clock.observeEnd('second', 1_000, 0, 300);
    const model = new AlignedModel('second', clock);
    model.book(5, 500, 510);
    expect(model.reconcile(read(800, 2))).toBe(0);
    expect(model.earliest(1, 0, 5, 910)).toBeGreaterThan(1_000);
  });

  it('is taken as full by a refusal near its end', () => {
    const model = minute();
    expect(model.reconcile(read(59_950, 5, { limited: true }))).toBe(5);
    expect([model.spent(59_960), model.spent(61_000)]).toEqual([5, 0]);
  });

  it('frees all that was used when it ends', () => {
    const use = { at: 1_000, periodMs: 60_000, endsAt: 60_000, lastAt: 3_000, drainMs: 5 };
    expect(aligned.frees?.(use)).toEqual([60_000, 60_000]);
  });
});
