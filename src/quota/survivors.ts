import { type Reading, TOLERANCE, type WindowModel } from './models/model.ts';
import type { Shapes } from './part.ts';
import type { Past } from './past.ts';
import { RecentReadings } from './recent-readings.ts';

/** A model is dismissed when it has left this much unexplained that another explained: in units, and in parts of the limit. */
const LEAST_DEBT = 3;
const LARGEST_DEBT = 0.1;

/** What speaks for and against a model, short of a refutation. */
interface Record {
  /** Units left unexplained that another explained. */
  debt: number;
  /** Whether it alone explained a reading. */
  isSupported: boolean;
}

/**
 * Which shapes a window may still have. A request is admitted only if every survivor admits it.
 *
 * A model is refuted by a reading that counts less than our own requests must have left there. Other consumers of the
 * quota can only add to a reading, so they cannot fake a refutation. A model is dismissed when readings count more than it
 * can explain and another survivor can: weaker evidence, which a refusal takes back.
 */
export class Survivors {
  /** The most cautious of all models alone. */
  readonly strictest: readonly WindowModel[];
  readonly #all: readonly WindowModel[];
  readonly #records = new Map<WindowModel, Record>();
  readonly #recent: RecentReadings;
  readonly #dismissed = new Set<WindowModel>();
  #surprises = 0;
  #epoch = 0;
  #alive: readonly WindowModel[];
  #asked: readonly WindowModel[];

  constructor(models: readonly WindowModel[], lengthMs: number) {
    this.#all = models;
    this.#recent = new RecentReadings(lengthMs);
    this.strictest = models.slice(0, 1);
    this.#alive = models;
    this.#asked = askedOf(models, models);
  }

  /** The models that nothing has contradicted. */
  get alive(): readonly WindowModel[] {
    return this.#alive;
  }

  /** Those of the survivors that must admit a charge. What fits a sliding log fits every other shape but the counter. */
  get asked(): readonly WindowModel[] {
    return this.#asked;
  }

  /** What others who spend the same quota may want to know. */
  get shapes(): Shapes {
    return { alive: this.#alive.map(({ name }) => name), epoch: this.#epoch };
  }

  /** Takes the word of others, unless ours is newer. What one of them has ruled out is out of the question. */
  adopt({ alive, epoch }: Shapes): void {
    if (epoch < this.#epoch) return;
    const known = epoch > this.#epoch ? this.#all : this.#alive;
    this.#epoch = epoch;
    const left = known.filter(({ name }) => alive.includes(name));
    if (left.length > 0) this.#keep(left);
  }

  /**
   * Holds a reading against every survivor. When none is left something else changed, and all are believed again.
   *
   * @param isAlone - whether a reading counts what we spent alone: what siblings spent is left unexplained by every shape.
   */
  judge(reading: Reading, past: Past, isAlone: boolean = true): void {
    if (this.#all.length === 1) return;
    const explaining = this.#alive.filter((model) => model.unexplained(reading) <= TOLERANCE);
    const [only] = explaining;
    if (only && explaining.length === 1 && this.#alive.length > 1) this.#recordOf(only).isSupported = true;
    const drops = !reading.limited && this.#recent.dropsTo(reading);
    if (!reading.limited) this.#recent.add(reading);
    const alive = this.#alive.filter(
      (model) =>
        !(drops && model.sinksSteadily) &&
        !model.isContradicted(reading, past) &&
        (!isAlone || explaining.length === 0 || !this.#isInDebt(model, reading)),
    );
    if (alive.length === 0) this.#epoch++;
    if (alive.length < this.#alive.length) this.#keep(alive.length > 0 ? alive : this.#all);
  }

  /**
   * A refusal that the survivors did not foresee: who was dismissed without a refutation comes back. Where nobody was,
   * the second one brings all back, because something about them is wrong.
   */
  surprise(): void {
    const { size } = this.#dismissed;
    if (size > 0) this.#keep(this.#all.filter((model) => this.#alive.includes(model) || this.#dismissed.has(model)));
    else if (++this.#surprises >= 2) this.#keep(this.#all);
    else return;
    this.#epoch++;
    for (const model of this.#dismissed) this.#recordOf(model).debt = 0;
    this.#dismissed.clear();
    this.#surprises = 0;
  }

  /** Books a charge in every model, dead ones too, so that they can come back. */
  book(units: number, from: number, to: number): void {
    for (const model of this.#all) model.book(units, from, to);
  }

  /**
   * Takes the service's word in every model, dead ones too.
   *
   * @returns the units that no survivor can explain: somebody else's.
   */
  heed(reading: Reading, past: Past): number {
    let others = Number.POSITIVE_INFINITY;
    for (const model of this.#all) {
      const added = model.heed(reading, past);
      if (this.#alive.includes(model)) others = Math.min(others, added);
    }
    return others > TOLERANCE ? others : 0;
  }

  #keep(alive: readonly WindowModel[]): void {
    this.#alive = alive;
    this.#asked = askedOf(alive, this.#all);
  }

  /** Whether a model has left more unexplained, while another explained it, than chance would have it. */
  #isInDebt(model: WindowModel, reading: Reading): boolean {
    const unexplained = model.unexplained(reading);
    const record = this.#recordOf(model);
    if (unexplained <= TOLERANCE) return false;
    record.debt += unexplained;
    if (record.isSupported || record.debt <= Math.max(LEAST_DEBT, reading.limit * LARGEST_DEBT)) return false;
    this.#dismissed.add(model);
    return true;
  }

  #recordOf(model: WindowModel): Record {
    let record = this.#records.get(model);
    if (!record) {
      record = { debt: 0, isSupported: false };
      this.#records.set(model, record);
    }
    return record;
  }
}

function askedOf(alive: readonly WindowModel[], all: readonly WindowModel[]): readonly WindowModel[] {
  const isStrictestAlive = alive[0] === all[0];
  return isStrictestAlive ? alive.filter((model, index) => index === 0 || model.name === 'sliding-counter') : alive;
}
