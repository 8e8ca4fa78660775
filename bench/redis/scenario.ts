import { type Limits, listOf } from './calendar.ts';
import type { Column } from './columns.ts';
import type { Incident } from './incidents.ts';
import type { SpoiltAnswers } from './messages.ts';
import type { Subject } from './subject.ts';
import type { Source, Traffic } from './traffic.ts';
import type { Shape } from './windows.ts';

/** One table: some subjects under the same traffic against the same service. */
export interface Scenario {
  readonly name: string;
  readonly limits: Limits;
  /** How the windows count. Default: the calendar. */
  readonly shape?: Shape;
  /** The day of the month at the service. Default: as it is. */
  readonly day?: number;
  readonly sources: readonly Source[];
  /** The number of processes, among which the sources are divided with a client each. Default: a process for each source. */
  readonly processes?: number;
  /** How long calls are made. The last ones are made when a minute of the service ends. */
  readonly seconds: number;
  readonly subjects: readonly Subject[];
  readonly columns: readonly Column[];
  /** How often each subject is run, always from an empty Redis. Default: 1. */
  readonly starts?: number;
  readonly incidents?: readonly Incident[];
  readonly spoilt?: SpoiltAnswers;
  readonly isRedisUnreachable?: boolean;
  /** Over how many seconds the processes change to another API key, one after the other. */
  readonly rotation?: number;
}

/** So many sources with the same traffic. */
export function sources(count: number, traffic: Traffic, rest: Omit<Source, 'id' | 'traffic'> = {}): readonly Source[] {
  return Array.from({ length: count }, (_, id) => ({ id, traffic, ...rest }));
}

/** Several lists of sources as one. */
export function together(...lists: readonly (readonly Source[])[]): readonly Source[] {
  return lists.flat().map((source, id) => ({ ...source, id }));
}

export const poisson = (perSecond: number): Traffic => ({ kind: 'poisson', perSecond });
export const backlog = (waiting: number): Traffic => ({ kind: 'backlog', waiting });

const SHORT = { second: 's', minute: 'min', month: 'month' };

/** Limits as `20/s + 1,000/min`. */
export function planOf(limits: Limits): string {
  return listOf(limits)
    .map(({ period, limit }) => `${limit.toLocaleString('en')}/${SHORT[period]}`)
    .join(' + ');
}
