import { MOST_PASSED } from '../window/passed-charge.ts';
import { type ForecastWindow, fitting, Level } from './level.ts';

/** Requests of one kind. */
export interface Work {
  /** Omitted: any. */
  readonly endpoint?: string | undefined;
  readonly count: number;
  /** Units that each takes. */
  readonly cost: number;
  /** Units that must be free for one, where its cost varies. Omitted: `cost`. */
  readonly held?: number | undefined;
  /** Those that are not sent by this instant are given up. Omitted: all are sent. */
  readonly by?: number | undefined;
}

/** When requests can go, and what they wait for. */
export interface Forecast {
  /** When the last request of each work goes, of one without requests the last of those before it; Infinity: never. */
  readonly sentAt: readonly number[];
  /** How many requests of each work are not sent. */
  readonly late: readonly number[];
  /** The longest window that the last work has to wait out; undefined: none. */
  readonly window: string | undefined;
  /** Its length in milliseconds; 0: it is none of the service. */
  readonly windowMs: number;
}

/** A window that the work fills more often than this only sets a pace: the work is simulated in fewer steps. */
const MOST_WINDOWS = 100;

/** What becomes free evenly is waited for in so many steps at most. */
const MOST_STEPS = 300;

/** Time goes on by this at least, whatever the rounding, in milliseconds. */
const LEAST_STEP_MS = 1e-3;

/**
 * When some work can go, each request as soon as it is its turn and all windows have room for it, if no other consumer uses the
 * quota. A request for which units are missing is passed by cheaper ones that do not delay it, as the queue has it.
 *
 * @param works - those that go first are first.
 */
export function forecast(works: readonly Work[], windows: readonly ForecastWindow[], from: number): Forecast {
  return new Course(works, windows, from).run();
}

/** What a window takes of each request of a work. */
interface Toll {
  readonly level: Level;
  readonly units: number;
  /** Units that are held for one, and must be free for it: as many as it takes, or more. */
  readonly held: number;
}

/** Works on their way that follow one another and take the same of each window. */
interface Line {
  /** The first of them. */
  readonly work: Work;
  readonly tolls: readonly Toll[];
  /** How long each request takes at least, in milliseconds, and what sets that pace. */
  readonly paceMs: number;
  readonly pacer: Level | undefined;
  /** Which works these are, and how many requests of each wait: from `next` on. */
  readonly parts: { readonly index: number; waiting: number }[];
  next: number;
  waiting: number;
}

/** A request that is passed because a window has too few units for it until an instant. */
interface Passed {
  readonly units: number;
  readonly until: number;
}

/** Goes through time. */
class Course {
  readonly #levels: readonly Level[];
  readonly #works: readonly Work[];
  readonly #lines: readonly Line[];
  readonly #sentAt: number[];
  readonly #cheapest: number;
  readonly #stepMs: number;
  #open: readonly Line[];
  #at: number;
  #longest: ForecastWindow | undefined;

  constructor(works: readonly Work[], windows: readonly ForecastWindow[], from: number) {
    this.#at = from;
    const fills = (window: ForecastWindow): number =>
      window.limit > 0 ? works.reduce((sum, work) => sum + work.count * unitsOf(work, window), 0) / window.limit : 0;
    this.#levels = windows.map((window) => new Level(window, fills(window) > MOST_WINDOWS, from));
    const costs = works.filter(({ count }) => count > 0).map(({ cost }) => cost);
    const isMixed = new Set(costs).size > 1;
    this.#cheapest = Math.min(...costs);
    this.#stepMs = Math.max(0, ...windows.map((one) => (fills(one) * one.periodMs) / MOST_STEPS));
    const lines: Line[] = [];
    for (const [index, work] of works.entries()) {
      if (work.count === 0) continue;
      const last = lines.at(-1);
      const line = last && isAlike(last.work, work, windows) ? last : this.#lineOf(work, isMixed);
      line.parts.push({ index, waiting: work.count });
      line.waiting += work.count;
      if (line !== last) lines.push(line);
    }
    this.#works = works;
    this.#lines = lines;
    this.#sentAt = works.map(() => from);
    this.#open = lines;
  }

