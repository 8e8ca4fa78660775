import { geometricMean, type Row } from './rows.ts';
import type { Promised } from './scenario.ts';

/** Targets for utilisation, refusals per 1,000 and the wait of urgent calls in milliseconds, by promise. */
const TARGETS: Readonly<
  Record<
    Promised,
    { readonly used: number; readonly limited: number; readonly p99?: number; readonly afterRefusal?: number }
  >
> = {
  honest: { used: 0.9, limited: 0 },
  turn: { used: 0.9, limited: Infinity },
  faults: { used: 0.9, limited: 1 },
  company: { used: 0.9, limited: 5 },
  strangers: { used: 0.9, limited: 5 },
  crowd: { used: 0.95, limited: 10 },
  'crowd, sliding': { used: 0.85, limited: 10 },
  month: { used: 0.8, limited: Infinity, afterRefusal: 0 },
  urgent: { used: 0.97, limited: 0, p99: 2_000 },
};

/** What others or broken connections spoil. */
const LOUD: ReadonlySet<Promised> = new Set(['company', 'strangers', 'crowd', 'crowd, sliding', 'faults']);

/** The targets that a row misses. */
export function complaints(row: Row): string[] {
  const { used, limited, p99 = Infinity, afterRefusal = Infinity } = TARGETS[row.scenario.promised];
  const wrong: string[] = [];
  if (row.stuck > 0) wrong.push('never ends');
  if (row.leastUtilisation < used) wrong.push(`used < ${used}`);
  if (row.limited > (limited * row.served) / 1_000) wrong.push(`limited ${row.limited} times`);
  if ((row.p99[0]?.ms ?? 0) > p99) wrong.push('urgent calls wait');
  if (row.afterRefusal > afterRefusal) wrong.push('goes on after the refusal');
  return wrong;
}

/** Compares the whole set with its targets. */
export function verdict(rows: readonly Row[]): string {
  const isQuiet = ({ scenario: { promised } }: Row): boolean => !LOUD.has(promised);
  const all = geometricMean(rows.map(({ utilisation }) => utilisation));
  const quiet = rows.filter(isQuiet);
  const least = quiet.reduce(
    (least, row) => (row.leastUtilisation < least.leastUtilisation ? row : least),
    quiet[0] as Row,
  );
  const limited = rows.reduce((sum, row) => sum + row.limited, 0);
  const served = rows.reduce((sum, row) => sum + row.served, 0);
  return [
    `used: ${all.toFixed(4)} as a geometric mean over all (promised 0.98), ${geometricMean(quiet.map(({ utilisation }) => utilisation)).toFixed(4)} without company and faults`,
    `least without company and faults: ${least?.leastUtilisation.toFixed(3)} in ${least?.scenario.name} (promised 0.90)`,
    `limited: ${limited} of ${served}, ${((1_000 * limited) / served).toFixed(3)} per 1,000 (promised 1)`,
    `short of what is promised: ${rows.filter((row) => complaints(row).length > 0).length} of ${rows.length} scenarios`,
  ].join('\n');
}
