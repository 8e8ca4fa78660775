import type { MemoryWindow } from './memory-windows.ts';
import {
  LINGER_MS,
  type ShareAsk,
  type SlotAsk,
  WISH_ANY,
  WISH_NOTHING,
  WISH_PART,
  WISH_SPARING,
  type Wish,
} from './store.ts';

/** The units granted by one ask. */
export interface Grants {
  readonly granted: readonly number[];
  /** Whether not all that was wanted was granted, and not for calls that are only expected. */
  readonly isNeedy: boolean;
  /** How long the process counts as needy in that case, in milliseconds: until some time after the last window without room has ended. */
  readonly stayMs: number;
  /** See {@link Answer.freeMs}. */
  readonly freeMs: number;
}

/** Grants units of the earliest slots with room; at most a part while other processes are needy. */
export function grantUnits(ask: ShareAsk, mayGrant: boolean, others: number, windows: readonly MemoryWindow[]): Grants {
  const { want, need } = ask;
  const part = Math.max(ask.chunk, need, Math.ceil(ask.size / (others + 1)));
  const any = mayGrant ? want : 0;
  let open = others > 0 ? Math.min(any, part - ask.held) : any;
  let given = 0;
  /** How long until the first slot without room has some; undefined: each has. */
  let freeMs: number | undefined;
  const allowed = ({ wish, total }: SlotAsk): number => {
    if (wish === WISH_ANY) return any - given;
    return wish === WISH_PART && others > 0 ? Math.min(open, part - total) : open;
  };
  const granted = ask.slots.map((slot) => {
    const most = slot.wish === WISH_NOTHING ? 0 : allowed(slot);
    if (most < need) return 0;
    const counts = slot.windows.flatMap((index) => windows[index] ?? []);
    const units = Math.min(most, roomOf(counts, slot.wish, need));
    if (units < need) {
      freeMs ??= freeMsOf(counts, need);
      return 0;
    }
    open -= units;
    given += units;
    claim(counts, units, slot.to);
    return units;
  });
  const full = freeMs === undefined ? [] : windows.filter(({ room }) => room < need);
  const wish = ask.slots.find((slot) => slot.wish !== WISH_NOTHING)?.wish ?? WISH_SPARING;
  return {
    granted,
    isNeedy: wish !== WISH_SPARING && given < want,
    freeMs: freeMs === undefined || freeMs === Infinity ? 0 : freeMs,
    stayMs: ask.stayMs + Math.max(0, ...full.map(({ ask: { ttlMs } }) => ttlMs - LINGER_MS)),
  };
}

/** Units that all these windows have room for; for calls that are only expected, beyond what the first call needs, those beyond half of each. */
function roomOf(windows: readonly MemoryWindow[], wish: Wish, need: number): number {
  const room = Math.min(...windows.map(({ roomOfAll }) => roomOfAll));
  const plenty = wish === WISH_SPARING ? Math.min(...windows.map((window) => window.plenty)) : room;
  return Math.min(room, Math.max(need, plenty));
}

/** How long until those of these windows have room that have none, in milliseconds; Infinity: that is not known. */
function freeMsOf(windows: readonly MemoryWindow[], need: number): number {
  const full = windows.filter(({ roomOfAll }) => roomOfAll < need);
  return Math.max(...full.map((window) => window.freeMs(need)));
}

/** Claims units of a slot that counts in these windows and ends at `to`. */
function claim(windows: readonly MemoryWindow[], units: number, to: number): void {
  const counts = new Set(windows);
  for (const window of windows) {
    window.grant(units);
    window.touch(counts, units, to);
  }
}
