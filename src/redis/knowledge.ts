import type { WindowModel } from '../quota/models/model.ts';
import type { SiblingFacts as News, Shapes } from '../quota/share-limit.ts';
import { PERIODS, type Period } from '../quota/time/periods.ts';
import { DRIFT } from '../quota/time/server-clock.ts';

type Shape = WindowModel['name'];

/** The bit of each shape in what processes tell each other. Their order is part of the format. */
const SHAPES: readonly Shape[] = ['sliding-log', 'sliding-counter', 'aligned', 'first-request', 'leaky'];

/** No more endpoints than this are told of, so that free-form names cannot fill the store. */
const ENDPOINTS = 50;
const LONGEST_NAME = 128;

/** What was found out about the service's clock is believed for so long, in milliseconds. */
const LEAD_MS = 600_000;

/** Whoever knows the service's clock better by this much says so. */
const NARROWER = 0.8;

/** Our monotonic clock against Redis's: what is to be added to ours, at least and at most, in milliseconds. */
export interface RedisLead {
  readonly least: number;
  readonly most: number;
  /** Redis's clock, when it was asked. */
  readonly at: number;
}

/** What processes tell each other, as text in one hash: what is to be told, and what the others told. */
export class Knowledge {
  #known: ReadonlyMap<string, string> = new Map();
  readonly #pending = new Map<string, string>();
  #endpoints = 0;

  /** What is to be told on the next trip. */
  get pending(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#pending);
  }

  /** Whether others wait to hear of it. */
  get isUrgent(): boolean {
    return [...this.#pending.keys()].some((field) => !field.startsWith('c:') && field !== 'lead');
  }

  /** Everything was told as it was then. */
  told(pending: Readonly<Record<string, string>>): void {
    for (const [field, value] of Object.entries(pending))
      if (this.#pending.get(field) === value) this.#pending.delete(field);
  }

  tellLimit(period: Period, limit: number): void {
    this.#tell(`l:${period}`, String(limit));
  }

  tellShapes(period: Period, { alive, epoch }: Shapes): void {
    const dead = SHAPES.reduce((bits, name, index) => (alive.includes(name) ? bits : bits | (1 << index)), 0);
    if (dead > 0 || epoch > 0) this.#tell(`s:${period}`, `${epoch} ${dead}`);
  }

  tellCost(endpoint: string, units: number): void {
    const field = `c:${endpoint}`;
    if (endpoint.length > LONGEST_NAME || (!this.#known.has(field) && this.#endpoints >= ENDPOINTS)) return;
    if (!this.#known.has(field) && !this.#pending.has(field)) this.#endpoints++;
    this.#tell(field, String(units));
  }

  /** How far the service's clock is ahead of ours, as we know it, told against Redis's clock. */
  tellLead(least: number, most: number, redis: RedisLead): void {
    const ours = { least: least - redis.most, most: most - redis.least };
    const known = this.#leadAt(redis.at);
    if (known && ours.most - ours.least > (known.most - known.least) * NARROWER) return;
    this.#tell('lead', [ours.least, ours.most, redis.at].map((number) => number.toFixed(1)).join(' '));
  }

  /** Takes in what others told. */
  hear(known: ReadonlyMap<string, string>): void {
    this.#known = known;
  }

  /** What the service's limits are, by the word of others. */
  get limits(): readonly (readonly [Period, number])[] {
    return PERIODS.flatMap((period): [Period, number][] => {
      const limit = Number(this.#known.get(`l:${period}`));
      return Number.isFinite(limit) && limit > 0 && limit <= 1e12 ? [[period, limit]] : [];
    });
  }

  /** What the pacer may want to know. */
  news(redis: RedisLead): News {
    const lead = this.#leadAt(redis.at);
    return {
      shapes: PERIODS.flatMap((period) => this.#shapesOf(period)),
      costs: [...this.#known].flatMap(([field, value]): [string, number][] => {
        const units = Number(value);
        return field.startsWith('c:') && units >= 0 && units <= 1e9 ? [[field.slice(2), units]] : [];
      }),
      ...(lead ? { lead: { least: lead.least + redis.least, most: lead.most + redis.most } } : {}),
    };
  }

  #shapesOf(period: Period): (Shapes & { period: Period })[] {
    const [, epoch, dead] = /^(\d{1,6}) (\d{1,2})$/.exec(this.#known.get(`s:${period}`) ?? '') ?? [];
    if (epoch === undefined) return [];
    const alive = SHAPES.filter((_, index) => (Number(dead) & (1 << index)) === 0);
    return alive.length > 0 ? [{ period, alive, epoch: Number(epoch) }] : [];
  }

  /** What others know of the service's clock against Redis's, unless it is too old or of another time. */
  #leadAt(now: number): { least: number; most: number } | undefined {
    const [least = Number.NaN, most = Number.NaN, at = Number.NaN] = (this.#known.get('lead') ?? '')
      .split(' ')
      .map(Number);
    const age = now - at;
    if (!(least <= most && age >= 0 && age < LEAD_MS)) return undefined;
    return { least: least - DRIFT * age, most: most + DRIFT * age };
  }

  #tell(field: string, value: string): void {
    if (this.#known.get(field) === value) this.#pending.delete(field);
    else this.#pending.set(field, value);
  }
}
