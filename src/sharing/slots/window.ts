import { keepLast } from '../../keep-last.ts';
import type { WindowNews } from '../../quota/share-limit.ts';
import { endOf, periodMsOf, startOf } from '../../quota/time/periods.ts';
import { DRIFT } from '../../quota/time/server-clock.ts';
import { LINGER_MS, type WindowAsk } from '../store/store.ts';
import { numbered } from '../store/store-rules.ts';
import { drainedIn, lastStep, SPARE_STEPS, spareOf, stepsAt, stepsUntil } from './drain.ts';
import { calendarOf, evenOf, type InstanceTime, slidingOf } from './instances.ts';
import { ShapedWindow } from './shaped-window.ts';
import type { TimeRange } from './timeline.ts';

/** How far ahead any process of the share may hold units, in milliseconds. */
export const REACH_MS = 5_000;

/** How far ahead of the present slot of a short window a process may hold units: most slots of an ask, or calls that are expected. In milliseconds. */
const SHORT_REACH_MS = 3_700;

/**
 * A reading bounds claims from above if its request is no older than this, in milliseconds. What was claimed after it, or not so long before it, may be
 * missing from it: units are held for slots up to `REACH_MS` ahead, and a request may be under way for longer than usual.
 */
const RECENT_MS = 20_000;
export const MISSING_MS: number = 3 * REACH_MS;

/** The beginning of the calendar's next window, for which a unit is kept, is this part of it. */
const BEGINNING = 0.05;

/** Maximum number of instances for which a window keeps readings, and what the store counts. */
const READINGS = 9;

/** While more than this part of the limit slides out, a reading may count it and the store no more: it does not show how much is used at least. */
const SLIDING_PART = 0.1;

/** One instance of a window. */
export interface Instance extends InstanceTime {
  readonly window: SharedWindow;
  /** Its limit in units. */
  readonly limit: number;
}

/** The highest usage of an instance that a response has stated, and when the latest such request was sent. */
export interface InstanceReading {
  readonly used: number;
  readonly sentAt: number;
}

/** What is stated of the usage of an instance: the highest reading of it, or the most that can be used of it by the latest; and how old that is. */
export interface StatedUsage extends Pick<WindowAsk, 'bounds'> {
  readonly used: number;
  readonly ageMs: number;
}

/** Units claimed by all processes, by the store. */
export interface Claims {
  /** Of the calendar's present window; undefined: the store has not said. */
  readonly present: number | undefined;
  /** What an estimate counts of them, and still of those of the window before: of claims that may be in either the latter. */
  readonly estimated: number;
}

/** One window of the service, as the processes of a share count it. */
export class SharedWindow extends ShapedWindow {
  /** Units that remained by the latest reading. */
  left: number = this.limit;
  readonly #readings = new Map<string, InstanceReading>();
  /** Units used by the latest reading, and when its request was sent, by the local clock and at the earliest by the timeline. */
  #latest: { readonly used: number; readonly sentAt: number; readonly time: number } | undefined;
  /** The last window of the calendar that a response of its beginning has shown to be used from then on, by when it began. */
  #begunAt = Number.NaN;
  /** Units used in the last instances of the calendar, and in the stretches up to the present step, by the store. */
  readonly #used = new Map<string, number>();
  /** When a request was sent whose reading counted half of the limit more than the store, at most: so much no strangers take at once. */
  #exceededAt = -Infinity;
  /** Units used of all instances that the last ask named, by the store. */
  #heard: ReadonlyMap<string, number> = new Map();
  /** Units of a window of the calendar, by when it began, that were claimed so long ago that each reading counts them. */
  #settled = { start: Number.NaN, units: 0 };

  /** How far ahead any process may hold units of it, in milliseconds. */
  get reachMs(): number {
    return this.isShort ? SHORT_REACH_MS : REACH_MS;
  }

