import type { Flight } from '../../../src/quota/usage/in-flight.ts';

/** A request of one unit that was sent at an instant and is under way. */
export function flightOf(endpoint: string, sentAt: number): Flight {
  return { endpoint, sentAt, units: 1, isBooked: false, isOver: false };
}
