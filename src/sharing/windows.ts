import type { Shapes, WindowNews } from '../quota/share-limit.ts';
import { endOf, PERIODS, type Period, periodMsOf, SHORT_MS, startOf } from '../quota/time/periods.ts';
import { PARTS } from './store-rules.ts';
import type { TimeRange } from './timeline.ts';

/** Steps into which a sliding window is divided. A short window has fewer, because a step must be longer than a trip. */
const STEPS = 30;
const SHORT_STEPS = 10;

/** Part of the limit granted to even traffic where the service estimates a sliding window, because it rounds its estimate. */
const EVEN_PART = 0.95;
const EVEN_STEPS = 5;

/** The store keeps an instance for this long after its end, in milliseconds. */
const LINGER_MS = 5_000;

/** A reading bounds the claims of a long window from above if its request is no older than this, in milliseconds. */
const RECENT_MS = 20_000;

/**
 * Of a window of at least `PROBED` units a unit is kept for the beginning of the calendar's next window, which is this part of it: the
 * request that gets it shows whether usage is reset there, although the window is full if it slides.
 */
const PROBED = 20;
const BEGINNING = 0.05;

/** Maximum number of instances for which a window keeps readings. */
const READINGS = 6;

/**
 * Of a window that drains, units of a slot that touches two steps count in the second one, and a step may begin right after the one
 * before was used up: so many steps' units are left free for that. An ask names so many steps more than drain the whole window.
 */
const SPARE_STEPS = 2;

/** One instance of a window: the minute that began at 14:03, or all steps that a sliding minute can touch if it ends in a given step. */
export interface Instance {
  readonly name: string;
  readonly window: SharedWindow;
  /** Its limit in units. */
  readonly limit: number;
  /** When it ends, in milliseconds since the Unix epoch by the timeline. */
  readonly end: number;
  /** The length of a step in milliseconds; omitted for a window of the calendar. */
  readonly slides?: number;
  /**
   * Given for a step of a window that drains: units, in thousandths, by which what is used of the step before is less when this one begins. 0:
   * that is not reckoned with.
   */
  readonly drain?: number;
}

/** The highest usage of an instance that a response has stated, and when the latest such request was sent. */
export interface InstanceReading {
  readonly used: number;
  readonly sentAt: number;
}

/** One window of the service, as the processes of a share count it. */
export class SharedWindow {
  readonly period: Period;
  /** Its limit in units. */
  limit: number;
  /** Its candidate shapes. */
  shapes: Shapes;
  /** Units that remained by the latest reading. */
  left: number;
  readonly #readings = new Map<string, InstanceReading>();
  /** Units used in the last instances of the calendar, by the store. */
  readonly #used = new Map<string, number>();

  constructor(period: Period, limit: number, shapes: Shapes) {
    this.period = period;
    this.limit = limit;
    this.shapes = shapes;
    this.left = limit;
  }

  /** Whether it is so short that a look by one process reveals its shape within seconds. */
  get isShort(): boolean {
    return periodMsOf(this.period) <= SHORT_MS;
  }

  /** Whether it is longer than a minute, so that unused claims must be removed before the window ends. */
  get isLong(): boolean {
    return periodMsOf(this.period) > periodMsOf('minute');
  }

  /** Whether `aligned` is the only candidate. */
  get isCalendar(): boolean {
    return this.period === 'month' || this.shapes.alive.every(({ isCalendar }) => isCalendar);
  }

