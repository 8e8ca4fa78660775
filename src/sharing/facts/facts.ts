import { SHAPES } from '../../quota/models/all.ts';
import type { Shape } from '../../quota/models/model.ts';
import type { Shapes, SiblingFacts } from '../../quota/share-limit.ts';
import { PERIODS, type Period } from '../../quota/time/periods.ts';
import { DRIFT } from '../../quota/time/server-clock.ts';
import type { TimeRange } from '../slots/timeline.ts';
import type { Facts } from '../store/store.ts';

/** Maximum number of endpoints whose costs a process tells, so that free-form names cannot fill the store. */
const ENDPOINTS = 50;
const LONGEST_NAME = 128;

/** A fact about the service's clock is used for this long, in milliseconds: until drift has made it vague. */
export const LEAD_LASTS_MS = 10_800_000;

/**
 * The service's clock is told again when its interval has shrunk to this part of the known one, or from more than the fourth number to
 * less than the fifth, unless the known one is shorter than the third, in milliseconds: every process reads the facts again when one
 * of them changes. A process that lacks units tells a vague one at the second part: until it is known, wide slots waste units.
 */
const NARROWER = 0.25;
const NEEDED = 0.75;
const NARROW_MS = 100;
const VAGUE_MS = 200;
const SHARP_MS = 150;

/** Where the time of the last hourly trial is told, and whether it was served: `<time> <0 or 1>`. */
const TRIAL = 'r:trial';

/** The largest limit or cost that is accepted. */
const MOST_UNITS = 1e12;

/**
 * The facts that processes tell each other, as text by field: limits (`l:minute`), eliminated shapes (`s:minute`), costs
 * (`c:GET /path`), how far the service's clock is ahead of the store's (`lead`), and the last hourly trial of a used-up quota (`r:trial`).
 */
export class SharedFacts {
  readonly #shapes: readonly Shape[];
  #version = -1;
  #known: Facts = new Map();
  /** Facts that this process found out itself, to be told again if the store has lost them. */
  readonly #own = new Map<string, string>();
  readonly #pending = new Map<string, string>();
  #endpoints = 0;

  /** @param shapes - all shapes that a window may have. */
  constructor(shapes: readonly Shape[] = SHAPES) {
    this.#shapes = shapes;
  }

  /** The version of the known facts; -1: none were received. */
  get version(): number {
    return this.#version;
  }

