import type { WindowAsk } from '../sharing/store/store.ts';
import { numbered } from '../sharing/store/store-rules.ts';
import { LAYOUTS, PLACES } from './scripts/take/blocks.ts';

/** Values of {@link WindowAsk.bounds} in the script's arguments, and of a step of a window that drains. */
const BOUNDS = { below: '0', both: '1', above: '2' } as const;
const DRAINS = '3';

/** A window of an ask, and where Redis keeps it. */
interface Placed {
  readonly window: WindowAsk;
  /** Its index in the ask. */
  readonly index: number;
  /** The name of its block. */
  readonly block: string;
  /** What is before the number in its name. */
  readonly kind: string;
  readonly number: number;
  readonly place: number;
}

/** The windows of an ask as the script is told them. */
export interface Blocks {
  /** The name of each block. */
  readonly names: readonly string[];
  readonly args: readonly string[];
  /** By index in the ask: its index in the blocks. */
  readonly order: readonly number[];
}

function byKindAndNumber(a: Placed, b: Placed): number {
  if (a.kind === b.kind) return a.number - b.number;
  return a.kind < b.kind ? -1 : 1;
}

/** Arranges the windows of an ask by blocks, and within them by runs that differ in nothing but their place and ttl. */
export function blocksOf(windows: readonly WindowAsk[]): Blocks {
  const placed = windows.map(place).sort(byKindAndNumber);
  const order: number[] = [];
  for (const [index, { index: asked }] of placed.entries()) order[asked] = index;
  const names: string[] = [];
  const args: string[] = [];
  for (const block of split(placed, (last, next) => next.block === last.block)) {
    const [first] = block;
    const last = block.at(-1);
    if (!first || !last) continue;
    names.push(first.block);
    const runs = split(block, follows);
    args.push(...[first.place, last.place, layoutOf(block), runs.length].map(String), ...runs.flatMap(argumentsOf));
  }
  return { names, args, order };
}

function place(window: WindowAsk, index: number): Placed {
  const [kind, number] = numbered(window.name);
  const block = Math.floor(number / PLACES);
  return { window, index, kind, number, place: number - block * PLACES, block: `w:${kind}/${block}` };
}

/** Divides a list where one does not belong to what precedes it. */
function split<T>(list: readonly T[], belongs: (last: T, next: T, group: readonly T[]) => boolean): T[][] {
  const groups: T[][] = [];
  for (const next of list) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group && last !== undefined && belongs(last, next, group)) group.push(next);
    else groups.push([next]);
  }
  return groups;
}

/** Whether a window continues a run: their times to live are evenly apart. */
function follows(last: Placed, next: Placed, [first, second]: readonly Placed[]): boolean {
  const [a, b] = [last.window, next.window];
  if (next.place !== last.place + 1 || a.limit !== b.limit || a.kept !== b.kept) return false;
  if (a.reading !== b.reading || a.drain !== b.drain || a.slidBy !== b.slidBy || a.bounds !== b.bounds) return false;
  return !first || !second || b.ttlMs - a.ttlMs === second.window.ttlMs - first.window.ttlMs;
}

function layoutOf(block: readonly Placed[]): number {
  if (block.some(({ window }) => window.drain !== undefined)) return LAYOUTS.drains;
  return block.some(({ window }) => window.slidBy !== undefined) ? LAYOUTS.slides : LAYOUTS.plain;
}

function argumentsOf(run: readonly Placed[]): string[] {
  const [first, second] = run;
  const last = run.at(-1);
  if (!first || !last) return [];
  const { limit, kept, ttlMs, reading, slidBy = 0, drain = slidBy } = first.window;
  const step = second ? second.window.ttlMs - ttlMs : 0;
  const numbers = [first.place, last.place, limit, kept, ttlMs, step, reading];
  return [...numbers.map(String), boundsOf(first.window), String(drain)];
}

/** What the reading of a window bounds usage from, in the script's arguments. */
function boundsOf({ bounds, drain }: WindowAsk): string {
  return drain === undefined ? BOUNDS[bounds] : DRAINS;
}
