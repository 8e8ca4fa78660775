/** The account of a process expires this long after its last ask, in milliseconds. Its claims stay booked in the windows. */
export const ACCOUNT_LASTS_MS = 60_000;

/**
 * A store keeps an instance of a window for this long after its end, in milliseconds. A store that stood still executes the asks that waited meanwhile,
 * and their readings would count as strangers' what it no longer remembers.
 */
export const LINGER_MS = 10_000;

/** The longest pause that a store keeps, in milliseconds. */
export const LONGEST_PAUSE_MS = 3_600_000;

/**
 * What all processes claim is counted by stretches of this length, in milliseconds, and so many of them, so that older claims which the service
 * did not count can be removed.
 */
export const STRETCH_MS = 5_000;
export const RECENT_STRETCHES = 8;

/** The counts of urgent and of usual units decay by a factor of e in this time, in milliseconds. */
export const URGENT_MEMORY_MS = 60_000;

/**
 * Length of a look, in milliseconds, and the number of looks of a share. The process that looks may begin the next look in the second
 * half of the present one. The time between the beginnings of two looks counts as looks, too, if it is shorter than `LOOKS_APART_MS`:
 * looks that follow each other take six seconds in all, with the pauses between them.
 */
export const LOOK_MS = 1_000;
export const LOOKS = 6;
export const LOOKS_APART_MS: number = 3 * LOOK_MS;

/** After this time without an answer to the probe after a pause, another process may probe, in milliseconds. */
export const PROBE_MS = 2_000;

/** A process counts as live for this long after its last ask with {@link ShareAsk.isSign}, in milliseconds. */
export const LIVE_MS = 75_000;

/**
 * What an ask wants of a slot: 0 nothing, 1 at most a part while other processes are needy, 2 any room, whatever is held, 3 the need, and more only
 * of what is free beyond half of each window.
 */
export type Wish = 0 | 1 | 2 | 3;
export const WISH_NOTHING = 0;
export const WISH_PART = 1;
export const WISH_ANY = 2;
export const WISH_SPARING = 3;

/**
 * A stretch of time in which a request may arrive, with every window instance in which it may be counted. To the store a slot is
 * a name, a number by which it ends, and a list of windows: it knows neither the service's time nor shapes.
 */
export interface SlotAsk {
  /** Letters, digits, `+`, `-` and `:` only. */
  readonly name: string;
  /** All units of this slot that the process has spent or holds. A total, so that a trip may be lost or repeated. */
  readonly total: number;
  readonly wish: Wish;
  /** When it ends, in milliseconds by the clock that slots are named by: no request arrives in it after that. */
  readonly to: number;
  /** Indices into {@link ShareAsk.windows}. */
  readonly windows: readonly number[];
}

/** One instance of a window, such as the minute that began at 14:03. */
export interface WindowAsk {
  /** Letters, digits, `+`, `-` and `:` only. */
  readonly name: string;
  /** Its limit in units. */
  readonly limit: number;
  /** Units that this ask must leave free, as for calls of higher priority. */
  readonly kept: number;
  /** How long the store keeps it, in milliseconds from now. */
  readonly ttlMs: number;
  /** The highest usage that the service has stated to this process, in units; -1: none. */
  readonly reading: number;
  /**
   * What the reading bounds usage from: `below`, because it has counted so much; `both`, because it is so recent, too, that nothing but what was
   * claimed since {@link ShareAsk.recentSince} is missing from it; `above` alone, because what was counted then may count no more.
   */
  readonly bounds: 'below' | 'both' | 'above';
  /**
   * Given for a step of a window that drains. What is used of the step before counts in it, too, less so many units, in thousandths: that is
   * the window named before this one, and its name ends in the number before. 0: the step before is not named, and what it left is as
   * it was when both were named.
   */
  readonly drain?: number;
  /**
   * Given for an instance of a window that slides, but of a second: a unit of a slot that ended by then counts no more. The
   * next instance has the name that ends in the next number. What is claimed of slots that count in this instance and not in the next is kept
   * in batches, by when the slots end; once a batch counts no more, this one holds no more than the next and the later batches.
   * What a reading that bounds usage from above shows beyond all that is counted counts in the instances after it, too.
   */
  readonly slidBy?: number;
}