  /** Facts still to be told. */
  get pending(): Facts {
    return new Map(this.#pending);
  }

  /** Tells that an hourly trial was answered, at a time of the store. */
  tellTrial(isServed: boolean, time: number): void {
    this.#pending.set(TRIAL, `${Math.round(time)} ${Number(isServed)}`);
  }

  /**
   * Whether a limit, a shape, a trial or the first cost above 1 of an endpoint is to be told, which must not wait: other processes pace by an
   * outdated one, or send requests of that endpoint with a unit each.
   */
  get isUrgent(): boolean {
    for (const [field, value] of this.#pending)
      if (/^[lsr]:/.test(field) || (field.startsWith('c:') && Number(value) > 1 && !this.#known.has(field)))
        return true;
    return false;
  }

  tellLimit(period: Period, limit: number): void {
    this.#tell(`l:${period}`, String(limit));
  }

  tellShapes(period: Period, { alive, epoch }: Shapes): void {
    const dead = this.#shapes.reduce((bits, shape) => (alive.includes(shape) ? bits : bits | (1 << shape.bit)), 0);
    const known = this.shapesOf(period);
    const isKnown =
      known && (known.epoch > epoch || (known.epoch === epoch && known.alive.every((shape) => alive.includes(shape))));
    if (!isKnown && (dead > 0 || epoch > 0)) this.#tell(`s:${period}`, `${epoch} ${dead}`);
  }

  tellCost(endpoint: string, units: number): void {
    const field = `c:${endpoint}`;
    if (endpoint.length > LONGEST_NAME) return;
    if (!this.#own.has(field) && ++this.#endpoints > ENDPOINTS) return;
    this.#tell(field, String(units));
  }

  /**
   * Tells how far the service's clock is ahead of the store's, if that is known much less exactly. `lead`, `store`: offsets of the two
   * from the local clock; `isNeeded`: this process lacks units. @returns whether it is to be told.
   */
  tellLead(lead: TimeRange, store: TimeRange, time: number, isNeeded: boolean): boolean {
    const ours = { least: lead.least - store.most, most: lead.most - store.least };
    const known = this.#leadAt(time);
    const knownMs = known ? known.most - known.least : Infinity;
    const isVague = knownMs > VAGUE_MS;
    const part = knownMs * (isNeeded && isVague ? NEEDED : NARROWER);
    const most = isVague ? Math.max(SHARP_MS, part) : part;
    if (knownMs < NARROW_MS || ours.most - ours.least > most) return false;
    this.#pending.set('lead', [ours.least, ours.most, time].map((number) => number.toFixed(1)).join(' '));
    return true;
  }

  /** Whether the service's clock has been told. */
  knowsLead(time: number): boolean {
    return this.#leadAt(time) !== undefined;
  }

  /** Marks facts as told. */
  told(pending: Facts): void {
    for (const [field, value] of pending) if (this.#pending.get(field) === value) this.#pending.delete(field);
  }

  /** Records received facts; `undefined`: the known ones are up to date. */
  hear(version: number, facts: Facts | undefined): void {
    this.#version = version;
    if (!facts) return;
    this.#known = facts;
    for (const [field, value] of this.#own) if (!facts.has(field)) this.#pending.set(field, value);
  }

  /** Limits told by any process. */
  get limits(): ReadonlyMap<Period, number> {
    const limits = new Map<Period, number>();
    for (const period of PERIODS) {
      const limit = Number(this.#known.get(`l:${period}`));
      if (Number.isInteger(limit) && limit > 0 && limit <= MOST_UNITS) limits.set(period, limit);
    }
    return limits;
  }

  /** Shapes told by any process; undefined: none were told. */
  shapesOf(period: Period): Shapes | undefined {
    const [, epoch, dead] = /^(\d{1,6}) (\d{1,10})$/.exec(this.#known.get(`s:${period}`) ?? '') ?? [];
    if (epoch === undefined) return undefined;
    const alive = this.#shapes.filter(({ bit }) => (Number(dead) & (1 << bit)) === 0);
    return alive.length > 0 ? { alive, epoch: Number(epoch) } : undefined;
  }

  /** Facts for the pacer; `store`: store clock minus local clock, `time`: the store's time. */
  news(store: TimeRange, time: number): SiblingFacts {
    const lead = this.#leadAt(time);
    const [, triedAt, isServed] = /^(\d{1,14}) ([01])$/.exec(this.#known.get(TRIAL) ?? '') ?? [];
    return {
      shapes: PERIODS.flatMap((period) => {
        const shapes = this.shapesOf(period);
        return shapes ? [{ ...shapes, period }] : [];
      }),
      costs: [...this.#known].flatMap(([field, value]): [string, number][] => {
        const units = Number(value);
        return field.startsWith('c:') && units >= 0 && units <= MOST_UNITS ? [[field.slice(2), units]] : [];
      }),
      ...(Number(triedAt) <= time ? { trial: { at: Number(triedAt) - store.most, isServed: isServed === '1' } } : {}),
      ...(lead ? { lead: { least: lead.least + store.least, most: lead.most + store.most } } : {}),
    };
  }

  /** Service clock minus store clock, unless the fact is too old or its time is not the store's. */
  #leadAt(time: number): TimeRange | undefined {
    const [least = Number.NaN, most = Number.NaN, at = Number.NaN] = (this.#known.get('lead') ?? '')
      .split(' ')
      .map(Number);
    const age = Math.abs(time - at);
    if (!(least <= most && age < LEAD_LASTS_MS)) return undefined;
    return { least: least - DRIFT * age, most: most + DRIFT * age };
  }

  #tell(field: string, value: string): void {
    this.#own.set(field, value);
    if (this.#known.get(field) === value) this.#pending.delete(field);
    else this.#pending.set(field, value);
  }
}
