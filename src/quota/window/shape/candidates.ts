import { type Shape, TOLERANCE, type WindowModel, type WindowReading } from '../../models/model.ts';
import type { Shapes } from '../../share-limit.ts';
import type { AnsweredRequests } from '../../usage/answered.ts';
import { Debts } from './debts.ts';
import { KnownUsage } from './known-usage.ts';
import { RecentReadings } from './recent-readings.ts';

/** Of longer windows not all requests are remembered that may be counted, in milliseconds. */
const LONGEST_SEEN_MS = 60_000;

/** Facts of shapes. */
type Traits = Readonly<Required<Pick<Shape, 'isCalendar' | 'isSliding' | 'onlyFills' | 'drains' | 'sinksSteadily'>>>;

/** The shapes that a window may still have. A request is admitted only if every candidate admits it. */
export class CandidateShapes {
  /** The most cautious of all models alone. */
  readonly mostCautious: readonly WindowModel[];
  readonly #all: readonly WindowModel[];
  readonly #recent: RecentReadings;
  readonly #debts: Debts;
  readonly #dismissed = new Set<WindowModel>();
  readonly #periodMs: number;
  /** Whether readings count the request that they answer; undefined: it is not known. */
  #countsOwn: boolean | undefined;
  /** When the first request was sent. What was used before is not known. */
  #readFrom = Infinity;
  #unexplainedRefusals = 0;
  #epoch = 0;
  #shapes: Shapes | undefined;
  #alive: readonly WindowModel[] = [];
  #binding: readonly WindowModel[] = [];
  #may: Traits = traitsOf(() => false);
  #must: Traits = this.#may;

  constructor(models: readonly WindowModel[], periodMs: number) {
    this.#all = models;
    this.#periodMs = periodMs;
    this.#recent = new RecentReadings(periodMs);
    this.#debts = new Debts(periodMs, this.#recent);
    this.mostCautious = models.slice(0, 1);
    this.#keep(models);
  }

  /** The models that nothing has contradicted. */
  get alive(): readonly WindowModel[] {
    return this.#alive;
  }

  /** Whether there is more than one candidate. */
  get isOpen(): boolean {
    return this.#alive.length > 1;
  }

  /** What is so of one candidate at least. */
  get may(): Traits {
    return this.#may;
  }

  /** What is so of every candidate. */
  get must(): Traits {
    return this.#must;
  }

  /** The candidates that must admit a charge: what fits the most cautious shape fits every other, unless that one is estimated. */
  get binding(): readonly WindowModel[] {
    return this.#binding;
  }

  /** The candidates as they are shared with other processes. */
  get shapes(): Shapes {
    if (this.#shapes?.epoch !== this.#epoch) {
      this.#shapes = { alive: this.#alive.map(({ shape }) => shape), epoch: this.#epoch };
    }
    return this.#shapes;
  }

