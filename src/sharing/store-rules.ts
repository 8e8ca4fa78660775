import { LONGEST_PAUSE_MS, type ShareAsk, type WindowAsk } from './store.ts';

/** Upper bound of every number in an ask and in a store. */
export const MOST = 1e14;

/** Version, pause and urgent units are kept for this long after they were last written, in milliseconds. */
export const STATE_LASTS_MS = 3_600_000;

/** They are written at least once in each period of this length in which there is an ask, so that they last as long as asks come. */
export const STATE_RENEWED_MS = 600_000;

/** Facts, whose time is only lengthened when a period begins or a fact changes, outlast their version. */
export const FACTS_LAST_MS: number = STATE_LASTS_MS + STATE_RENEWED_MS + 60_000;

/** Urgent units are stored in thousandths, because they fade. */
export const URGENT_PARTS = 1_000;
const MOST_URGENT = 1e9;

/** A process counts as needy for at most this long, and the set of them is kept a little longer. In milliseconds. */
export const NEEDY_MS = 62_500;
export const NEEDY_LAST_MS = 65_000;

/** A set of needy processes is dropped as nonsense if it has more members than this, or more of them are needy now. */
export const NEEDY_MEMBERS = 2_000;
export const NEEDY_NOW = 1_000;

/** The set of live processes is kept for this long after the last sign of life, in milliseconds. */
export const LIVE_LAST_MS = 60_000;

/** How long the number of looks is kept after the last of them, in milliseconds. */
export const LOOKS_LAST_MS = 3_600_000;

/** A share keeps this many facts. More than the second number are nonsense: all are dropped. */
export const FACTS = 700;
export const NONSENSE_FACTS = 1_400;

const FACT_NAME = /^(?:[lscr]:.{1,200}|lead)$/;
const LONGEST_FACT = 100;
const SHAPE = /^(\d{1,14}) (\d{1,10})$/;
const MOST_BITS = 2 ** 31 - 1;

/** Rounds up into bounds; NaN becomes the lower bound. */
export function whole(value: number, least = 0, most: number = MOST): number {
  const up = Math.ceil(value);
  return Number.isNaN(up) ? least : Math.min(Math.max(up, least), most);
}

/** Upper bound of the claims of a window. It exceeds the limit because processes that cannot reach the store spend without grants. */
export function mostClaimed(limit: number): number {
  return Math.floor(1.25 * limit) + 16;
}

/** Makes every number of an ask whole and bounded, so that all stores decide by the same numbers. */
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
    urgent: whole(ask.urgent, 0, MOST_URGENT),
    slots: ask.slots.map((slot) => ({ ...slot, total: whole(slot.total) })),
    windows: ask.windows.map(readWindowAsk),
    isLeaving: ask.isLeaving === true,
  };
}

function readWindowAsk({ name, limit: asked, kept, ttlMs, reading, stretches }: WindowAsk): WindowAsk {
  const limit = whole(Math.floor(asked));
  return { name, limit, kept: whole(kept), ttlMs: whole(ttlMs, 1), reading: whole(reading, -1, limit), stretches };
}

/** Whole milliseconds of a pause; 0: no pause. */
export function readPause(ms: number): number {
  return whole(ms, 0, LONGEST_PAUSE_MS);
}

/** Drops facts that no process tells: unknown names, overlong values, malformed shapes. */
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

/** Merges a told value into the known one; both have passed {@link readFacts}. */
export function mergeFact(field: string, known: string | undefined, told: string): string {
  const [old, young] = field.startsWith('s:') ? [readShape(known ?? ''), readShape(told)] : [];
  if (!old || !young || old.epoch < young.epoch) return told;
  if (old.epoch > young.epoch) return known ?? told;
  return `${old.epoch} ${old.bits | young.bits}`;
}

function readShape(value: string): { readonly epoch: number; readonly bits: number } | undefined {
  const [, epoch, bits] = SHAPE.exec(value) ?? [];
  return epoch && Number(bits) <= MOST_BITS ? { epoch: Number(epoch), bits: Number(bits) } : undefined;
}
