/** Sums of units that are no whole numbers may miss what is left by this part of a unit. */
const ROUNDING = 1e-9;

/** Units of a window that are free again from one instant to another, evenly. */
export interface Release {
  readonly from: number;
  readonly to: number;
  readonly units: number;
}

/** A window of a forecast. */
export interface ForecastWindow {
  /** `second`, `minute`, …, `endpoint`, or `concurrency`. */
  readonly window: string;
  /** Units that it holds for us in all. */
  readonly limit: number;
  /** Approximate length, in milliseconds: orders the windows. */
  readonly periodMs: number;
  /** When the units are free again that are used now, the first first. */
  readonly used: readonly Release[];
  /** When units are free again that are used at an instant; those used before are by `lastAt`. */
  readonly release: (at: number, units: number, lastAt: number) => Omit<Release, 'units'>;
  /** Whether it counts requests instead of units. */
  readonly countsRequests?: boolean;
  /** Whether it counts those of this endpoint. Omitted: it counts all. */
  readonly covers?: (endpoint: string | undefined) => boolean;
}

/** A window on its way through time. */
export class Level {
  readonly #given: ForecastWindow;
  readonly isPace: boolean;
  readonly #releases: Release[];
  #head = 0;
  #free: number;
  #lastAt: number;

  constructor(given: ForecastWindow, isPace: boolean, from: number) {
    this.#given = given;
    this.isPace = isPace;
    this.#releases = [...given.used];
    this.#free = given.limit - given.used.reduce((sum, { units }) => sum + units, 0);
    this.#lastAt = given.used.at(-1)?.to ?? from;
  }

  get window(): ForecastWindow {
    return this.#given;
  }

  /** How long such a request takes at the pace of the window, in milliseconds. */
  paceOf(units: number, isMixed: boolean): number {
    const { limit, periodMs } = this.#given;
    return isMixed ? (units * periodMs) / limit : periodMs / Math.max(1, fitting(limit, units));
  }

  /** Units that are free at an instant. */
  free(at: number): number {
    let free = this.#free;
    for (let index = this.#head; index < this.#releases.length; index++) {
      const one = this.#releases[index] as Release;
      if (one.from > at) break;
      free += one.units * (one.to > at ? (at - one.from) / (one.to - one.from) : 1);
    }
    return free;
  }

  /** The first instant from which so many units are free. */
  freeFrom(units: number, now: number): number {
    let missing = units - this.#free - ROUNDING;
    let at = now;
    for (let index = this.#head; missing > 0 && index < this.#releases.length; index++) {
      const { from, to, units: freed } = this.#releases[index] as Release;
      at = Math.max(at, from + (to - from) * Math.min(1, missing / freed));
      missing -= freed;
    }
    return missing > 0 ? Infinity : at;
  }

  /** That instant, or so much later if units become free evenly then: one step for several requests. */
  after(instant: number, stepMs: number): number {
    const now = this.#releases.slice(this.#head).find(({ from, to }) => from < instant && instant < to);
    return now ? Math.min(now.to, instant + stepMs) : instant;
  }

  /** When more becomes free next; where nothing is in use, what is used from now on. */
  nextAt(at: number): number {
    return (this.#releases[this.#head] ?? this.releaseOf(0, at)).to;
  }

  /** When units are free again that are used at an instant. */
  releaseOf(units: number, at: number): Omit<Release, 'units'> {
    return this.#given.release(at, units, this.#lastAt);
  }

  use(units: number, at: number): void {
    this.#free -= units;
    const { from, to } = this.releaseOf(units, at);
    const last = this.#releases.at(-1);
    if (last?.from === from && last.to === to) this.#releases.splice(-1, 1, { from, to, units: last.units + units });
    else this.#releases.push({ from, to, units });
    this.#lastAt = Math.max(this.#lastAt, to);
  }

  /** Time passes. */
  roll(at: number): void {
    for (let one = this.#releases[this.#head]; one && one.to <= at; one = this.#releases[this.#head]) {
      this.#free += one.units;
      this.#head++;
    }
  }
}

/** How many requests have room. */
export function fitting(left: number, units: number, held: number = units): number {
  return units > 0 ? Math.max(0, Math.floor((left - held) / units + 1 + ROUNDING)) : Infinity;
}
