/** A process that has not made a trip for this long is forgotten with all that was granted to it, in milliseconds. */
export const ACCOUNT_LASTS_MS = 60_000;

/** A pause is kept by the word of the store for no longer than this, in milliseconds. */
export const LONGEST_PAUSE_MS = 3_600_000;

/** Claims of long windows are counted in stretches of this length, so that claims that came to nothing can be told. In milliseconds. */
export const STRETCH_MS = 60_000;

/** The memory of urgent units fades by a factor of e in this time, in milliseconds. */
export const URGENT_MEMORY_MS = 60_000;

/**
 * A look at the service takes this long, in milliseconds, and a share makes so many of them: less than six seconds in all. The
 * process that looks may go on with the next look when the second half of one has begun.
 */
export const LOOK_MS = 1_000;
export const LOOKS = 6;

/** A probe after a pause has this long to come back, in milliseconds. */
export const PROBE_MS = 2_000;

/** A process counts as live for this long after its last sign of life, in milliseconds. */
export const LIVE_MS = 30_000;

/** What a process would like of a slot: nothing, a part, or whatever has room. */
export type Wish = 0 | 1 | 2;

/**
 * A stretch of time in which a request may arrive, with every window instance in which it may be counted then. The store
 * knows neither times nor shapes: to it a slot is a name and a list of windows.
 */
export interface SlotAsk {
  /** Letters, digits, `+`, `-` and `:` only. */
  readonly name: string;
  /** All units of this slot that the process claims: spent and held. A total, so that a trip may be lost or repeated. */
  readonly total: number;
  readonly wish: Wish;
  /** Indices into {@link ShareAsk.windows}. */
  readonly windows: readonly number[];
}

/** One instance of a window, such as the minute that began at 14:03. */
export interface WindowAsk {
  /** Letters, digits, `+`, `-` and `:` only. */
  readonly name: string;
  /** Units that it holds. */
  readonly limit: number;
  /** Units of it that this ask leaves to others. */
  readonly kept: number;
  /** How long the store remembers it, in milliseconds from now. */
  readonly ttlMs: number;
  /** The most that the service said was used of it; -1: it has said nothing. */
  readonly reading: number;
  /**
   * Whether claims are counted by stretch (`yes`), and whether the reading is so recent that it bounds them (`bounds`):
   * no more can be claimed than the service counted and what was claimed in this stretch and the one before.
   */
  readonly stretches: 'no' | 'yes' | 'bounds';
}

/** What a process asks in one trip. */
export interface ShareAsk {
  /** The process; a random name, new at each start. */
  readonly member: string;
  /** Rises with each ask of the process. */
  readonly sequence: number;
  /** The version of the facts that the process knows. */
  readonly version: number;
  /** Units that calls wait for and that nothing is held for; 0: only tells. */
  readonly want: number;
  /** Units of the first of these calls: a smaller grant is of no use. */
  readonly need: number;
  /** What the shortest window holds, in units: what is divided among those that are not served in full. */
  readonly size: number;
  /** The smallest part, in units. */
  readonly chunk: number;
  /** How long the process counts as needy if it is not served in full, in milliseconds. */
  readonly stayMs: number;
  /** Units that the process holds for the present and later slots. */
  readonly held: number;
  /** Units that were sent for urgent calls since the last ask. */
  readonly urgent: number;
  /** Earliest first. */
  readonly slots: readonly SlotAsk[];
  readonly windows: readonly WindowAsk[];
  /** Whether the process leaves: its account is removed when its totals have been booked. */
  readonly isLeaving?: boolean;
}

/** The answer to an ask. */
export interface Answer {
  readonly sequence: number;
  /** The store's clock, in milliseconds since the Unix epoch. */
  readonly now: number;
  /** The version of the facts. Where the ask named another, nothing is granted. */
  readonly version: number;
  /** How long the service wants no requests, in milliseconds; 1: a pause is over, and `resume` says what to do; 0: none. */
  readonly pauseMs: number;
  /** For how long another process looks at the service alone, in milliseconds. Until then nothing is granted; 0: none looks. */
  readonly lookMs: number;
  /** How many other processes are not served in full. */
  readonly others: number;
  /** Urgent units of all processes, fading with {@link URGENT_MEMORY_MS}, and for how long they have been counted, in milliseconds. */
  readonly urgent: { readonly units: number; readonly forMs: number };
  /** Units granted of each slot, in the order of the ask. */
  readonly granted: readonly number[];
  /** Units claimed and used by strangers of each window, in the order of the ask, all grants included. */
  readonly used: readonly number[];
}

/** What one process tells the others: limits, shapes, costs and the clock, by field. */
export type Facts = ReadonlyMap<string, string>;

/**
 * Where the books of a shared quota are kept. Each operation is atomic: one takes effect wholly before the next.
 * All of them may reject, or never settle.
 */
export interface ShareStore {
  /** Books what a process claims, hears what the service said, and grants units. */
  take(ask: ShareAsk): Promise<Answer | 'stale'>;
  /**
   * Merges facts into those that are known. Of a shape (`s:…`, `<epoch> <bits>`) the higher epoch counts, and of equal
   * ones all bits of both; everything else is replaced.
   *
   * @param version - the version that the caller knows.
   * @returns all facts, if their version is another now.
   */
  share(
    version: number,
    tell: Facts,
  ): Promise<{ readonly version: number; readonly now: number; readonly facts: Facts | undefined }>;
  /** Asks to be the one that looks at the service, for {@link LOOK_MS} or as long again. `'over'`: {@link LOOKS} were made. Milliseconds: another process looks for so long. */
  look(member: string): Promise<'granted' | 'over' | number>;
  /** Ends the look of a process before its time. */
  endLook(member: string): Promise<void>;
  /** The service wants no requests for so long. */
  pause(ms: number): Promise<void>;
  /**
   * Asks what to do after a pause. `'free'`: it is known to be over. `'probe'`: send one request. Milliseconds: wait for so
   * long, because the pause is not over or another process probes.
   */
  resume(member: string): Promise<'free' | 'probe' | number>;
  /** The probe was served: the pause is over for all. */
  resumed(): Promise<void>;
  /** A sign of life, or of leaving. @returns how many processes are live. */
  live(member: string, isLeaving: boolean): Promise<number>;
}
