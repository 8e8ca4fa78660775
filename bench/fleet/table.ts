import { quantile } from '../quantile.ts';
import type { Played } from './play.ts';
import type { World } from './world.ts';
import { LATENCY_MS, SHAPES } from './worlds/light.ts';

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

/** How long calls took that were made at given instants. */
const LATENCIES: readonly Column[] = [
  { title: 'one client, ms: p50 / p95 / max', cell: ({ one }) => latencies(one) },
  { title: 'the fleet', cell: ({ fleet }) => latencies(fleet) },
];

/** How long measured calls would wait that go by priority. */
const KNOWN: readonly Column[] = [
  { title: 'waits if all were known', cell: ({ fleet }) => spread(fleet.flatMap(({ leastWaits }) => leastWaits)) },
];

/** How many calls were served of processes that always have some waiting. */
const SERVED: readonly Column[] = [
  { title: 'served, of what one client is', cell: ({ one, fleet }) => (count(fleet) / count(one)).toFixed(3) },
];

const COUNTS: readonly Column[] = [
  { title: 'trips a call', cell: ({ fleet }) => (sum(fleet, 'trips') / sum(fleet, 'calls')).toFixed(2) },
  {
    title: 'refused per 1,000: one client, the fleet',
    cell: ({ one, fleet }) => `${refusedPerThousand(one)}, ${refusedPerThousand(fleet)}`,
  },
  { title: 'failed', cell: ({ one, fleet }) => `${sum(one, 'failed')}, ${sum(fleet, 'failed')}` },
];

/** The worlds of a group as a table in GitHub Markdown: all of them have traffic of one kind. */
export function tableOf(title: string, rows: readonly Row[]): string {
  const isOpen = rows.every(({ world }) => world.traffic.kind === 'open');
  const known = rows.some(({ world }) => world.measured !== undefined) ? KNOWN : [];
  const columns = [...(isOpen ? LATENCIES : SERVED), ...known, ...COUNTS];
  return markdown([
    [title, ...columns.map((column) => column.title)],
    ...rows.map((row) => [row.world.name, ...columns.map(({ cell }) => cell(row))]),
  ]);
}

/** Runs of one client under light traffic: a row for each traffic, and in it a cell for each shape. */
export function lightTable(
  rows: readonly { readonly name: string; readonly byShape: readonly (readonly Played[])[] }[],
): string {
  return markdown([
    ['Light traffic, waits in s: p50 / p95 (if all were known)', ...SHAPES, 'refused per 1,000'],
    ...rows.map(({ name, byShape }) => [name, ...byShape.map(waits), refusedPerThousand(byShape.flat())]),
  ]);
}

function markdown([head = [], ...rows]: readonly (readonly string[])[]): string {
  const lines = [head, head.map((_, column) => (column === 0 ? '---' : '--:')), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function waits(runs: readonly Played[]): string {
  const ours = runs.flatMap(({ latencies }) => latencies).map((ms) => ms - LATENCY_MS);
  const least = runs.flatMap(({ leastWaits }) => leastWaits);
  const both = (all: readonly number[]): string =>
    [0.5, 0.95].map((part) => Math.max(0, quantile(all, part) / 1_000).toFixed(1)).join(' / ');
  return `${both(ours)} (${both(least)})`;
}

function latencies(runs: readonly Played[]): string {
  return spread(runs.flatMap((run) => run.latencies));
}

function spread(all: readonly number[]): string {
  return [0.5, 0.95, 1].map((part) => quantile(all, part).toFixed(0)).join(' / ');
}

function count(runs: readonly Played[]): number {
  return runs.reduce((total, { latencies }) => total + latencies.length, 0);
}

function refusedPerThousand(runs: readonly Played[]): string {
  return ((1_000 * sum(runs, 'refused')) / sum(runs, 'calls')).toFixed(1);
}

function sum(runs: readonly Played[], what: 'calls' | 'failed' | 'refused' | 'trips'): number {
  return runs.reduce((total, run) => total + run[what], 0);
}