/** The request of one ask. */
export interface ShareAsk {
  /** The name of the process: random, and new at each start. */
  readonly member: string;
  /** Rises with each ask of the process. */
  readonly sequence: number;
  /** The version of the facts that the process knows; -1: it is to be granted nothing. */
  readonly version: number;
  /** Units that waiting calls need beyond those held; 0: the ask only states totals. */
  readonly want: number;
  /** Units of the first of these calls: no slot is granted with fewer. */
  readonly need: number;
  /** Units that are divided among the needy processes: the smallest limit of all windows, or what comes at once of one that drains. */
  readonly size: number;
  /** The smallest part, in units. */
  readonly chunk: number;
  /** How long the process counts as needy if it is not granted all that it wants, in milliseconds, or after the window has ended that has no room. */
  readonly stayMs: number;
  /** Units that the process holds for the present and later slots. */
  readonly held: number;
  /** Units sent since the last ask for urgent calls, and for usual ones: those of priority 0. */
  readonly urgent: number;
  readonly usual: number;
  /** What was claimed since then, by the store's clock, may be missing from readings that bound usage from above; 0: that clock is not known. */
  readonly recentSince: number;
  /** Earliest first. */
  readonly slots: readonly SlotAsk[];
  readonly windows: readonly WindowAsk[];
  /** Whether this is a sign of life, to which the answer says how many processes are live. */
  readonly isSign?: boolean;
  /** Whether the process leaves: its account is removed once its totals are booked, and it is no longer live. */
  readonly isLeaving?: boolean;
}

/** The answer to an ask. */
export interface Answer {
  readonly sequence: number;
  /** The store's clock, in milliseconds since the Unix epoch. */
  readonly now: number;
  /** The version of the facts. Nothing is granted if a limit or the epoch of a shape is newer than the version that the ask named. */
  readonly version: number;
  /** All facts, if the ask named another version. */
  readonly facts: Facts | undefined;
  /** Remaining time of a pause, in milliseconds; 1: it is over, and `resume` says what to do; 0: there is none. Else nothing is granted. */
  readonly pauseMs: number;
  /** Remaining time of another process's look, in milliseconds; 0: there is none. Else nothing is granted. */
  readonly lookMs: number;
  /** How many other processes are needy. */
  readonly others: number;
  /** How many processes are live; 0: the ask was no sign of life. */
  readonly live: number;
  /** Urgent units of all processes, which decay by a factor of e in a minute, and how long they have been counted, in milliseconds. */
  readonly urgent: { readonly units: number; readonly forMs: number };
  /** Usual units of all processes, counted likewise; a store of an earlier version does not count them. */
  readonly usual?: number;
  /** Units granted of each slot, in the order of the ask. */
  readonly granted: readonly number[];
  /** How long until units have slid out of all windows that lack room for the first slot without, in milliseconds; 0: that is not known. */
  readonly freeMs: number;
  /** Units of each window that are claimed or used by strangers, in the order of the ask, these grants included. */
  readonly used: readonly number[];
}

/** What processes tell each other, as text by field: limits, shapes, costs and the service's clock. */
export type Facts = ReadonlyMap<string, string>;

/** Makes one call of a store, with a time-out. */
export type StoreCall = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Keeps the claims on a shared quota. Each operation is atomic. Each may reject, or never settle; it may have taken effect then.
 */
export interface ShareStore {
  /**
   * Whether a trip costs next to nothing, as to a store on the same machine: then processes ask for units before a call needs them.
   * Default: false.
   */
  readonly isNear?: boolean | undefined;
  /** Books the totals of a process, applies its readings, and grants units. `'stale'`: the sequence number is not new; nothing changed. */
  take(ask: ShareAsk): Promise<Answer | 'stale'>;
  /**
   * Merges facts into the stored ones. Of two shapes (`s:…`, `<epoch> <bits>`) the one with the higher epoch is kept; with equal
   * epochs the bits are combined by OR. Any other fact is replaced.
   *
   * @param version - the version known to the caller.
   * @returns all facts if their version is now another, else `undefined`.
   */
  share(
    version: number,
    tell: Facts,
  ): Promise<{ readonly version: number; readonly now: number; readonly facts: Facts | undefined }>;
  /**
   * Requests a look of a second, or the next one in the second half of the caller's own. `'over'`: six were made, the last one less
   * than an hour ago. `'stale'`: facts were told that the caller does not know, and a look would show them again. A number: another
   * process looks for that many milliseconds.
   *
   * @param version - the version of the facts known to the caller, for a look that does not follow its own. Default: the latest.
   */
  look(member: string, version?: number): Promise<'granted' | 'over' | 'stale' | number>;
  /** Ends the look of a process early. */
  endLook(member: string): Promise<void>;
  /** Starts a pause of all processes, or extends it, to `ms` milliseconds from now. */
  pause(ms: number): Promise<void>;
  /**
   * Asks what to do after a pause. `'free'`: it is cleared. `'probe'`: send one request. A number: wait for that many milliseconds,
   * because the pause is not over or another process probes.
   */
  resume(member: string): Promise<'free' | 'probe' | number>;
  /** Clears a pause that is over, because the probe was served. */
  resumed(): Promise<void>;
}
