import type { Clock } from '../clock.ts';
import type { ServiceAnswer } from './answer.ts';
import type { ServiceFault } from './faults.ts';
import type { Latency } from './latency.ts';
import { connectionLost } from './network/network-error.ts';
import { pause } from './network/pause.ts';

/** How long a connection stays open after its response was lost, in milliseconds. */
const LOST_AFTER_MS = 5_000;

/** The service as seen by a request that has arrived. */
export interface Arrival {
  readonly fault: ServiceFault | undefined;
  /** Passes the request to the service. */
  readonly receive: () => ServiceAnswer | Promise<ServiceAnswer>;
}

/** Carries one request to the service and its response back. A sent request arrives even if the caller aborts meanwhile. */
export async function exchange(clock: Clock, latency: Latency, arrive: () => Arrival): Promise<ServiceAnswer> {
  const { there, processing = 0, back } = latency;
  if (there > 0) await pause(clock, there);
  const { fault, receive } = arrive();
  if (fault === 'reset') {
    if (back > 0) await pause(clock, back);
    throw connectionLost();
  }
  const answer = await receive();
  if (processing > 0) await pause(clock, processing);
  answer.leave();
  if (fault === 'hang') return new Promise(() => {});
  if (fault === 'lost') {
    await pause(clock, LOST_AFTER_MS);
    throw connectionLost();
  }
  if (back > 0) await pause(clock, back);
  return answer;
}
