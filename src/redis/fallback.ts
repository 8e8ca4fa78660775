import { SLICES } from './slices.ts';

/** What is done where Redis cannot be asked: a part of the limit for each of so many, of whom we are one. */
export interface Fallback {
  readonly part: number;
  readonly peers: number;
  /** Any whole number that is ours: whose turn it is where there is less than one unit for each. */
  readonly turn: number;
}

/** What may be spent of a slice's window where Redis cannot be asked: of a small one, one unit in every so many. */
export function allowanceOf({ part, peers, turn }: Fallback, limit: number, slice: number): number {
  const each = (limit * part) / peers;
  if (each >= 1 || each === 0) return Math.floor(each);
  const windows = Math.ceil(1 / each);
  return (Math.floor(slice / SLICES) + turn) % windows === 0 ? 1 : 0;
}
