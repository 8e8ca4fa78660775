import type { Row } from './rows.ts';
import { complaints } from './targets.ts';

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
  { title: 'p99', of: ({ p99 }) => p99.map(({ ms }) => seconds(ms)).join(', ') },
  {
    title: 'after refusal',
    of: ({ scenario, afterRefusal }) => (scenario.promised === 'month' ? String(afterRefusal) : ''),
  },
  { title: 'others', of: ({ othersServed }) => othersServed?.toFixed(2) ?? '' },
  { title: '', of: (row) => [...complaints(row), row.scenario.about].filter(Boolean).join(', ') },
];

function seconds(ms: number): string {
  return Number.isFinite(ms) ? `${(ms / 1_000).toFixed(2)} s` : 'never';
}

/** Formats rows as aligned columns. */
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

/** Formats rows as a Markdown table. */
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

/** Table of scenarios and contenders: utilisation, and refusals per 1,000 calls. */
export function sideBySide(rows: readonly Row[]): string {
  const names = [...new Set(rows.map(({ contender }) => contender))];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const cell = (row: Row | undefined): string => {
    if (!row) return '';
    const { utilisation, limited, served, failures, stuck, othersServed } = row;
    const used = stuck > 0 ? 'never ends' : `${(100 * utilisation).toFixed(1)} %`;
    const failed = failures > 0 ? `, ${failures} failed` : '';
    const others = othersServed === undefined ? '' : `, others ${Math.round(100 * othersServed)} %`;
    return `${used} · ${Math.round((1_000 * limited) / Math.max(1, served))}${failed}${others}`;
  };
  const scenarios = Map.groupBy(rows, ({ scenario }) => scenario.name);
  return [
    line(['used of what is possible · limited per 1,000', ...names]),
    line(['---', ...names.map(() => '--:')]),
    ...[...scenarios].map(([name, group]) =>
      line([name, ...names.map((contender) => cell(group.find((row) => row.contender === contender)))]),
    ),
  ].join('\n');
}
