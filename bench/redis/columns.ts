import { quantile } from '../quantile.ts';
import { before, longestStandstill, possibleIn, roomIn, SETTLING_MS, servedIn } from './span.ts';
import type { Source } from './traffic.ts';
import type { Measured, TimedCall } from './trial.ts';
import type { Trips } from './trips.ts';

/** A column of a table: what it says of all runs of one subject. */
export interface Column {
  readonly title: string;
  readonly cell: (runs: readonly Measured[]) => string;
}

/** How much longer calls took than a bare answer. A call that has not ended counts with the time it has taken so far. */
export const added: Column = {
  title: 'added ms: p50 / p95 / max',
  cell: (runs) => quantiles(runs.flatMap((run) => addedIn(run))),
};

/** The same in the settling time, in which a subject learns what there is to know. */
export const settling: Column = {
  title: 'max in the first 10 s',
  cell: (runs) =>
    whole(
      Math.max(
        ...runs.flatMap(({ calls }) => calls.filter(({ atMs }) => atMs < SETTLING_MS)).map(({ addedMs }) => addedMs),
      ),
    ),
};

/** The same for sources with a tag alone. */
export function addedFor(tag: NonNullable<Source['tag']>): Column {
  return {
    title: `${tag} ones, added ms: p50 / p95 / p99 / max`,
    cell: (runs) =>
      quantiles(
        runs.flatMap((run) => addedIn(run, (source) => source.tag === tag)),
        [0.5, 0.95, 0.99, 1],
      ),
  };
}

/** How long whole bursts took, from their first call to the end of their last. */
export const bursts: Column = {
  title: 'burst ms: p50 / p95 / max',
  cell: (runs) =>
    quantiles(
      runs.flatMap((run) => {
        const longest = new Map<string, number>();
        for (const { burst, tookMs } of within(run)) longest.set(burst, Math.max(tookMs, longest.get(burst) ?? 0));
        return [...longest.values()];
      }),
    ),
};

/** Requests that were served, for each minute of the span. */
export const perMinute: Column = {
  title: 'served a minute',
  cell: (runs) => mean(runs.map((run) => (served(run).length * 60_000) / length(run))).toFixed(0),
};

/** Requests that were served as a part of those that the limits allow; each run by itself. */
export const used: Column = {
  title: 'served / possible',
  cell: (runs) =>
    runs
      .map((run) => percent(served(run).length / possibleIn(run.scenario.limits, run.span, servedBefore(run))))
      .join(', '),
};

/** Requests that were served as a part of those that the seconds allow until their minute is used up; each run by itself. */
export const prompt: Column = {
  title: 'of the seconds with room',
  cell: (runs) =>
    runs
      .map((run) => {
        const times = served(run);
        return percent(times.length / roomIn(run.scenario.limits, run.span, times, servedBefore(run)));
      })
      .join(', '),
};

/** See `longestStandstill`. */
export const standstill: Column = {
  title: 'longest standstill, s',
  cell: (runs) =>
    Math.max(
      ...runs.map((run) => longestStandstill(run.scenario.limits, run.span, served(run), servedBefore(run)) / 1_000),
    ).toFixed(1),
};

/** Calls of the busiest source that ended within the span, divided by those of the idlest. */
export const fairness: Column = {
  title: 'busiest / idlest',
  cell: (runs) => runs.map((run) => spread(run).toFixed(1)).join(', '),
};

/** EVALSHA and EVAL for each served request, within the span. */
export const trips: Column = {
  title: 'trips a call',
  cell: (runs) =>
    ratio(
      runs,
      ({ trips }) => trips?.count,
      (run) => served(run).length,
      2,
    ),
};

/** Time inside Redis for each EVALSHA or EVAL. */
export const insideRedis: Column = {
  title: 'µs inside Redis a trip',
  cell: (runs) => perTrip(runs, ({ usec }) => usec),
};

/** Processor time of Redis for each EVALSHA or EVAL, with the reading and writing of sockets: no time of other programs. */
export const processorOfRedis: Column = {
  title: 'µs of processor a trip',
  cell: (runs) => perTrip(runs, ({ cpuUsec }) => cpuUsec),
};

/** Refused requests for each 1,000 that were served, in the whole run. */
export const refused: Column = {
  title: 'refused per 1,000',
  cell: (runs) =>
    ratio(
      runs,
      ({ log }) => log.filter(([, wasServed]) => wasServed === 0).length * 1_000,
      ({ log }) => log.filter(([, wasServed]) => wasServed === 1).length,
      1,
    ),
};

/** Calls that failed, and calls that had not ended 15 s after the run. Processes that were killed do not report theirs. */
export const failed: Column = {
  title: 'failed, unfinished',
  cell: (runs) => {
    const calls = runs.flatMap((run) => run.calls);
    return `${count(calls, 'failed')}, ${count(calls, 'unfinished')} of ${calls.length}`;
  },
};

function spread({ scenario, calls, span: { fromMs, toMs } }: Measured): number {
  const counts = scenario.sources.map(({ id }) => {
    const own = calls.filter(({ source, outcome }) => source.id === id && outcome === 'ok');
    return own.map(({ atMs, tookMs }) => atMs + tookMs).filter((endMs) => endMs >= fromMs && endMs < toMs).length;
  });
  return Math.max(...counts) / Math.min(...counts);
}

function served(run: Measured): number[] {
  return servedIn(run.log, run.startedAt, run.span);
}

function servedBefore({ log, startedAt, span }: Measured): number {
  return servedIn(log, startedAt, before(span)).length;
}

function length({ span: { fromMs, toMs } }: Measured): number {
  return toMs - fromMs;
}

/** The calls that began within the span. */
function within({ calls, span: { fromMs } }: Measured): TimedCall[] {
  return calls.filter(({ atMs }) => atMs >= fromMs);
}

function addedIn(run: Measured, of: (source: Source) => boolean = () => true): number[] {
  return within(run)
    .filter(({ source }) => of(source))
    .map(({ addedMs }) => addedMs);
}

function count(calls: readonly TimedCall[], wanted: TimedCall['outcome']): number {
  return calls.filter(({ outcome }) => outcome === wanted).length;
}

function quantiles(values: readonly number[], parts: readonly number[] = [0.5, 0.95, 1]): string {
  return parts.map((part) => whole(quantile(values, part))).join(' / ');
}

/** The mean of a count for each trip. */
function perTrip(runs: readonly Measured[], of: (trips: Trips) => number): string {
  return ratio(
    runs,
    ({ trips }) => trips && of(trips),
    ({ trips }) => trips?.count ?? 0,
    0,
  );
}

function ratio(
  runs: readonly Measured[],
  over: (run: Measured) => number | undefined,
  under: (run: Measured) => number,
  digits: number,
): string {
  const known = runs.filter((run) => over(run) !== undefined);
  const sum = (of: (run: Measured) => number | undefined): number =>
    known.reduce((total, run) => total + (of(run) ?? 0), 0);
  return known.length === 0 ? '–' : (sum(over) / sum(under)).toFixed(digits);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function whole(value: number): string {
  return Number.isFinite(value) ? Math.max(0, value).toFixed(0) : '–';
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`;
}
