import { SHAPES } from '../../quota/models/all.ts';
import { LONGEST_PAUSE_MS, type ShareAsk, type WindowAsk } from './store.ts';

/** Upper bound of every number in an ask and in a store. */
export const MOST = 1e14;

/** Version, pause, urgent and usual units (the state) expire this long after they were last written, in milliseconds. */
export const STATE_LASTS_MS = 3_600_000;

/** The first ask in each period of this length writes the state again, so that it does not expire while asks come. In milliseconds. */
export const STATE_RENEWED_MS = 600_000;

/** Urgent and usual units, which decay, and units that drain are stored as integers, in thousandths. */
export const PARTS = 1_000;
const MOST_SENT = 1e9;

/**
 * The longest that a process counts as needy, and how long the set of needy processes is kept after one has entered or the state was
 * renewed, in milliseconds.
 */
export const NEEDY_MS = 62_500;
export const NEEDY_LAST_MS: number = STATE_RENEWED_MS + 65_000;

/** A set of needy processes of which more than this are needy now is taken as corrupt and dropped. */
export const NEEDY_NOW = 1_000;

/** The set of live processes is kept for this long after its last change, in milliseconds. */
export const LIVE_LAST_MS = 90_000;

/** The number of looks is kept for this long after the last one began, in milliseconds. */
export const LOOKS_LAST_MS = 3_600_000;

/** The longest that a window is kept, in milliseconds: longer than a month. Facts are kept as long after the state was written or after a change. */
export const LONGEST_TTL_MS: number = 40 * 24 * 3_600_000;

/** Maximum number of facts of a share. A set with more than the second number is taken as corrupt and dropped. */
export const FACTS = 700;
export const NONSENSE_FACTS = 1_400;

const FACT_NAME = /^(?:[lscr]:.{1,200}|lead)$/;
const LONGEST_FACT = 100;
const SHAPE = /^(\d{1,14}) (\d{1,10})$/;
const MOST_BITS = 2 ** 31 - 1;

/** The bits of all shapes that do not drain. Once these are ruled out, a unit counts in fewer windows (`drain.ts`). */
export const NOT_DRAINING: number = SHAPES.reduce((bits, { bit, drains }) => (drains ? bits : bits | (1 << bit)), 0);

/** A name, and the number that it ends in. */
const NUMBERED = /^(.*?)(0|[1-9]\d{0,14})$/;

/** Divides the name of a window into what is before its number, and the number. */
export function numbered(name: string): readonly [kind: string, number: number] {
  const [, kind = name, digits = '0'] = NUMBERED.exec(name) ?? [];
  return [kind, Number(digits)];
}

/** Rounds up, and limits to the bounds; NaN becomes the lower bound. */
export function whole(value: number, least = 0, most: number = MOST): number {
  const up = Math.ceil(value);
  return Number.isNaN(up) ? least : Math.min(Math.max(up, least), most);
}

/** Upper bound of the claims of a window: above the limit, because processes spend without grants while the store is unreachable. */
export function mostClaimed(limit: number): number {
  return Math.floor(1.25 * limit) + 16;
}

/** Makes every number of an ask an integer within bounds, so that all stores decide by the same numbers. */
export function readAsk(ask: ShareAsk): ShareAsk {
  return {
    member: ask.member,
    sequence: whole(ask.sequence),
    version: whole(ask.version, -1),
    want: whole(ask.want),
    need: whole(ask.need, 1),
    size: whole(ask.size),
    chunk: whole(ask.chunk),
    stayMs: whole(ask.stayMs, 1, NEEDY_MS),
    held: whole(ask.held),
    urgent: whole(ask.urgent, 0, MOST_SENT),
    usual: whole(ask.usual, 0, MOST_SENT),
    recentSince: whole(Math.floor(ask.recentSince)),
    slots: ask.slots.map((slot) => ({ ...slot, total: whole(slot.total), to: whole(slot.to) })),
    windows: ask.windows.map(readWindowAsk),
    isSign: ask.isSign === true,
    isLeaving: ask.isLeaving === true,
  };
}

function readWindowAsk({ name, limit: asked, kept, ttlMs, reading, bounds, drain, slidBy }: WindowAsk): WindowAsk {
  const limit = whole(Math.floor(asked));
  return {
    name,
    limit,
    kept: whole(kept),
    ttlMs: whole(ttlMs, 1, LONGEST_TTL_MS),
    reading: whole(reading, -1, limit),
    bounds,
    ...(drain === undefined ? {} : { drain: whole(drain) }),
    ...(slidBy === undefined || drain !== undefined ? {} : { slidBy: whole(Math.floor(slidBy), 1) }),
  };
}

/** The pause in whole milliseconds; 0: none. */
export function readPause(ms: number): number {
  return whole(ms, 0, LONGEST_PAUSE_MS);
}

/** Drops facts that no process can have told: unknown names, overlong values, malformed shapes. */
export function readFacts(facts: Iterable<readonly [string, string]>): Map<string, string> {
  const read = new Map<string, string>();
  for (const [field, value] of facts) {
    if (read.size >= FACTS) break;
    if (!FACT_NAME.test(field) || value.length > LONGEST_FACT) continue;
    const shape = field.startsWith('s:') ? readShape(value) : undefined;
    if (shape) read.set(field, `${shape.epoch} ${shape.bits}`);
    else if (!field.startsWith('s:')) read.set(field, value);
  }
  return read;
}

/** Merges a fact into the stored one, as {@link ShareStore.share} describes; both have passed {@link readFacts}. */
export function mergeFact(field: string, known: string | undefined, told: string): string {
  const [old, young] = field.startsWith('s:') ? [readShape(known ?? ''), readShape(told)] : [];
  if (!old || !young || old.epoch < young.epoch) return told;
  if (old.epoch > young.epoch) return known ?? told;
  return `${old.epoch} ${old.bits | young.bits}`;
}

/** Whether a process must know a fact before it is granted units: a limit, a shape that is possible again, or that a window drains. */
export function isBinding(field: string, known: string | undefined, told: string): boolean {
  if (!field.startsWith('s:')) return field.startsWith('l:');
  const shape = readShape(told);
  const drains = ((shape?.bits ?? 0) & NOT_DRAINING) === NOT_DRAINING;
  return drains || (shape?.epoch ?? 0) > (readShape(known ?? '')?.epoch ?? 0);
}

function readShape(value: string): { readonly epoch: number; readonly bits: number } | undefined {
  const [, epoch, bits] = SHAPE.exec(value) ?? [];
  return epoch && Number(bits) <= MOST_BITS ? { epoch: Number(epoch), bits: Number(bits) } : undefined;
}