  /**
   * Units that an ask for slots from this time on keeps for the request of {@link isProbed}, or for a later one that is the first of its window. Of a
   * minute not from a first call that fails before it ends; few calls wait for the end of an hour or a day, and without that request all of the next might fail.
   */
  keptForProbe(from: number, waitsUntil: number = Infinity): number {
    if (!this.isProbed || (!this.isLong && endOf(this.period, from) > waitsUntil)) return 0;
    const start = startOf(this.period, from);
    // What slides is free again as soon as the calendar's next window begins.
    if (start === this.#begunAt) return 0;
    return this.#usedAt(start) === 0 || from - start < periodMsOf(this.period) * BEGINNING ? 0 : 1;
  }

  /** The instance of the calendar before the one of this time, if the service may count a part of it. */
  previous(time: number): Instance | undefined {
    if (!this.mayBeEstimated) return undefined;
    return this.#at(startOf(this.period, time) - 1);
  }

  /** The store said how much is used of all instances that an ask named. */
  hearAll(used: ReadonlyMap<string, number>): void {
    this.#heard = used;
  }

  /** The store said how much is used of an instance, at a time: of one of the calendar before those that slide. */
  hearUsed({ name, slides, end, drain }: Instance, units: number, time: number): void {
    // The store has heard what was read, and some of it has slid out since.
    if (slides !== undefined && (this.#readings.get(name)?.used ?? 0) > units) this.#readings.delete(name);
    if (this.isShort || drain !== undefined) return;
    if (slides === undefined || end - slides <= time) {
      this.#used.delete(name);
      this.#used.set(name, units);
      keepLast(this.#used, READINGS);
    }
    // What it holds may have been claimed so late that a reading does not count it.
    if (slides !== undefined && end - slides - periodMsOf(this.period) <= time - MISSING_MS) {
      const start = startOf(this.period, time);
      const settled = (this.#usedAt(time) ?? 0) - units;
      if (start !== this.#settled.start || settled > this.#settled.units) this.#settled = { start, units: settled };
    }
  }

  /** What the latest answer of the store says of the calendar's window in which this range begins, and at its end of the one before. */
  claims({ least, most }: TimeRange): Claims {
    const start = startOf(this.period, least);
    // Processes that know it counts by the calendar alone claim nothing of what slides.
    const settled = start === this.#settled.start && !this.isByCalendar ? this.#settled.units : 0;
    const before = this.#usedAt(start - 1) ?? Infinity;
    const present = this.#at(least);
    const estimated = Math.max(0, settled - before) + this.carried(present, most);
    return { present: this.#used.get(present.name), estimated };
  }

  /** Units of an instance that the one before it may still take from this time on, if the service estimates usage from both. */
  carried({ end, slides }: Instance, from: number): number {
    const before = slides === undefined ? this.previous(end - 1) : undefined;
    const used = (before && this.#used.get(before.name)) ?? 0;
    if (!before || used === 0) return 0;
    return Math.ceil(used * Math.min(1, Math.max(0, end - from) / (end - before.end)));
  }

  /** Whether a reading in the time of the last window counted much more than the store, so that another shape is more likely than strangers. */
  isExceeded(now: number): boolean {
    return now < this.#exceededAt + periodMsOf(this.period);
  }

  /** Units of a step that are kept free whatever calls wait, but for a request that costs more than they leave. */
  spare({ drain, units = this.limit }: Instance, need: number, vagueMs: number): number {
    const kept = drain !== undefined && this.drains ? spareOf(this.period, this.limit, vagueMs) : this.limit - units;
    return Math.min(kept, Math.max(0, this.limit - need));
  }

  /** All instances in which a request that arrives within this range may be counted. */
  instances(range: TimeRange, vagueMs: number = range.most - range.least): Instance[] {
    // With several candidates both kinds are counted, so that no unit is missing when the shape becomes known.
    return [
      ...(this.mayBeCalendar || this.mayBeEstimated ? this.#calendar(range) : []),
      ...(this.isCalendar || this.drains || this.isByCalendar ? [] : this.#of(slidingOf(this.period, range))),
      ...(this.mayDrain ? this.#of(stepsAt(this.period, range, vagueMs)) : []),
      ...(this.isEven ? this.#of(evenOf(this.period, this.limit, range)) : []),
    ];
  }

  /** Records a reading; `sent` and `received` are the bounds of the service's clock at those instants. */
  read({ used, limit, sentAt }: WindowNews, sent: TimeRange, received: TimeRange, vagueMs: number): void {
    this.limit = limit;
    this.left = Math.max(0, limit - used);
    if (used > limit / 2 && used - this.#mostCounted(sent.least) > limit / 2) this.#exceededAt = sentAt;
    if (sentAt >= (this.#latest?.sentAt ?? sentAt)) this.#latest = { used, sentAt, time: sent.least };
    const range = { least: sent.least, most: received.most };
    const start = startOf(this.period, sent.least);
    if (used > 0 && received.most <= start + periodMsOf(this.period) * BEGINNING) this.#begunAt = start;
    const present = this.#at(sent.least);
    const carried = this.carried(present, sent.least);
    for (const instances of [calendarOf(this.period, range), slidingOf(this.period, range, 0)]) {
      const [only] = instances;
      if (!only || instances.length > 1) continue;
      // An estimate may still count units of the window before that have slid out.
      const before = (this.#used.get(only.name) ?? 0) - (this.#used.get(present.name) ?? 0);
      if (carried <= Math.max(0, before)) this.#note(only, used, sentAt);
    }
    const last = this.mayDrain ? lastStep(this.period, received.most, this.reachMs, vagueMs) : undefined;
    // What may have drained when the step begins is no more used.
    if (last) this.#note(last, used - drainedIn(this.period, limit, last.from - sent.least), sentAt);
    keepLast(this.#readings, READINGS);
  }

  #note({ name }: InstanceTime, used: number, sentAt: number): void {
    const known = this.#readings.get(name);
    this.#readings.delete(name);
    this.#readings.set(name, known && known.used > used ? { ...known, sentAt } : { used, sentAt });
  }

  /** What responses have stated of the usage of an instance, if any did. */
  reading(instance: Instance, now: number): StatedUsage | undefined {
    const { name, slides, drain } = instance;
    // A step to which no usage is carried over holds its own claims alone.
    if (drain !== undefined && !this.drains) return undefined;
    // If the window may not be aligned, part of the stated usage may belong to the calendar's previous window.
    const isTelling = (): boolean =>
      slides === undefined ? this.isCalendar : this.#slidesOutOf(name) <= this.limit * SLIDING_PART;
    const known = this.#readings.get(name);
    if (known && isTelling()) {
      const ageMs = now - known.sentAt;
      const isBound = !this.isShort && drain === undefined && ageMs < RECENT_MS;
      return { used: known.used, bounds: isBound ? 'both' : 'below', ageMs };
    }
    return this.#most(instance, now);
  }

  /**
   * The most that may have been used of an instance when the latest reading was taken, if that is recent: whatever the
   * shape, nothing that is not counted then counts later. Of the calendar's window before, an estimate counts the part that is left.
   */
  #most(instance: Instance, now: number): StatedUsage | undefined {
    const { name, slides, end, drain } = instance;
    if (this.isShort || drain !== undefined || !this.#latest) return undefined;
    const { used, time, sentAt } = this.#latest;
    // What is claimed of a window of the calendar is told first, because it may show that nothing of it counts.
    if (slides === undefined && !this.#used.has(name)) return undefined;
    const ageMs = now - sentAt;
    if (ageMs >= RECENT_MS) return undefined;
    // What an estimate does not take from the window before was used of the present one.
    const present = this.isByCalendar && name === this.#at(time).name ? used - this.carried(instance, time) : 0;
    if (present > (this.#used.get(name) ?? 0)) return { used: present, bounds: 'below', ageMs };
    const over = Math.max(0, time - end) / periodMsOf(this.period);
    return over < 1 ? { used: Math.floor(used / (1 - over)), bounds: 'above', ageMs } : undefined;
  }

  /** Units that slide out in the step of an instance, by the store: the next one holds no more of them. */
  #slidesOutOf(name: string): number {
    const [kind, number] = numbered(name);
    const next = this.#heard.get(`${kind}${number + 1}`);
    return next === undefined ? 0 : (this.#heard.get(name) ?? 0) - next;
  }

  /** All steps that an ask must name for slots within this range if the window drains. */
  steps(range: TimeRange): Instance[] {
    return this.drains ? this.#of(stepsUntil(this.period, this.limit, range)) : [];
  }

  /** Units that the store counts of the instances of a time, of the one with most; Infinity: it has not said, as of a second. */
  #mostCounted(time: number): number {
    if (this.isShort) return Infinity;
    const instances = this.instances({ least: time, most: time });
    return Math.max(...instances.map((each) => (this.#used.get(each.name) ?? Infinity) + this.carried(each, time)));
  }

  /** The instance of the calendar at a time. */
  #at(time: number): Instance {
    return this.#calendar({ least: time, most: time })[0] as Instance;
  }

  /** Units used of that, by the store; undefined: it has not said. */
  #usedAt(time: number): number | undefined {
    return this.#used.get(this.#at(time).name);
  }

  #calendar(range: TimeRange): Instance[] {
    return this.#of(calendarOf(this.period, range));
  }

  #of(times: readonly InstanceTime[]): Instance[] {
    return times.map((time) => ({ ...time, window: this, limit: this.limit }));
  }
}

/** Until when an instance may count: one of the calendar may count in the next one, too, and what drains in later ones. */
export function countsUntil({ end, window, slides, drain }: Instance): number {
  const counts = drain !== undefined || (slides === undefined && !window.isCalendar);
  return end + (counts ? periodMsOf(window.period) + SPARE_STEPS * (slides ?? 0) : 0);
}

/** When a slot must have ended for its units to count no more in a stretch of a window that slides; undefined: it is none, or of a second. */
export function slidByOf({ window, slides, drain }: Instance, time: number): number | undefined {
  return !window.isShort && slides !== undefined && drain === undefined
    ? Math.floor(time - periodMsOf(window.period) * (1 + DRIFT))
    : undefined;
}

/** How long the store must keep an instance, in milliseconds. */
export function ttlOf(instance: Instance, time: number): number {
  return Math.max(0, countsUntil(instance) - time) + LINGER_MS;
}
