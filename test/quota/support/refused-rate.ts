import { RefusalRate } from '../../../src/quota/limits/refusal-rate.ts';
import { charge, untilOf } from './builders.ts';
import { flightOf } from './flight.ts';

/** The gap between two requests that are sent at an instant. */
export function gapAt(rate: RefusalRate, now: number): number {
  rate.onSent(flightOf('GET /a', now), now);
  return untilOf(rate, charge(), now) - now;
}

/** Twenty requests were served in the first second, and one was refused then; requests go on at an instant. */
export function refused(resumesAt: number = 2_000): RefusalRate {
  const rate = new RefusalRate();
  for (let at = 0; at < 1_000; at += 50) {
    rate.onSent(flightOf('GET /a', at), at);
    rate.onServed(1, at + 40);
  }
  rate.onRefused(flightOf('GET /a', 990), resumesAt, 1_000);
  return rate;
}
