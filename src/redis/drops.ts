import type { Shapes, WindowNews } from '../quota/share-limit.ts';
import { periodMsOf as lengthOf, type Period, SHORT_MS } from '../quota/time/periods.ts';
import type { Moment } from './moments.ts';
import { beginOf, SLICES, sliceOf, windowOf } from './slices.ts';

/** A window that held so few units, or still holds this part of them, shows nothing. */
const FEW = 10;
const REST = 0.2;

/** A drop belongs to the window's beginning if no more than this part of it is over. A short window has no beginning to speak of. */
const BEGINNING = 0.05;

/**
 * What readings show of a window that many spend: where what was used drops to next to nothing with the calendar, it is a
 * calendar window. That rests on the service's word alone, so what siblings spent does not blur it. Another shape that
 * drops just then would be a rare chance, and a refusal brings it back.
 */
export class Drops {
  readonly #seen = new Map<Period, number>();
  readonly #last = new Map<Period, { readonly window: number; readonly used: number }>();

  /** Whether the window was seen only once so far. */
  isNew(period: Period): boolean {
    return (this.#seen.get(period) ?? 0) < 2;
  }

  /** The shapes that are left after a reading, of those that may be. */
  judge({ period, used, shapes }: WindowNews, sent: Moment, received: Moment): Shapes {
    this.#seen.set(period, (this.#seen.get(period) ?? 0) + 1);
    if (lengthOf(period) <= SHORT_MS) return shapes;
    const window = windowOf(sliceOf(period, sent.least));
    if (window !== windowOf(sliceOf(period, received.most))) return shapes;
    const last = this.#last.get(period);
    if (last?.window !== window || used > last.used) this.#last.set(period, { window, used });
    const hasDropped = last?.window === window - SLICES && last.used >= FEW && used <= last.used * REST;
    const gone = (received.most - beginOf(period, window)) / lengthOf(period);
    const isOpen = shapes.alive.includes('aligned') && !shapes.alive.includes('sliding-log') && shapes.alive.length > 1;
    return hasDropped && gone <= BEGINNING && isOpen ? { alive: ['aligned'], epoch: shapes.epoch } : shapes;
  }
}
