import type { Clock } from '../clock.ts';
import type { MonthOutlook } from '../quota/forecast/month.ts';

/** What is left of the month, and how long it will last. Months are the service's: they begin on the 1st, 00:00 UTC. */
export interface MonthState {
  /** Units that the month holds in all. */
  readonly limit: number;
  /** Units that the service has counted in it, those of other consumers included. */
  readonly used: number;
  /** Units remaining, by the service's latest headers. */
  readonly remaining: number;
  /** When the next month begins, by this machine's wall clock. */
  readonly resetsAt: Date;
  /** Whole units per day over the last 24 hours, other consumers included; usage before this client started is assumed to be even. */
  readonly perDay: number;
  /** Whole units a day that would just last until the next month. */
  readonly affordablePerDay: number;
  /** When the month will be out at the present pace, by this machine's wall clock; undefined if it lasts. */
  readonly runsOutAt?: Date;
}

/** The outlook by this machine's wall clock. */
export function toMonthState(outlook: MonthOutlook | undefined, clock: Clock): MonthState | undefined {
  if (!outlook) return undefined;
  const { now, resetsAt, runsOutAt, perDay, affordablePerDay, ...units } = outlook;
  const date = (instant: number): Date => new Date(clock.wall() + instant - now);
  const rates = { perDay: Math.round(perDay), affordablePerDay: Math.floor(affordablePerDay) };
  return {
    ...units,
    ...rates,
    resetsAt: date(resetsAt),
    ...(runsOutAt !== undefined && { runsOutAt: date(runsOutAt) }),
  };
}
