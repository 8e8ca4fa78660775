/** A window that a forecast reckons with: it ends on the calendar, or on a reset that the service named. Instants are the service's. */
export interface ForecastWindow {
  /** `second`, `minute`, …, or `endpoint`. */
  readonly window: string;
  /** Units that a new one holds for us. */
  readonly limit: number;
  /** What is left of the present one. */
  readonly left: number;
  /** Approximate length, in milliseconds: orders the windows. */
  readonly periodMs: number;
  /** When the one ends that holds `at`. */
  readonly endOf: (at: number) => number;
  /** If it counts requests instead of units: whether it counts those of this endpoint. Omitted: it counts the units of all. */
  readonly covers?: (endpoint: string | undefined) => boolean;
}

/** Requests of one kind. */
export interface Work {
  /** Left out: any. */
  readonly endpoint?: string | undefined;
  readonly count: number;
  /** Units that each takes. */
  readonly cost: number;
}

/** The fastest rate of requests, apart from the windows. */
export interface Pace {
  /** How many may be under way at a time. */
  readonly concurrency: number;
  /** For how long each is, in milliseconds. */
  readonly roundTripMs: number;
}

/** When the last request can go, and what it waits for. */
export interface Forecast {
  /** Infinity: never. */
  readonly at: number;
  /** The longest window that has to be waited out; `concurrency` where only answers are waited for; undefined if nothing is. */
  readonly window: string | undefined;
}

/** After this many steps the rest is extrapolated from the pace so far. */
const STEPS = 20_000;

/** Months differ in length, so they are passed over one by one: windows from this length on, in milliseconds. */
const UNEVEN_MS = 28 * 86_400_000;

/** Sums of costs that are no whole numbers may miss what is left by this part of a unit. */
const ROUNDING = 1e-9;

/** A window on its way through time. */
interface Level extends ForecastWindow {
  left: number;
  end: number;
  /** When it began, if it was new when it was reckoned with. */
  began: number;
}

/** What a window takes of each request. */
interface Toll {
  readonly level: Level;
  readonly price: number;
}

/**
 * When the last of some work can go, one kind after the other, if each request goes as soon as all windows have room for
 * it, and no other consumer uses the quota. Work that fills the same windows again and again takes one step, not one for each.
 *
 * @param from - when the first can go, by the service's clock, in milliseconds since the Unix epoch.
 * @param pace - how many requests may be under way, and for how long each is.
 */
export function forecast(
  work: readonly Work[],
  windows: readonly ForecastWindow[],
  from: number,
  pace: Pace = { concurrency: 1, roundTripMs: 0 },
): Forecast {
  const levels = windows
    .map((window): Level => ({ ...window, end: window.endOf(from), began: Number.NaN }))
    .sort((one, other) => one.periodMs - other.periodMs);
  const course = new Course(from, pace.roundTripMs / pace.concurrency);
  const rounds = (count: number): number => Math.floor(Math.max(0, count - 1) / pace.concurrency) * pace.roundTripMs;
  let requests = 0;
  for (const some of work) {
    const paced = course.at + rounds(some.count);
    course.send(some, levels);
    course.at = Math.max(course.at, paced);
    requests += some.count;
  }
  const at = Math.max(course.at, from + rounds(requests));
  return { at, window: course.longest?.window ?? (at > from ? 'concurrency' : undefined) };
}

/** Goes through time and windows. */
class Course {
  at: number;
  /** The longest window that had to be waited out. */
  longest: Level | undefined;
  /** The time from one request to the next, on average, if only answers are awaited. */
  readonly #gapMs: number;
  #steps = 0;

  constructor(at: number, gapMs: number) {
    this.at = at;
    this.#gapMs = gapMs;
  }

