import { quantile } from '../quantile.ts';
import type { Played } from './play.ts';
import type { World } from './world.ts';

/** A world, and all its runs by one client and by a fleet. */
export interface Row {
  readonly world: World;
  readonly one: readonly Played[];
  readonly fleet: readonly Played[];
}

interface Column {
  readonly title: string;
  readonly cell: (row: Row) => string;
}

const COLUMNS: readonly Column[] = [
  { title: 'one client, ms: p50 / p95 / max', cell: ({ one }) => latencies(one) },
  { title: 'the fleet', cell: ({ fleet }) => latencies(fleet) },
  { title: 'served, of what one client is', cell: served },
  { title: 'trips a call', cell: ({ fleet }) => (sum(fleet, 'trips') / sum(fleet, 'calls')).toFixed(2) },
  {
    title: 'refused per 1,000: one client, the fleet',
    cell: ({ one, fleet }) => `${perThousand(one, 'refused')}, ${perThousand(fleet, 'refused')}`,
  },
  { title: 'failed', cell: ({ one, fleet }) => `${sum(one, 'failed')}, ${sum(fleet, 'failed')}` },
];

/** A table in GitHub Markdown. */
export function tableOf(title: string, rows: readonly Row[]): string {
  const lines = [
    [title, ...COLUMNS.map((column) => column.title)],
    ['---', ...COLUMNS.map(() => '--:')],
    ...rows.map((row) => [row.world.name, ...COLUMNS.map(({ cell }) => cell(row))]),
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function latencies(runs: readonly Played[]): string {
  const all = runs.flatMap((run) => run.latencies);
  return [0.5, 0.95, 1].map((part) => quantile(all, part).toFixed(0)).join(' / ');
}

/** Calls that processes which always have some waiting get served in the same time; others make no more than they have. */
function served({ world, one, fleet }: Row): string {
  if (world.traffic.kind === 'open') return '–';
  return (count(fleet) / count(one)).toFixed(3);
}

function count(runs: readonly Played[]): number {
  return runs.reduce((total, { latencies }) => total + latencies.length, 0);
}

function perThousand(runs: readonly Played[], what: 'refused'): string {
  return ((1_000 * sum(runs, what)) / sum(runs, 'calls')).toFixed(1);
}

function sum(runs: readonly Played[], what: 'calls' | 'failed' | 'refused' | 'trips'): number {
  return runs.reduce((total, run) => total + run[what], 0);
}
