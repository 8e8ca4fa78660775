import type { MonthState } from '../client/month-state.ts';
import type { ClientEvent } from '../events.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const SIX_HOURS_MS = 6 * 3_600_000;

/** What was sent in stretches of the same length, the oldest first; the last one is still open. */
export interface Stretches {
  /** Units held for the requests sent in each, by the client's estimate. */
  readonly units: readonly number[];
  /** Requests sent in each. */
  readonly requests: readonly number[];
  /** Requests that the service refused in each because of a limit. */
  readonly refused: readonly number[];
}

/** What remained of the month at an instant: milliseconds since the Unix epoch, and units. */
export type MonthPoint = readonly [at: number, remaining: number];

/** What was sent in the last minutes, in memory of a fixed size. */
export class History {
  /** By the second, for two minutes. */
  readonly seconds: Ring = new Ring(SECOND_MS, 120);
  /** By the minute of the calendar, for 20 minutes. */
  readonly minutes: Ring = new Ring(MINUTE_MS, 20);
  #trail: MonthPoint[] = [];
  #monthEnd = Number.NaN;

  /** Grows with each event: a reader compares it to learn whether anything happened. */
  revision = 0;

  /** Counts an event of the client. */
  record(event: ClientEvent): void {
    this.revision++;
    if (event.type !== 'sent' && event.type !== 'limited') return;
    const units = event.type === 'sent' ? event.units : 0;
    for (const ring of [this.seconds, this.minutes]) ring.add(event.at.getTime(), event.type, units);
  }

  /** Keeps what remains of the month, which it asks for only if no point is younger than six hours. */
  keepMonth(month: () => MonthState | undefined, now: number): void {
    const state = this.#isDue(now) ? month() : undefined;
    if (state) this.#keep(state, now);
  }

  /** The points of this month since the proxy began, and the present one, which it keeps, too, if no point is younger than six hours. */
  monthTrail(state: MonthState | undefined, now: number): readonly MonthPoint[] {
    if (!state) return [];
    this.#keep(state, now);
    return [...this.#trail, [now, state.remaining]];
  }

  #keep({ remaining, resetsAt }: MonthState, now: number): void {
    // Each answer may change the estimated end of a month a little; a new month ends much later.
    if (!(Math.abs(resetsAt.getTime() - this.#monthEnd) < SIX_HOURS_MS)) this.#trail = [];
    this.#monthEnd = resetsAt.getTime();
    if (this.#isDue(now)) this.#trail.push([now, remaining]);
  }

  #isDue(now: number): boolean {
    const last = this.#trail.at(-1);
    return !last || now - last[0] >= SIX_HOURS_MS;
  }
}

/** Counts by stretches, for the last `length` of them. */
class Ring {
  readonly #spanMs: number;
  readonly #slots: Slot[];

  constructor(spanMs: number, length: number) {
    this.#spanMs = spanMs;
    this.#slots = Array.from({ length }, () => ({ index: -1, units: 0, requests: 0, refused: 0 }));
  }

  add(at: number, type: 'sent' | 'limited', units: number): void {
    const index = Math.floor(at / this.#spanMs);
    const slot = this.#slots[index % this.#slots.length];
    if (!slot) return;
    // It may have a later one, if the wall clock was set back.
    if (slot.index !== index) Object.assign(slot, { index, units: 0, requests: 0, refused: 0 });
    slot.units += units;
    if (type === 'sent') slot.requests++;
    else slot.refused++;
  }

  /** The stretches until now, in milliseconds since the Unix epoch. */
  until(now: number): Stretches {
    const last = Math.floor(now / this.#spanMs);
    const { length } = this.#slots;
    const slots = this.#slots.map((_, place) => this.#at(last - length + 1 + place));
    return {
      units: slots.map((slot) => slot?.units ?? 0),
      requests: slots.map((slot) => slot?.requests ?? 0),
      refused: slots.map((slot) => slot?.refused ?? 0),
    };
  }

  #at(index: number): Slot | undefined {
    const slot = this.#slots[index % this.#slots.length];
    return slot?.index === index ? slot : undefined;
  }
}

interface Slot {
  index: number;
  units: number;
  requests: number;
  refused: number;
}
