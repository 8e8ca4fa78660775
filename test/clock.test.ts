import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { backgroundClock, systemClock } from '../src/clock.ts';

const DAY_MS = 86_400_000;
const LONGEST_NAP_MS = 2 ** 31 - 1;

describe.for([
  ['systemClock', systemClock],
  ['backgroundClock', backgroundClock],
] as const)('%s', ([, systemClock]) => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('reckons in monotonic time and tells wall time', async () => {
    const before = systemClock.now();
    vi.setSystemTime(Date.UTC(2026, 1, 3));
    await vi.advanceTimersByTimeAsync(250);
    expect(systemClock.now() - before).toBe(250);
    expect(systemClock.wall()).toBe(Date.UTC(2026, 1, 3) + 250);
  });

  it('fires once, when the time has passed and not before', () => {
    const fire = vi.fn();
    systemClock.timer(1_000, fire);
    vi.advanceTimersByTime(999);
    expect(fire).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(fire).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(10_000);
    expect(fire).toHaveBeenCalledOnce();
  });

  it.each([0, -1, -DAY_MS])('fires in a later turn, never within the call, when asked for %i ms', (ms) => {
    const fire = vi.fn();
    systemClock.timer(ms, fire);
    expect(fire).not.toHaveBeenCalled();
    vi.advanceTimersByTime(0);
    expect(fire).toHaveBeenCalledOnce();
  });

  it('waits for 30 days, in naps that setTimeout can take', () => {
    const naps = vi.spyOn(globalThis, 'setTimeout');
    const fire = vi.fn();
    systemClock.timer(30 * DAY_MS, fire);
    vi.advanceTimersByTime(30 * DAY_MS - 1);
    expect(fire).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(fire).toHaveBeenCalledOnce();
    const lengths = naps.mock.calls.map(([, ms]) => Number(ms));
    expect(lengths).toEqual([LONGEST_NAP_MS, 30 * DAY_MS - LONGEST_NAP_MS]);
  });

  it('never fires when asked for Infinity, and can still be cancelled', () => {
    const fire = vi.fn();
    const cancel = systemClock.timer(Infinity, fire);
    vi.advanceTimersByTime(400 * DAY_MS);
    expect(fire).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(1);
    cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('naps again when setTimeout wakes it early', () => {
    const fire = vi.fn();
    const begin = performance.now();
    const now = vi.spyOn(performance, 'now').mockReturnValue(begin);
    systemClock.timer(100, fire);
    now.mockReturnValue(begin + 99.4);
    vi.advanceTimersByTime(100);
    expect(fire).not.toHaveBeenCalled();
    now.mockReturnValue(begin + 100.4);
    vi.advanceTimersByTime(1);
    expect(fire).toHaveBeenCalledOnce();
  });

  it('rings after what has arrived is read, where it is long overdue', () => {
    const fire = vi.fn();
    const begin = performance.now();
    const now = vi.spyOn(performance, 'now').mockReturnValue(begin);
    systemClock.timer(100, fire);
    now.mockReturnValue(begin + 20_000);
    vi.advanceTimersByTime(100);
    expect(fire).not.toHaveBeenCalled();
    // A mocked clock may jump once more.
    now.mockReturnValue(begin + 40_000);
    vi.advanceTimersByTime(100);
    expect(fire).toHaveBeenCalledOnce();
  });

  it.each([1, 20, 29])('fires nothing and leaves nothing behind when cancelled on day %i of 30', (day) => {
    const fire = vi.fn();
    const cancel = systemClock.timer(30 * DAY_MS, fire);
    vi.advanceTimersByTime(day * DAY_MS);
    cancel();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(60 * DAY_MS);
    expect(fire).not.toHaveBeenCalled();
  });

  it('takes it calmly when what has fired is cancelled', () => {
    const fire = vi.fn();
    const cancel = systemClock.timer(5, fire);
    vi.advanceTimersByTime(5);
    cancel();
    expect(fire).toHaveBeenCalledOnce();
  });
});