  /**
   * Whether the service is likely to estimate a sliding window from two calendar windows, which is exact for even traffic only: other
   * shapes are ruled out, but for one that drains, or a refusal was explained by none (an epoch above 0).
   */
  get #isEstimated(): boolean {
    const { alive, epoch } = this.shapes;
    const isLeft = epoch > 0 || alive.every(({ isEstimated, drains }) => isEstimated || drains);
    return isLeft && alive.some(({ isEstimated }) => isEstimated);
  }

  /** Whether `leaky` is the only candidate of a long window of more than a few units, so that what has drained can be used. */
  get #drains(): boolean {
    return this.#mayDrain && this.shapes.alive.every(({ drains }) => drains);
  }

  get #mayDrain(): boolean {
    return this.#isSizeable && this.shapes.alive.some(({ drains }) => drains);
  }

  /** Whether it is a long one of more than a few units that may not be the calendar's. */
  get #isSizeable(): boolean {
    return !this.isShort && !this.isCalendar && this.limit >= PROBED;
  }

  /** The most units that can be granted together. */
  get most(): number {
    return this.#drains ? Math.floor(this.limit * (1 - SPARE_STEPS / STEPS)) : this.limit;
  }

  /** Whether it may be the calendar's, or not; `slides`: whether that is asked of what may slide, too. */
  isOpen(slides: boolean): boolean {
    if (!slides && this.shapes.alive.some(({ isSliding }) => isSliding)) return false;
    return this.isInDoubt && this.shapes.alive.some(({ isCalendar }) => isCalendar);
  }

  /** Whether a look may still reveal its shape. */
  get isInDoubt(): boolean {
    return this.isShort && !this.isCalendar && this.shapes.alive.length > 1;
  }

  /** Whether a request at the beginning of the calendar's next window shows that this one is the calendar's, or is not. */
  get isProbed(): boolean {
    if (this.isShort || this.isCalendar || this.#isEstimated || this.limit < PROBED) return false;
    return this.shapes.alive.some(({ isCalendar }) => isCalendar);
  }

  /** Units that an ask for slots from this time on keeps for that request, unless its first call fails before the window ends. */
  keptForProbe(from: number, waitsUntil: number = Number.POSITIVE_INFINITY): number {
    if (!this.isProbed || endOf(this.period, from) > waitsUntil) return 0;
    return from - startOf(this.period, from) < periodMsOf(this.period) * BEGINNING ? 0 : 1;
  }

  /** Whether it is a long one, of more than a few units, that the service may estimate from two counters. */
  get #isCounted(): boolean {
    return this.#isSizeable && this.shapes.alive.some(({ isEstimated }) => isEstimated);
  }

  /** The instance of the calendar before the one of this time, if the service may count a part of it. */
  previous(time: number): Instance | undefined {
    if (!this.#isCounted) return undefined;
    const end = startOf(this.period, time) - 1;
    return this.#calendar({ least: end, most: end })[0];
  }

  /** The store said how much is used of an instance of the calendar. */
  hearUsed({ name, slides }: Instance, units: number): void {
    if (!this.#isCounted || slides !== undefined) return;
    this.#used.delete(name);
    this.#used.set(name, units);
    keepLast(this.#used);
  }

  /** Units of an instance that the one before it may still take from this time on, if the service estimates usage from both. */
  carried({ end, slides }: Instance, from: number): number {
    const before = slides === undefined ? this.previous(end - 1) : undefined;
    const used = (before && this.#used.get(before.name)) ?? 0;
    if (!before || used === 0) return 0;
    return Math.ceil(used * Math.min(1, (end - from) / (end - before.end)));
  }

  /** All instances in which a request that arrives within this range may be counted. */
  instances(range: TimeRange): Instance[] {
    const { alive } = this.shapes;
    const mayBeCalendar = this.isCalendar || alive.some(({ isCalendar }) => isCalendar);
    // With several candidates both kinds are counted, so that no unit is missing when the shape becomes known.
    return [
      ...(mayBeCalendar || this.#isCounted ? this.#calendar(range) : []),
      ...(this.isCalendar || this.#drains ? [] : this.#sliding(range)),
      ...(this.#mayDrain ? this.#steppedOn(range) : []),
      ...(this.#isEstimated && !this.#isCounted ? this.#even(range) : []),
    ];
  }

  /** Records a reading; `sent` and `received` are the bounds of the service's clock at those instants. */
  hear({ used, limit, sentAt }: WindowNews, sent: TimeRange, received: TimeRange): void {
    this.limit = limit;
    this.left = Math.max(0, limit - used);
    const range = { least: sent.least, most: received.most };
    for (const instances of [this.#calendar(range), this.#sliding(range, 0)]) {
      const [only] = instances;
      if (only && instances.length === 1) this.#note(only, used, sentAt);
    }
    const [last] = this.#mayDrain ? this.#steppedOn(range) : [];
    // What may have drained when the step ends is no more used.
    if (last) this.#note(last, used - Math.ceil((limit * (last.end - sent.least)) / periodMsOf(this.period)), sentAt);
    keepLast(this.#readings);
  }

  #note({ name }: Instance, used: number, sentAt: number): void {
    const known = this.#readings.get(name);
    this.#readings.delete(name);
    this.#readings.set(name, known && known.used > used ? { ...known, sentAt } : { used, sentAt });
  }

  /** The highest usage stated for an instance, if any; `isRecent`: whether it bounds the claims from above. */
  reading(
    { name, slides, limit, drain }: Instance,
    now: number,
  ): { readonly used: number; readonly isRecent: boolean } | undefined {
    // If the window may not be aligned, part of the stated usage may belong to the calendar's previous window.
    if (slides === undefined && !this.isCalendar) return undefined;
    // A step that is not reckoned with those before it holds its own claims alone.
    if (drain !== undefined && !this.#drains) return undefined;
    const known = this.#readings.get(name);
    return known && { used: Math.min(known.used, limit), isRecent: now - known.sentAt < RECENT_MS };
  }

  #calendar({ least, most }: TimeRange): Instance[] {
    const instances: Instance[] = [];
    let start = startOf(this.period, least);
    for (; start <= most; start = endOf(this.period, start)) {
      instances.push({
        name: `${this.period}:${start / 1_000}`,
        window: this,
        limit: this.limit,
        end: endOf(this.period, start),
      });
    }
    return instances;
  }

  /** A unit of one step counts in every instance that covers the step. An instance is one step longer than the window. */
  #sliding({ least, most }: TimeRange, steps = this.#steps): Instance[] {
    const step = periodMsOf(this.period) / this.#steps;
    const last = Math.floor(most / step) + steps;
    const instances: Instance[] = [];
    for (let index = Math.floor(least / step); index <= last; index++)
      instances.push({
        name: `${this.period}-${index}`,
        window: this,
        limit: this.limit,
        end: (index + 1) * step,
        slides: step,
      });
    return instances;
  }

  /** The steps, the last one first, in one of which a unit counts that arrives within this range, or in the one before. */
  #steppedOn({ least, most }: TimeRange): Instance[] {
    const [first, last] = [this.#stepAt(least), this.#stepAt(most)];
    return Array.from({ length: Math.floor((last - first) / 2) + 1 }, (_, index) => this.#step(last - 2 * index, 0));
  }

  /**
   * All steps that an ask must name for slots within this range if the window drains: from so long ago that whatever was used then has
   * drained.
   */
  steps({ least, most }: TimeRange): Instance[] {
    if (!this.#drains) return [];
    const first = this.#stepAt(least) - STEPS - SPARE_STEPS;
    const drain = Math.floor((PARTS * this.limit) / STEPS);
    return Array.from({ length: this.#stepAt(most) - first + 1 }, (_, index) =>
      this.#step(first + index, index === 0 ? 0 : drain),
    );
  }

  #stepAt(time: number): number {
    return Math.floor((time * STEPS) / periodMsOf(this.period));
  }

  #step(index: number, drain: number): Instance {
    const slides = periodMsOf(this.period) / STEPS;
    const name = `${this.period}-drain-${index}`;
    return { name, window: this, limit: this.most, end: (index + 1) * slides, slides, drain };
  }

  /** One instance per even step, which limits that step to its part of the window. */
  #even({ least }: TimeRange): Instance[] {
    const step = periodMsOf(this.period) / EVEN_STEPS;
    const limit = Math.max(1, Math.floor((this.limit * EVEN_PART) / EVEN_STEPS));
    const index = Math.floor(least / step);
    return [{ name: `${this.period}-even-${index}`, window: this, limit, end: (index + 1) * step, slides: step }];
  }

  get #steps(): number {
    return this.isShort ? SHORT_STEPS : STEPS;
  }
}

/** Forgets all but the last entries. */
function keepLast(known: Map<string, unknown>): void {
  for (const name of known.keys()) {
    if (known.size <= READINGS) break;
    known.delete(name);
  }
}

/** How long the store must keep an instance, in milliseconds. One of the calendar may count in the next one, too, and what drains in later ones. */
export function ttlOf({ end, window, slides, drain }: Instance, time: number): number {
  const counts = drain !== undefined || (slides === undefined && !window.isCalendar);
  const lastMs = counts ? periodMsOf(window.period) + SPARE_STEPS * (slides ?? 0) : 0;
  return Math.max(0, end + lastMs - time) + LINGER_MS;
}

/** The known windows of the service, shortest first. */
export class SharedWindows implements Iterable<SharedWindow> {
  readonly #byPeriod = new Map<Period, SharedWindow>();

  [Symbol.iterator](): Iterator<SharedWindow> {
    return this.#byPeriod.values();
  }

  get size(): number {
    return this.#byPeriod.size;
  }

  /** Whether the shape of one is in doubt. */
  get isInDoubt(): boolean {
    return [...this].some(({ isInDoubt }) => isInDoubt);
  }

  of(period: Period): SharedWindow | undefined {
    return this.#byPeriod.get(period);
  }

  /** Adds a window, or updates the limit and the shapes of a known one. */
  open(period: Period, limit: number, shapes: Shapes): SharedWindow {
    const known = this.#byPeriod.get(period);
    if (known) return Object.assign(known, { limit, shapes });
    const opened = new SharedWindow(period, limit, shapes);
    const all = [...this.#byPeriod.values(), opened].sort(
      (a, b) => PERIODS.indexOf(a.period) - PERIODS.indexOf(b.period),
    );
    this.#byPeriod.clear();
    for (const window of all) this.#byPeriod.set(window.period, window);
    return opened;
  }

  /** Removes all windows but these. */
  keep(periods: Pick<ReadonlySet<Period>, 'has'>): void {
    for (const period of this.#byPeriod.keys()) if (!periods.has(period)) this.#byPeriod.delete(period);
  }
}
