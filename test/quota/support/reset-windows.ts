import { ServerClock } from '../../../src/quota/time/server-clock.ts';
import { Concurrency } from '../../../src/quota/usage/concurrency.ts';
import { InFlight } from '../../../src/quota/usage/in-flight.ts';
import { ResetWindow } from '../../../src/quota/window/by-reset/reset-window.ts';
import { knownClock, readingsOf } from './builders.ts';

/** What answers say of a window of four requests, a tenth of a second after each was sent. */
export const reading: ReturnType<typeof readingsOf> = readingsOf(4, 100);

/** A window of four requests, of a service whose clock is known to show what ours does, give or take the slack of a stamp. */
export function four({ isClockKnown = true }: { readonly isClockKnown?: boolean } = {}): {
  window: ResetWindow;
  flights: InFlight;
} {
  const clock = isClockKnown ? knownClock() : new ServerClock();
  const flights = new InFlight(new Concurrency(10), 9_000);
  return { window: new ResetWindow(4, clock, flights), flights };
}

/** A window of some requests by these endpoints, each answered before the next was sent, a second apart. */
export function counting(endpoints: readonly string[]): ReturnType<typeof four> {
  const all = four();
  for (const [at, endpoint] of endpoints.entries())
    all.window.read(endpoint, 60_000, 60_000, reading(at * 1_000, at + 1));
  return all;
}