  send({ endpoint, count, cost }: Work, levels: readonly Level[]): void {
    const tolls = levels
      .filter(({ covers }) => covers?.(endpoint) ?? true)
      .map((level): Toll => ({ level, price: level.covers ? 1 : Math.min(cost, level.limit) }));
    const shut = tolls.find(({ level }) => level.limit <= 0);
    if (shut && count > 0) {
      this.#pass(shut.level, Number.POSITIVE_INFINITY);
      return;
    }
    const began = this.at;
    for (let waiting = count; waiting > 0; this.#steps++) {
      if (this.#steps > STEPS) {
        this.at += ((this.at - began) / (count - waiting)) * waiting;
        return;
      }
      for (const level of levels) roll(level, this.at);
      const passed = this.#passOver(tolls, waiting);
      const going = passed || this.#burst(tolls, waiting);
      waiting -= going;
      if (passed === 0 && waiting > 0) this.#wait(tolls);
    }
  }

  /** Sends what all windows have room for now. */
  #burst(tolls: readonly Toll[], waiting: number): number {
    const going = Math.min(
      waiting,
      this.#atOnce(tolls),
      ...tolls.map(({ level, price }) => fitting(level.left, price)),
    );
    for (const { level, price } of tolls) level.left -= going * price;
    return going;
  }

  /** Goes to the end of what is full, or of the shortest window where answers are awaited. */
  #wait(tolls: readonly Toll[]): void {
    const full = tolls.filter(({ level, price }) => fitting(level.left, price) < 1);
    for (const { level } of full) this.#pass(level, level.end);
    if (full.length === 0) this.at = tolls[0]?.level.end ?? this.at;
  }

  /**
   * Passes over equal windows that the work fills, of the longest kind that has just begun together with all shorter ones.
   *
   * @returns how many requests went in them.
   */
  #passOver(tolls: readonly Toll[], waiting: number): number {
    let leap: { readonly going: number; readonly to: number; readonly filled: Level | undefined } | undefined;
    let holds = this.#atOnce(tolls);
    let lengthMs = 0;
    let filled: Level | undefined;
    for (const [index, { level, price }] of tolls.entries()) {
      const length = level.end - this.at;
      const parts = lengthMs > 0 ? length / lengthMs : 1;
      const isNew = level.began === this.at && level.left === level.limit;
      if (!isNew || !Number.isInteger(parts)) break;
      const own = fitting(level.limit, price);
      if (own <= holds * parts) filled = level;
      holds = Math.min(own, holds * parts);
      lengthMs = length;
      const longer = tolls.slice(index + 1);
      const times = Math.min(
        Math.floor((waiting - 1) / holds),
        length < UNEVEN_MS ? Number.POSITIVE_INFINITY : 1,
        ...longer.map((one) => Math.floor(fitting(one.level.left, one.price) / holds)),
        ...longer.map((one) => Math.floor((one.level.end - this.at) / length)),
      );
      if (times >= 1) leap = { going: times * holds, to: this.at + times * length, filled };
    }
    if (!leap) return 0;
    for (const { level, price } of tolls) {
      level.left -= leap.going * price;
      if (level.end === leap.to && fitting(level.left, price) < 1) this.#pass(level, leap.to);
    }
    if (leap.filled) this.#pass(leap.filled, leap.to);
    this.at = leap.to;
    return leap.going;
  }

  /** How many requests can go within the shortest window if each waits for answers. */
  #atOnce([shortest]: readonly Toll[]): number {
    if (this.#gapMs === 0 || !shortest) return Number.POSITIVE_INFINITY;
    return Math.ceil(shortest.level.periodMs / this.#gapMs);
  }

  #pass(level: Level, end: number): void {
    this.at = Math.max(this.at, end);
    if (level.periodMs >= (this.longest?.periodMs ?? 0)) this.longest = level;
  }
}

/** How many requests have room. */
function fitting(left: number, price: number): number {
  return price > 0 ? Math.max(0, Math.floor(left / price + ROUNDING)) : Number.POSITIVE_INFINITY;
}

/** Begins the window that holds `at`, if the one before has ended. */
function roll(level: Level, at: number): void {
  if (at < level.end) return;
  level.left = level.limit;
  level.end = level.endOf(at);
  level.began = level.endOf(at - 1) === at ? at : Number.NaN;
}
