import type { Shapes } from '../../quota/share-limit.ts';
import { PERIODS, type Period } from '../../quota/time/periods.ts';
import type { Dated } from './shaped-window.ts';
import { SharedWindow } from './window.ts';

/** A process can use up a window of so few units with what others do not know of yet. */
const FEW = 4;

/** The known windows of the service, shortest first. */
export class SharedWindows implements Iterable<SharedWindow> {
  readonly #byPeriod = new Map<Period, SharedWindow>();
  readonly #clock: Dated;

  constructor(clock: Dated) {
    this.#clock = clock;
  }

  [Symbol.iterator](): Iterator<SharedWindow> {
    return this.#byPeriod.values();
  }

  get size(): number {
    return this.#byPeriod.size;
  }

  /** The smallest limit, in units. */
  get smallest(): number {
    return Math.min(...[...this].map(({ limit }) => limit));
  }

  /** Whether one is so small that a process can use it up with what others do not know of yet. */
  get isAnySmall(): boolean {
    return this.smallest <= FEW;
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
    const opened = new SharedWindow(period, limit, shapes, this.#clock);
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
