import type { Clock } from '../clock.ts';
import type { ServiceAnswer } from './gateway.ts';
import type { Latency } from './latency.ts';
import { pause } from './pause.ts';

/** Carries one request there and its answer back. Once it is sent it arrives, even if the caller loses patience meanwhile. */
export async function exchange(
  clock: Clock,
  latency: Latency,
  arrive: (sentAt: number) => ServiceAnswer,
): Promise<ServiceAnswer> {
  const sentAt = clock.now();
  const { there, processing = 0, back } = latency;
  if (there > 0) await pause(clock, there);
  const answer = arrive(sentAt);
  if (processing > 0) await pause(clock, processing);
  answer.leave();
  if (back > 0) await pause(clock, back);
  return answer;
}
