import type { Shapes, WindowNews } from '../quota/share-limit.ts';
import { endOf, PERIODS, type Period, periodMsOf, SHORT_MS, startOf } from '../quota/time/periods.ts';
import type { TimeRange } from './timeline.ts';

/** A window that slides is cut into so many steps: of a short one fewer, because a step must be longer than a trip takes. */
const STEPS = 20;
const SHORT_STEPS = 10;

/** What comes evenly may come up to this part of the limit, because the service rounds its estimate. */
const EVEN_PART = 0.95;
const EVEN_STEPS = 5;

/** The store remembers an instance for this long after its end, in milliseconds. */
const LINGER_MS = 5_000;

/** A reading bounds the claims of a long window if its request was sent no longer ago than this, in milliseconds. */
const RECENT_MS = 20_000;

/** Readings of so many instances are kept for each window. */
const READINGS = 4;

/** One instance of a window: the minute that began at 14:03, or the steps that any minute ending in one of them touches. */
export interface Instance {
  readonly name: string;
  readonly window: SharedWindow;
  /** Units that it holds. */
  readonly limit: number;
  /** When it ends, in milliseconds since the Unix epoch by the timeline. */
  readonly end: number;
  /** The length of a step, if the window slides, in milliseconds. */
  readonly slides?: number;
}

/** What the service said of an instance. */
export interface InstanceReading {
  readonly used: number;
  readonly sentAt: number;
}

/** One window of the service, as processes that share it count it. */
export class SharedWindow {
  readonly period: Period;
  /** Units that it holds. */
  limit: number;
  /** The shapes that it may have. */
  shapes: Shapes;
  /** Units that were free by the latest reading. */
  left: number;
  readonly #readings = new Map<string, InstanceReading>();
  #lastSliding: (InstanceReading & { readonly end: number }) | undefined;
  #carriesUntil = Number.NEGATIVE_INFINITY;

  constructor(period: Period, limit: number, shapes: Shapes) {
    this.period = period;
    this.limit = limit;
    this.shapes = shapes;
    this.left = limit;
  }

  /** Whether it is so short that its shape shows within seconds, if one process looks at it alone. */
  get isShort(): boolean {
    return periodMsOf(this.period) <= SHORT_MS;
  }

  /** Whether it is long enough for claims that came to nothing to matter after their minute. */
  get isLong(): boolean {
    return periodMsOf(this.period) > periodMsOf('minute');
  }

  /** Whether only the calendar's shape is left. */
  get isCalendar(): boolean {
    return this.period === 'month' || this.shapes.alive.every(({ isCalendar }) => isCalendar);
  }

  /**
   * Whether the service may estimate what slides from two calendar windows, so that only what comes evenly is counted as it
   * is. Nothing but a refusal that no other shape explains shows that.
   */
  get #isEstimated(): boolean {
    const { alive, epoch } = this.shapes;
    return epoch > 0 && alive.some(({ isEstimated }) => isEstimated);
  }

  /** Whether its shape is still to be found out, as far as a look by one process alone can. */
  get isInDoubt(): boolean {
    return this.isShort && !this.isCalendar && this.shapes.alive.length > 1;
  }

  /** Instances in which a request may be counted that arrives in this range. */
  instances(range: TimeRange): Instance[] {
    const { alive } = this.shapes;
    const mayBeCalendar = this.isCalendar || alive.some(({ isCalendar }) => isCalendar);
    // A window in doubt is counted both ways, so that nothing is counted twice or not at all when the doubt ends.
    return [
      ...(mayBeCalendar ? this.#calendar(range) : []),
      ...(this.isCalendar ? [] : this.#sliding(range)),
      ...(this.#isEstimated ? this.#even(range) : []),
    ];
  }

  /** Takes in a reading; `sent` and `received`: what the service's clock may have shown. */
  hear({ used, limit, sentAt }: WindowNews, sent: TimeRange, received: TimeRange): void {
    this.limit = limit;
    this.left = Math.max(0, limit - used);
    const range = { least: sent.least, most: received.most };
    for (const instances of [this.#calendar(range), this.#sliding(range, 0)]) {
      const [only] = instances;
      if (!only || instances.length > 1) continue;
      const known = this.#readings.get(only.name);
      this.#readings.delete(only.name);
      this.#readings.set(only.name, known && known.used > used ? { ...known, sentAt } : { used, sentAt });
      if (only.slides !== undefined) this.#lastSliding = { used, sentAt, end: only.end };
    }
    for (const name of this.#readings.keys()) {
      if (this.#readings.size <= READINGS) break;
      this.#readings.delete(name);
    }
  }

  /** What the service said last of an instance; `isRecent`: whether that bounds what can be claimed. */
  reading(
    { name, slides, end }: Instance,
    now: number,
  ): { readonly used: number; readonly isRecent: boolean } | undefined {
    // While it is in doubt, what the service counts may belong to the calendar's window before.
    if (slides === undefined && !this.isCalendar) return undefined;
    const known =
      this.#readings.get(name) ??
      (slides !== undefined && now < this.#carriesUntil ? this.#carried(end, slides) : undefined);
    return known && { used: Math.min(known.used, this.limit), isRecent: now - known.sentAt < RECENT_MS };
  }

  /** The store has lost its memory: what slides is reckoned from older readings until all that it lost is over. */
  carry(now: number): void {
    this.#carriesUntil = now + periodMsOf(this.period);
  }

  /** The last reading of an earlier step: what it counted is taken to be over evenly in the second half of the window. */
  #carried(end: number, step: number): InstanceReading | undefined {
    const last = this.#lastSliding;
    if (!last || end <= last.end) return undefined;
    const left = 2 * (1 - (end - last.end) / (step * this.#steps));
    return left > 0 ? { used: Math.floor(last.used * Math.min(1, left)), sentAt: last.sentAt } : undefined;
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

  /** A unit of one step counts in every instance that covers the step: a stretch as long as the window, and one step more. */
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

  /** Each step may take its even part of the window, and no more. */
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

/** How long the store must remember an instance, in milliseconds. */
export function ttlOf({ end }: Instance, time: number): number {
  return Math.max(0, end - time) + LINGER_MS;
}

/** The windows that the service is known to have, shortest first. */
export class SharedWindows implements Iterable<SharedWindow> {
  readonly #byPeriod = new Map<Period, SharedWindow>();

  [Symbol.iterator](): Iterator<SharedWindow> {
    return this.#byPeriod.values();
  }

  get size(): number {
    return this.#byPeriod.size;
  }

  of(period: Period): SharedWindow | undefined {
    return this.#byPeriod.get(period);
  }

  /** Makes a window known. */
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

  /** Forgets all windows but these. */
  keep(periods: Pick<ReadonlySet<Period>, 'has'>): void {
    for (const period of this.#byPeriod.keys()) if (!periods.has(period)) this.#byPeriod.delete(period);
  }
}