  #lineOf(work: Work, isMixed: boolean): Line {
    const asked = this.#levels.filter(({ window }) => covers(window, work));
    const tolls = asked.map((level): Toll => {
      const units = unitsOf(work, level.window);
      return { level, units, held: Math.max(units, unitsOf({ ...work, cost: work.held ?? 0 }, level.window)) };
    });
    let paceMs = 0;
    let pacer: Level | undefined;
    for (const { level, units } of tolls) {
      const own = level.isPace ? level.paceOf(units, isMixed) : 0;
      if (own > paceMs) [paceMs, pacer] = [own, level];
    }
    return { work, tolls: tolls.filter(({ level }) => !level.isPace), paceMs, pacer, parts: [], next: 0, waiting: 0 };
  }

  run(): Forecast {
    for (;;) {
      const at = this.#at;
      this.#open = this.#open.filter(({ waiting, work }) => waiting > 0 && at <= (work.by ?? at));
      if (at === Infinity || this.#open.length === 0) break;
      this.#at = Math.max(at + LEAST_STEP_MS, this.#sendAll());
    }
    const never = this.#at === Infinity ? this.#open.flatMap(({ parts, next }) => parts.slice(next)) : [];
    for (const { index } of never) this.#sentAt[index] = Infinity;
    for (const [index, work] of this.#works.entries())
      if (work.count === 0) this.#sentAt[index] = Math.max(...this.#sentAt.slice(0, index + 1));
    const late = this.#works.map(() => 0);
    for (const { parts } of this.#lines) for (const { index, waiting } of parts) late[index] = waiting;
    return {
      sentAt: this.#sentAt,
      late,
      window: this.#longest?.window,
      windowMs: this.#longest ? lengthOf(this.#longest) : 0,
    };
  }

  /**
   * Sends what can go now, each in its turn.
   *
   * @returns when more can go.
   */
  #sendAll(): number {
    for (const level of this.#levels) level.roll(this.#at);
    let wakeAt = Infinity;
    const passed = new Map<Level, Passed>();
    let heldBack = 0;
    for (const line of this.#open) {
      const going = this.#going(line, passed);
      if (going > 0) {
        for (const { level, units } of line.tolls) level.use(going * units, this.#at);
        this.#send(line, going);
        if (line.pacer) {
          this.#waitFor(line.pacer.window);
          return this.#at + going * line.paceMs;
        }
      }
      if (line.waiting === 0) continue;
      const full = this.#holding(line, passed);
      if (!full) {
        // By rounding alone.
        wakeAt = Math.min(wakeAt, this.#at + 1);
        continue;
      }
      const { level, until } = full;
      wakeAt = Math.min(wakeAt, level.after(until, this.#stepMs));
      if (heldBack === 0 && (!level.window.covers || line === this.#lines.at(-1))) this.#waitFor(level.window);
      if (level.window.covers) continue;
      heldBack += line.waiting;
      if (!full.isFull || level.free(this.#at) < this.#cheapest || heldBack > MOST_PASSED) break;
      for (const { level: one, held } of line.tolls) {
        const from = one.freeFrom(held, this.#at);
        if (from > this.#at && !(from >= (passed.get(one)?.until ?? from + 1)))
          passed.set(one, { units: held, until: from });
      }
    }
    return wakeAt;
  }

  /** Sends the next requests of a line. At a pace, the last goes when all before it have. */
  #send(line: Line, going: number): void {
    const { parts, paceMs } = line;
    for (let sent = 0, part = parts[line.next]; part && sent < going; part = parts[line.next]) {
      const taken = Math.min(part.waiting, going - sent);
      sent += taken;
      part.waiting -= taken;
      line.waiting -= taken;
      this.#sentAt[part.index] = this.#at + (sent - 1) * paceMs;
      if (part.waiting === 0) line.next++;
    }
  }

  /** How many requests of a work can go now: those that pass another leave room for it at its time. */
  #going({ tolls, waiting, paceMs }: Line, passed: ReadonlyMap<Level, Passed>): number {
    let going = waiting;
    for (const { level, units, held } of tolls) {
      going = Math.min(going, fitting(level.free(this.#at), units, held));
      if (paceMs > 0) going = Math.min(going, Math.max(1, Math.ceil((level.nextAt(this.#at) - this.#at) / paceMs)));
      going = Math.min(going, this.#goingPast(passed.get(level), level, held));
    }
    return going;
  }

  /** How many requests leave room in a window for the one that is passed, at its time. */
  #goingPast(passed: Passed | undefined, level: Level, units: number): number {
    if (!passed) return Infinity;
    const delays = level.releaseOf(units, this.#at).to > passed.until;
    return delays ? fitting(level.free(passed.until) - passed.units, units) : Infinity;
  }

  /** What holds a work for longest: a window that is full, or one whose next units are for a request that costs more. */
  #holding(
    { tolls }: Line,
    passed: ReadonlyMap<Level, Passed>,
  ): { readonly level: Level; readonly until: number; readonly isFull: boolean } | undefined {
    let holding: { readonly level: Level; readonly until: number; readonly isFull: boolean } | undefined;
    for (const { level, held } of tolls) {
      const from = level.freeFrom(held, this.#at);
      const other = passed.get(level);
      const until = other && this.#goingPast(other, level, held) === 0 ? Math.max(from, other.until) : from;
      if (until > (holding?.until ?? this.#at)) holding = { level, until, isFull: from > this.#at };
    }
    return holding;
  }

  #waitFor(window: ForecastWindow): void {
    if (!this.#longest || lengthOf(window) >= lengthOf(this.#longest)) this.#longest = window;
  }
}

/** Whether requests of two works take the same of each window, and are given up at the same instant. */
function isAlike(one: Work, other: Work, windows: readonly ForecastWindow[]): boolean {
  if (one.cost !== other.cost || one.held !== other.held || one.by !== other.by) return false;
  return one.endpoint === other.endpoint || windows.every((window) => covers(window, one) === covers(window, other));
}

function covers(window: ForecastWindow, { endpoint }: Work): boolean {
  return window.covers?.(endpoint) ?? true;
}

function lengthOf({ window, periodMs }: ForecastWindow): number {
  return window === 'concurrency' ? 0 : periodMs;
}

/** Units that a request takes of a window: one that exceeds it goes alone. */
function unitsOf({ endpoint, cost }: Work, { limit, countsRequests, covers }: ForecastWindow): number {
  if (covers?.(endpoint) === false) return 0;
  return countsRequests || limit <= 0 ? 1 : Math.min(cost, limit);
}
