import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './until.ts';

/** Something that goes wrong at a time of a run, in milliseconds since the start of the measured span. */
export type Incident =
  /** Redis is stopped by SIGSTOP, and continues later. */
  | { readonly kind: 'redis stopped'; readonly atMs: number; readonly forMs: number }
  /** A process is killed by SIGKILL, and another one may be started in its place at once. */
  | { readonly kind: 'kill'; readonly atMs: number; readonly process: number; readonly isReplaced?: boolean };

/** What incidents can do to a run. */
export interface Stage {
  readonly redis: number;
  kill(process: number): void;
  replace(process: number): Promise<void>;
}

/** Lets an incident happen when its time has come. */
export async function happen(incident: Incident, spanAt: number, { redis, kill, replace }: Stage): Promise<void> {
  await until(spanAt + incident.atMs);
  if (incident.kind === 'kill') {
    kill(incident.process);
    if (incident.isReplaced) await replace(incident.process);
    return;
  }
  process.kill(redis, 'SIGSTOP');
  await sleep(incident.forMs);
  process.kill(redis, 'SIGCONT');
}
