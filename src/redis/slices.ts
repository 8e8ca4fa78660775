import { periodMsOf as lengthOf, type Period, startOf } from '../quota/time/periods.ts';

/** Every window is cut into so many slices. */
export const SLICES = 10;

/** The slice of the service's time that holds `time` (milliseconds since the Unix epoch). Months are not cut: they are calendar windows. */
export function sliceOf(period: Period, time: number): number {
  if (period !== 'month') return Math.floor(time / (lengthOf(period) / SLICES));
  const day = new Date(startOf('month', time));
  return (day.getUTCFullYear() * 12 + day.getUTCMonth()) * SLICES;
}

/** The first slice of the calendar window that a slice belongs to. */
export function windowOf(slice: number): number {
  return slice - (slice % SLICES);
}

/** When a slice begins, by the service's clock, in milliseconds since the Unix epoch. */
export function beginOf(period: Period, slice: number): number {
  if (period !== 'month') return slice * (lengthOf(period) / SLICES);
  const month = Math.floor(slice / SLICES);
  return Date.UTC(Math.floor(month / 12), month % 12);
}
