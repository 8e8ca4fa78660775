import type { Period } from '../quota/time/periods.ts';
import type { Scout } from './lookout.ts';

/** Who is told of a pause pauses no longer than this, in milliseconds: one that is longer each meets itself. */
export const LONGEST_PAUSE_MS = 3_600_000;

/** What a process would like of one slice. */
export interface Wish {
  readonly slice: number;
  /** The slices whose claims together may not exceed the limit. */
  readonly from: number;
  readonly to: number;
  /** Units that it could use, the fewest that are of any use, and the most that it may get in one go. */
  readonly want: number;
  readonly need: number;
  readonly most: number;
  /** Whether the slice is still to come. */
  readonly ahead: boolean;
  /** Whether so much of the window is over that what others have left may be had. */
  readonly late: boolean;
  /** The slice since which one request may go, because the service named an end. */
  readonly try?: number;
}

/** One window of a request. */
export interface WindowAsk {
  readonly period: Period;
  readonly limit: number;
  /** How long the window is, in milliseconds. */
  readonly length: number;
  /** How long Redis remembers, in milliseconds, and the oldest slice worth remembering. */
  readonly keep: number;
  readonly oldest: number;
  /** Whether it is so long that what a dead process holds must be taken back. */
  readonly long: boolean;
  /** Units in hand. */
  readonly held: number;
  readonly claims: readonly (readonly [slice: number, units: number])[];
  readonly said?: { readonly slice: number; readonly from: number; readonly to: number; readonly used: number };
  readonly wishes: readonly Wish[];
}

/** What a process asks in one trip. */
export interface Request {
  readonly me: string;
  /** Counts the trips of this process, so that one that was long under way is not taken for a new one. */
  readonly sequence: number;
  readonly work: boolean;
  /** Whether shapes are to be found out yet. */
  readonly doubt: boolean;
  /** Whether Redis could not be reached until just now. */
  readonly returning: boolean;
  /** A process counts as one with work for so long after its last trip, in milliseconds. */
  readonly live: number;
  /** What it knew before: when the memory was made, how many share it, the version of what they tell each other. */
  readonly born: number;
  readonly peers: number;
  readonly version: number;
  /** The pause that the service asked for, in milliseconds from now; 0: none. */
  readonly pause: number;
  readonly tell: Readonly<Record<string, string>>;
  /** Longest first. */
  readonly windows: readonly WindowAsk[];
}

/** What Redis answers. Rows are in the order of the windows, and in them of the wishes. */
export interface Reply {
  /** Redis's clock, in milliseconds since the Unix epoch. */
  readonly now: number;
  readonly born: number;
  readonly peers: number;
  /** Who looks at the service while little is known. */
  readonly scout: Scout;
  readonly version: number;
  readonly pause: number;
  readonly grants: readonly (readonly number[])[];
  readonly left: readonly (readonly number[])[];
  readonly used: readonly (readonly number[])[];
  readonly strangers: readonly number[];
  /** What processes tell each other, if it has changed. */
  readonly known: ReadonlyMap<string, string> | undefined;
  /** Keys that held something foreign. */
  readonly spoilt: readonly string[];
}

/**
 * Reads what Redis answered; undefined if it is not an answer to this request. What is no sensible number is 0, no grant
 * is larger than what was asked for, and no pause longer than may be: a pacer that has begun one does not end it.
 */
export function readReply(text: unknown, request: Request): Reply | undefined {
  const said = parse(String(text));
  if (said === undefined || said.stale === 1 || !isAmount(said.now) || !isAmount(said.born)) return undefined;
  const rows = (value: unknown): number[][] =>
    request.windows.map(({ wishes }, index) => wishes.map((_, at) => amount(listOf(listOf(value)[index])[at])));
  const asked = request.windows.map(({ wishes }) => wishes.map(({ want }) => want));
  return {
    now: said.now,
    born: said.born,
    peers: Math.max(1, amount(said.peers)),
    scout: said.scout === 1 ? 'we' : said.scout === 2 ? 'another' : 'nobody',
    version: amount(said.version),
    pause: Math.min(amount(said.pause), LONGEST_PAUSE_MS),
    grants: rows(said.grants).map((row, index) => row.map((units, at) => Math.min(units, asked[index]?.[at] ?? 0))),
    left: rows(said.left),
    used: rows(said.used),
    strangers: request.windows.map((_, index) => amount(listOf(said.strangers)[index])),
    known: said.known === undefined ? undefined : pairsOf(listOf(said.known)),
    spoilt: listOf(said.spoilt).map(String),
  };
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Lua writes an empty list as an empty object. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function pairsOf(list: readonly unknown[]): Map<string, string> {
  const pairs = new Map<string, string>();
  for (let index = 0; index + 1 < list.length; index += 2) pairs.set(String(list[index]), String(list[index + 1]));
  return pairs;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < 1e14;
}

function amount(value: unknown): number {
  return isAmount(value) ? value : 0;
}
