import { type Counter, counterOf } from './counters.ts';

/** How a service that has a window of some shape counts. Instants are by its clock. */
export type Oracle = Pick<Counter, 'add' | 'used' | 'peak'>;

export type OracleShape = 'aligned' | 'sliding-log' | 'sliding-counter' | 'first-request' | 'leaky';

interface Entry {
  readonly at: number;
  readonly units: number;
}

/** What a window holds at an instant, by all that was added until then, in the order in which it came. */
type Reckoning = (entries: readonly Entry[], at: number) => number;

export function oracleOf(shape: OracleShape, period: 'second' | 'minute', limit: number): Oracle {
  const length = LENGTH_MS[period];
  if (shape === 'sliding-counter') return new Replay(estimateOver(length));
  if (shape === 'first-request') return new Replay(sinceFirst(length));
  if (shape === 'leaky') return new Replay(levelLeaking(limit / length));
  return counterOf(shape, period);
}

const LENGTH_MS = { second: 1_000, minute: 60_000 };

/** Reckons everything anew each time it is asked. */
class Replay implements Oracle {
  readonly #reckon: Reckoning;
  #entries: readonly Entry[] = [];

  constructor(reckon: Reckoning) {
    this.#reckon = reckon;
  }

  add(units: number, at: number): void {
    this.#entries = [...this.#entries, { at, units }].toSorted((one, other) => one.at - other.at);
  }

  used(at: number): number {
    return this.#reckon(
      this.#entries.filter((entry) => entry.at <= at),
      at,
    );
  }

  peak(): number {
    return Math.max(0, ...this.#entries.map(({ at }) => this.used(at)));
  }
}

/** The present calendar window, and the part of the one before that a sliding one would still cover. */
function estimateOver(length: number): Reckoning {
  return (entries, at) => {
    const start = at - (at % length);
    const sum = (from: number): number =>
      entries
        .filter((entry) => entry.at >= from && entry.at < from + length)
        .reduce((all, { units }) => all + units, 0);
    return sum(start) + sum(start - length) * (1 - (at - start) / length);
  };
}

/** What came since the request that opened the window, which is the first after the last one ended. */
function sinceFirst(length: number): Reckoning {
  return (entries, at) => {
    let [began, used] = [-Infinity, 0];
    for (const entry of entries) {
      if (entry.at >= began + length) [began, used] = [entry.at, 0];
      used += entry.units;
    }
    return at < began + length ? used : 0;
  };
}

/** A level that every request raises and that sinks by `rate` a millisecond. */
function levelLeaking(rate: number): Reckoning {
  return (entries, at) => {
    let [level, since] = [0, entries[0]?.at ?? at];
    for (const entry of entries) {
      level = Math.max(0, level - (entry.at - since) * rate) + entry.units;
      since = entry.at;
    }
    return Math.max(0, level - (at - since) * rate);
  };
}
