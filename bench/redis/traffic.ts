import { setTimeout as sleep } from 'node:timers/promises';
import { atRandom } from '../at-random.ts';
import type { Hours } from './messages.ts';
import { seeded } from './random.ts';
import { until } from './until.ts';

/** When calls are made. */
export type Traffic =
  /** At random instants (a Poisson process), at this rate. */
  | { readonly kind: 'poisson'; readonly perSecond: number }
  /** So many calls at once, at a fixed interval; without an interval, again as soon as the last burst has ended. */
  | { readonly kind: 'bursts'; readonly calls: number; readonly everyMs?: number }
  /** So many calls always waiting: each is followed by another. */
  | { readonly kind: 'backlog'; readonly waiting: number }
  /** One call at the start. */
  | { readonly kind: 'once' };

/** Calls of one kind, made by one client. */
export interface Source {
  /** Identifies the source in the results, and seeds its random numbers. */
  readonly id: number;
  readonly traffic: Traffic;
  readonly priority?: number;
  /** Every so many calls one is costly. */
  readonly costlyEvery?: number | undefined;
  /** Names sources of which a column shows the latency alone. */
  readonly tag?: 'small' | 'urgent';
}

/** Makes one call. Never rejects. */
export type MakeCall = (burst: number) => Promise<boolean>;

/** How long a source waits after a failed call before it makes the next, so that failures do not become a busy loop. */
const AFTER_FAILURE_MS = 100;

/** Makes the calls of a source from `startAt` until `endAt`; resolves when no more will be made. */
export async function make({ id, traffic }: Source, seed: number, hours: Hours, call: MakeCall): Promise<void> {
  const random = seeded(seed * 1_000 + id);
  await until(hours.startAt);
  if (traffic.kind === 'poisson') await poisson(traffic.perSecond / 1_000, random, hours, call);
  if (traffic.kind === 'once') void call(0);
  if (traffic.kind === 'backlog')
    await Promise.all(Array.from({ length: traffic.waiting }, () => repeat(1, hours, call)));
  if (traffic.kind !== 'bursts') return;
  const { calls, everyMs } = traffic;
  if (everyMs === undefined) await repeat(calls, hours, call);
  else await bursts(calls, everyMs, random, hours, call);
}

async function poisson(perMs: number, random: () => number, { startAt, endAt }: Hours, call: MakeCall): Promise<void> {
  for (const at of atRandom(perMs, startAt, random)) {
    if (at >= endAt) return;
    await until(at);
    void call(0);
  }
}

/** The first burst comes at a random part of the interval, so that sources do not burst together. */
async function bursts(
  calls: number,
  everyMs: number,
  random: () => number,
  { startAt, endAt }: Hours,
  call: MakeCall,
): Promise<void> {
  let burst = 0;
  for (let at = startAt + random() * everyMs; at < endAt; at += everyMs) {
    await until(at);
    for (let count = 0; count < calls; count++) void call(burst);
    burst++;
  }
}

async function repeat(calls: number, { endAt }: Hours, call: MakeCall): Promise<void> {
  for (let burst = 0; Date.now() < endAt; burst++) {
    const results = await Promise.all(Array.from({ length: calls }, () => call(burst)));
    if (results.includes(false)) await sleep(AFTER_FAILURE_MS);
  }
}
