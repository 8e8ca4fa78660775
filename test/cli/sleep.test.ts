import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { sleep } from '../../src/cli/sleep.ts';
import { virtualClock } from '../../src/testing/index.ts';

describe('sleep', () => {
  const reason = new Error('enough');

  it('resolves when the time has passed, and leaves no listener on the signal', async () => {
    const clock = virtualClock();
    const { signal } = new AbortController();
    const woken = vi.fn();
    const slept = sleep(clock, 1_000, signal).then(woken);
    await clock.advance(999);
    expect(woken).not.toHaveBeenCalled();
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await clock.advance(1);
    await slept;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('rejects with the reason of the signal as soon as it aborts, and leaves neither timer nor listener', async () => {
    const clock = virtualClock();
    const controller = new AbortController();
    const slept = sleep(clock, 1_000, controller.signal);
    await clock.advance(500);
    controller.abort(reason);
    await expect(slept).rejects.toBe(reason);
    expect(clock.timers).toBe(0);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('rejects at once, without a timer, when the signal has aborted before', async () => {
    const clock = virtualClock();
    const signal = AbortSignal.abort(reason);
    await expect(sleep(clock, 1_000, signal)).rejects.toBe(reason);
    expect(clock.timers).toBe(0);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
