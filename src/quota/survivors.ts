import type { Reading, WindowModel } from './models/model.ts';
import type { Past } from './past.ts';

/** Readings and our reckoning may differ by this much through rounding, in units. */
const TOLERANCE = 0.5;

/**
 * Which shapes a window may still have. A request is admitted only if every surviving model admits it.
 *
 * A model dies only by a reading that counts less than our own requests must have left there. Other consumers of the
 * quota can only add to a reading, so they cannot fake a death.
 */
export class Survivors {
  readonly #all: readonly WindowModel[];
  #alive: readonly WindowModel[];

  constructor(models: readonly WindowModel[]) {
    this.#all = models;
    this.#alive = models;
  }

  /** The models that nothing has contradicted. */
  get alive(): readonly WindowModel[] {
    return this.#alive;
  }

  /** Holds a reading against every survivor. When none is left something else changed, and all are believed again. */
  judge(reading: Reading, past: Past): void {
    if (this.#all.length === 1) return;
    const alive = this.#alive.filter((model) => !contradicts(reading, model, past));
    if (alive.length < this.#alive.length) this.#alive = alive.length > 0 ? alive : this.#all;
  }

  /** A refusal that the survivors did not foresee: believe all models again. */
  reviveAll(): void {
    this.#alive = this.#all;
  }

  /** Books a charge in every model, dead ones too, so that they can come back. */
  book(units: number, from: number, to: number): void {
    for (const model of this.#all) model.book(units, from, to);
  }

  heed(reading: Reading): void {
    for (const model of this.#all) model.heed(reading);
  }
}

function contradicts(reading: Reading, model: WindowModel, past: Past): boolean {
  const since = model.countsSince(reading);
  return since !== undefined && past.surelyExceeds(reading.used + TOLERANCE, since, reading.sentAt);
}
