import type { MonthPoint } from '../../history.ts';
import type { Overview, Received } from '../../overview.ts';
import type { Dom } from './dom.ts';
import type { Format } from './format.ts';

/** Draws how the month burns down. This function runs in the page: it uses nothing from outside. */
export function drawMonth(
  { get, make, shape, picture }: Dom,
  { count, day }: Format,
  { month, monthTrail: trail, at }: Received<Overview>,
): void {
  const DAY_MS = 86_400_000;
  /** A date at an end of the axis makes room for one that is nearer to it than this, in per cent. */
  const NEAR = 28;
  get('month').hidden = month === null;
  if (!month) return;
  const { limit, remaining, perDay } = month;
  const end = Date.parse(month.resetsAt);
  const last = new Date(end - DAY_MS);
  const start = Date.UTC(last.getUTCFullYear(), last.getUTCMonth(), 1);
  const runsOut = month.runsOutAt === undefined ? undefined : Date.parse(month.runsOutAt);
  const x = (instant: number): number => Math.min(1, Math.max(0, (instant - start) / (end - start))) * 1_000;
  const y = (units: number): number => 4 + (1 - Math.min(1, Math.max(0, units / Math.max(1, limit)))) * 96;
  const place = ([instant, units]: MonthPoint): string => `${x(instant).toFixed(2)} ${y(units).toFixed(2)}`;
  const path = (name: string, ...line: readonly MonthPoint[]): SVGElement =>
    shape('path', { d: `M${line.map(place).join('L')}`, class: name });

  const present: MonthPoint = [at, remaining];
  const [first = present] = trail;
  const seen = trail.length > 0 ? trail : [present];
  const target: MonthPoint =
    runsOut === undefined ? [end, Math.max(0, remaining - (perDay * (end - at)) / DAY_MS)] : [runsOut, 0];
  const dot = make('span', 'mark');
  dot.style.left = `${x(at) / 10}%`;
  dot.style.top = `${y(remaining)}%`;
  const marks: HTMLElement[] = [make('span', 'tag top', `${count(limit)} units`), dot];
  const dates = [make('span', '', day(start + DAY_MS / 2)), make('span', '', day(end))];
  if (runsOut !== undefined) {
    const left = x(runsOut) / 10;
    const cross = make('span', 'cross');
    cross.style.left = `${left}%`;
    marks.push(cross);
    const tag = make('span', 'date', day(runsOut));
    // Kept inside the picture, and an end that it would cover makes room for it.
    tag.style.left = `clamp(3rem, ${left}%, calc(100% - 3rem))`;
    for (const [index, date] of dates.entries())
      if (Math.abs(left - index * 100) < NEAR) date.style.visibility = 'hidden';
    dates.push(tag);
  }
  const lines = picture(
    path('even', [start, limit], [end, 0]),
    path('assumed', [start, limit], first),
    path(runsOut === undefined ? 'ahead' : 'ahead short', present, target),
    path('seen', ...seen, present),
  );
  get('month-plot').replaceChildren(lines, ...marks);
  get('month-axis').replaceChildren(...dates);
}
