import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until an instant, in milliseconds of the epoch; one in the past is now. */
export function until(at: number): Promise<void> {
  return sleep(Math.max(0, at - Date.now()));
}
