import type { Promised, Scenario } from './scenario.ts';
import type { Measured } from './trial.ts';

/** What came of one contender in one scenario, over all seeds. */
export interface Row {
  readonly scenario: Scenario;
  readonly contender: string;
  /** The geometric mean. */
  readonly utilisation: number;
  readonly leastUtilisation: number;
  readonly served: number;
  readonly limited: number;
  readonly requests: number;
  readonly failures: number;
  readonly afterRefusal: number;
  readonly othersServed: number | undefined;
  /** The worst, in milliseconds. */
  readonly p99: number | undefined;
  readonly stuck: number;
}

/** Gathers what was measured with different seeds into rows, in the order given. */
export function rowsFrom(measured: readonly Measured[], scenarios: readonly Scenario[]): Row[] {
  const groups = Map.groupBy(measured, ({ scenario, contender }) => `${scenario}\n${contender}`);
  return [...groups.values()].map((group): Row => {
    const first = group[0] as Measured;
    const sum = (count: (one: Measured) => number): number => group.reduce((total, one) => total + count(one), 0);
    const largest = (values: readonly (number | undefined)[]): number | undefined =>
      values.reduce((most, value) => (value === undefined || (most ?? 0) > value ? most : value), undefined);
    return {
      scenario: scenarios.find(({ name }) => name === first.scenario) as Scenario,
      contender: first.contender,
      utilisation: geometricMean(group.map(({ utilisation }) => utilisation)),
      leastUtilisation: Math.min(...group.map(({ utilisation }) => utilisation)),
      served: sum(({ served }) => served),
      limited: sum(({ limited }) => limited),
      requests: sum(({ requests }) => requests),
      failures: sum(({ failures }) => failures),
      afterRefusal: sum(({ afterRefusal }) => afterRefusal),
      othersServed:
        first.othersServed === undefined ? undefined : sum(({ othersServed = 0 }) => othersServed) / group.length,
      p99: largest(group.map(({ p99 }) => p99)),
      stuck: sum(({ isStuck }) => Number(isStuck)),
    };
  });
}

/** The mean that a halving and a doubling leave as it is. */
export function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(Math.max(1e-9, value)), 0) / values.length);
}

interface Column {
  readonly title: string;
  readonly of: (row: Row) => string;
}

const COLUMNS: readonly Column[] = [
  { title: 'scenario', of: ({ scenario }) => scenario.name },
  { title: 'with', of: ({ contender }) => contender },
  { title: 'promised', of: ({ scenario }) => scenario.promised },
  { title: 'used', of: ({ utilisation }) => utilisation.toFixed(3) },
  { title: 'least', of: ({ leastUtilisation }) => leastUtilisation.toFixed(3) },
  { title: 'limited per 1,000', of: ({ limited, served }) => ((1_000 * limited) / Math.max(1, served)).toFixed(2) },
  { title: 'attempts', of: ({ requests, served }) => (requests / Math.max(1, served)).toFixed(3) },
  { title: 'failures', of: ({ failures }) => String(failures) },
  { title: 'p99', of: ({ p99 }) => (p99 === undefined ? '' : seconds(p99)) },
  {
    title: 'after refusal',
    of: ({ scenario, afterRefusal }) => (scenario.promised === 'month' ? String(afterRefusal) : ''),
  },
  { title: 'others', of: ({ othersServed }) => othersServed?.toFixed(2) ?? '' },
  { title: '', of: (row) => complaints(row).join(', ') },
];

function seconds(ms: number): string {
  return Number.isFinite(ms) ? `${(ms / 1_000).toFixed(2)} s` : 'never';
}

/** Lines of text in columns. */
export function textTable(rows: readonly Row[]): string {
  const cells = [COLUMNS.map(({ title }) => title), ...rows.map((row) => COLUMNS.map(({ of }) => of(row)))];
  const widths = COLUMNS.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, column) => (isText(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The same as a Markdown table. */
export function markdownTable(rows: readonly Row[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(COLUMNS.map(({ title }) => title)),
    line(COLUMNS.map((_, column) => (isText(column) ? '---' : '--:'))),
    ...rows.map((row) => line(COLUMNS.map(({ of }) => of(row)))),
  ].join('\n');
}

function isText(column: number): boolean {
  return column < 3 || column === COLUMNS.length - 1;
}

/** What is promised of utilisation, of refusals per 1,000 and of the wait of urgent calls, in milliseconds. */
const TARGETS: Readonly<
  Record<
    Promised,
    { readonly used: number; readonly limited: number; readonly p99?: number; readonly afterRefusal?: number }
  >
> = {
  honest: { used: 0.9, limited: 0 },
  turn: { used: 0.9, limited: Infinity },
  faults: { used: 0.9, limited: 1 },
  company: { used: 0.95, limited: 3 },
  month: { used: 0.9, limited: Infinity, afterRefusal: 0 },
  urgent: { used: 0.97, limited: 0, p99: 2_000 },
};

/** Where a row falls short of what is promised. */
export function complaints(row: Row): string[] {
  const { used, limited, p99 = Infinity, afterRefusal = Infinity } = TARGETS[row.scenario.promised];
  const wrong: string[] = [];
  if (row.stuck > 0) wrong.push(`stuck ${row.stuck} times`);
  if (row.leastUtilisation < used) wrong.push(`used < ${used}`);
  if (row.limited > (limited * row.served) / 1_000) wrong.push(`limited ${row.limited} times`);
  if (row.p99 !== undefined && row.p99 > p99) wrong.push('urgent calls wait');
  if (row.afterRefusal > afterRefusal) wrong.push('goes on after the refusal');
  return wrong;
}

/** The set as a whole, against what is promised of it. */
export function verdict(rows: readonly Row[]): string {
  const isQuiet = ({ scenario: { promised } }: Row): boolean => promised !== 'company' && promised !== 'faults';
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