  /** Adopts the candidates of other processes, unless this client's are newer: a shape that one process has eliminated is eliminated. */
  adopt({ alive, epoch }: Shapes): void {
    if (epoch < this.#epoch) return;
    const known = epoch > this.#epoch ? this.#all : this.#alive;
    this.#epoch = epoch;
    const left = known.filter(({ shape }) => alive.includes(shape));
    if (left.length > 0) this.#keep(left);
  }

  /**
   * Eliminates the candidates that a reading contradicts. When none is left something else changed, and all are candidates again.
   *
   * A model is refuted by a reading that counts less than our own requests must have left there, or than readings before it have shown to be added:
   * other consumers can only add to a reading, so they cannot fake that. It is dismissed when readings count more than it can explain and another
   * candidate can, which is weaker evidence: a refusal takes it back.
   *
   * @param isAlone - whether a reading counts what we spent alone.
   * @param hasSiblings - whether processes of a share spend, too: what they spent is left unexplained by every shape.
   */
  eliminate(reading: WindowReading, answered: AnsweredRequests, isAlone: boolean, hasSiblings: boolean = false): void {
    if (this.#all.length === 1) return;
    const besides = this.#besides(reading, answered, isAlone);
    const drops = !reading.limited && this.#may.sinksSteadily && this.#recent.dropsSteeplyTo(besides);
    const dropsTwice = !reading.limited && this.#may.onlyFills && this.#recent.dropsTwiceTo(besides);
    const usage = new KnownUsage(answered, this.#recent);
    let alive = this.#alive;
    const drop = (out: WindowModel) => {
      alive = alive.filter((model) => model !== out);
    };
    for (const model of this.#alive) {
      const isOut =
        (drops && model.shape.sinksSteadily) ||
        (dropsTwice && model.shape.onlyFills) ||
        model.isContradicted(besides, usage);
      if (isOut) drop(model);
    }
    const isComparable = alive.length > 1 && !hasSiblings;
    for (const model of isComparable ? this.#debts.debtors(reading, alive, { isAlone, answered }) : []) {
      this.#dismissed.add(model);
      drop(model);
    }
    // Not before: it may take the place of the last one.
    if (!reading.limited) this.#recent.add(reading);
    if (alive.length === 0) this.#epoch++;
    if (alive !== this.#alive) this.#keep(alive.length > 0 ? alive : this.#all);
  }

  /** Dismisses the candidates that are not allowed, unless there are no others. */
  dismiss(allows: (shape: Shape) => boolean): void {
    const alive = this.#alive.filter(({ shape }) => allows(shape));
    if (alive.length === 0 || alive.length === this.#alive.length) return;
    for (const model of this.#alive) if (!alive.includes(model)) this.#dismissed.add(model);
    this.#keep(alive);
  }

  /**
   * A refusal that no candidate predicted: re-admits those dropped on weak evidence; if there are none, the second such
   * refusal re-admits all.
   *
   * @returns whether any is re-admitted.
   */
  reinstate(): boolean {
    const { size } = this.#dismissed;
    if (size > 0) this.#keep(this.#all.filter((model) => this.#alive.includes(model) || this.#dismissed.has(model)));
    else if (++this.#unexplainedRefusals >= 2) this.#keep(this.#all);
    else return false;
    this.#epoch++;
    for (const model of this.#dismissed) this.#debts.forgive(model);
    this.#dismissed.clear();
    this.#unexplainedRefusals = 0;
    return true;
  }

  /**
   * Takes a refusal of what fits every other candidate for an estimate's: only the first one, and only while an estimate is a candidate. The
   * epoch rises, so that siblings hear of it.
   *
   * @returns whether the refusal is explained by that.
   */
  suspectEstimate(): boolean {
    if (this.#epoch > 0 || this.#alive.every(({ shape }) => !shape.isEstimated)) return false;
    this.#epoch = 1;
    return true;
  }

  /** Books a charge in every model, eliminated ones too, so that they can be re-admitted. */
  book(units: number, from: number, to: number): void {
    for (const model of this.#all) model.book(units, from, to);
  }

  /**
   * Reconciles every model with a reading, eliminated ones too.
   *
   * @returns the units that no candidate can explain: those of other consumers.
   */
  reconcile(reading: WindowReading, answered: AnsweredRequests): number {
    let others = Infinity;
    for (const model of this.#all) {
      const added = model.reconcile(reading, answered);
      if (this.#alive.includes(model)) others = Math.min(others, added);
    }
    return others > TOLERANCE ? others : 0;
  }

  /**
   * A reading without the request itself, if the service is known to count it before it answers: the rest tells more, most of all where requests are
   * costly or the window has few units. It is known once a reading counts more than all else can have left; one that counts less than
   * its own request shows the opposite, for good.
   */
  #besides(reading: WindowReading, answered: AnsweredRequests, isAlone: boolean): WindowReading {
    const { used, own, held, limited, sentAt } = reading;
    this.#readFrom = Math.min(this.#readFrom, sentAt);
    if (limited || own < 1) return reading;
    if (used < own - TOLERANCE) this.#countsOwn = false;
    const from = sentAt - this.#periodMs;
    const most = held + answered.settledSince(from) + TOLERANCE;
    const isSeen = isAlone && this.#periodMs <= LONGEST_SEEN_MS && from >= this.#readFrom;
    if (isSeen && used > most && used <= most + own) this.#countsOwn ??= true;
    return this.#countsOwn ? { ...reading, used: used - own } : reading;
  }

  #keep(alive: readonly WindowModel[]): void {
    this.#alive = alive;
    if (alive.length === 1) alive[0]?.onLast?.();
    this.#shapes = undefined;
    this.#binding = bindingOf(alive, this.#all);
    this.#may = traitsOf((isSuch) => alive.some(({ shape }) => isSuch(shape)));
    this.#must = traitsOf((isSuch) => alive.every(({ shape }) => isSuch(shape)));
  }
}

/** @param holds - whether a fact holds of candidates: of one at least, or of every one. */
function traitsOf(holds: (isSuch: (shape: Shape) => boolean | undefined) => boolean): Traits {
  return {
    isCalendar: holds(({ isCalendar }) => isCalendar),
    isSliding: holds(({ isSliding }) => isSliding),
    onlyFills: holds(({ onlyFills }) => onlyFills),
    drains: holds(({ drains }) => drains),
    sinksSteadily: holds(({ sinksSteadily }) => sinksSteadily),
  };
}

function bindingOf(alive: readonly WindowModel[], all: readonly WindowModel[]): readonly WindowModel[] {
  const isStrictestAlive = alive[0] === all[0];
  return isStrictestAlive ? alive.filter(({ shape }, index) => index === 0 || shape.isEstimated) : alive;
}
