import type { MonthPoint } from '../../history.ts';
import type { Overview, Received } from '../../overview.ts';
import type { Dom } from './dom.ts';
import type { Format } from './format.ts';

/** Draws how the month burns down, and says the same in words. This function runs in the page: it uses nothing from outside. */
export function drawMonth(
  { get, make, shape, picture }: Dom,
  { count, day, moment, span }: Format,
  { month, monthTrail: trail, at }: Received<Overview>,
): void {
  const HALF_DAY_MS = 43_200_000;
  const NEAR = 28;
  get('month').hidden = month === null;
  if (!month) return;
  const { limit, remaining, perDay, affordablePerDay } = month;
  const end = Date.parse(month.resetsAt);
  const last = new Date(end - 86_400_000);
  const start = Date.UTC(last.getUTCFullYear(), last.getUTCMonth(), 1);
  const runsOut = month.runsOutAt === undefined ? undefined : Date.parse(month.runsOutAt);
  const x = (instant: number): number => Math.min(1, Math.max(0, (instant - start) / (end - start))) * 1_000;
  const y = (units: number): number => 4 + (1 - Math.min(1, Math.max(0, units / Math.max(1, limit)))) * 96;
  const place = ([instant, units]: MonthPoint): string => `${x(instant).toFixed(2)} ${y(units).toFixed(2)}`;
  const path = (line: readonly MonthPoint[], name: string): SVGElement =>
    shape('path', { d: `M${line.map(place).join('L')}`, class: name });

  const seen: readonly MonthPoint[] = trail.length > 0 ? trail : [[at, remaining]];
  const [first = [at, remaining] as const] = seen;
  const target: MonthPoint =
    runsOut === undefined ? [end, Math.max(0, remaining - (perDay * (end - at)) / 86_400_000)] : [runsOut, 0];
  const dot = make('span', 'mark');
  dot.style.left = `${x(at) / 10}%`;
  dot.style.top = `${y(remaining)}%`;
  const marks: HTMLElement[] = [make('span', 'tag top', `${count(limit)} units`), dot];
  if (runsOut !== undefined) {
    const cross = make('span', 'cross');
    cross.style.left = `${x(runsOut) / 10}%`;
    marks.push(cross);
  }
  get('month-plot').replaceChildren(
    picture(
      path(
        [
          [start, limit],
          [end, 0],
        ],
        'even',
      ),
      path([[start, limit], first], 'assumed'),
      path([[at, remaining], target], runsOut === undefined ? 'ahead' : 'ahead short'),
      path([...seen, [at, remaining]], 'seen'),
    ),
    ...marks,
  );
  const ends = [make('span', '', day(start + HALF_DAY_MS)), make('span', '', day(end))];
  if (runsOut !== undefined) {
    const left = x(runsOut) / 10;
    const tag = make('span', 'date', day(runsOut));
    // Kept inside the picture, and an end that it would cover makes room for it.
    tag.style.left = `clamp(3rem, ${left}%, calc(100% - 3rem))`;
    for (const [index, end] of ends.entries()) if (Math.abs(left - index * 100) < NEAR) end.style.visibility = 'hidden';
    ends.push(tag);
  }
  get('month-axis').replaceChildren(...ends);

  const fact = (name: string, value: string, className = ''): HTMLElement =>
    make('div', '', make('dt', '', name), make('dd', className, value));
  const pace = perDay >= 10 ? count(perDay) : perDay.toFixed(1);
  get('month-facts').replaceChildren(
    fact('Left', `${count(remaining)} of ${count(limit)}`),
    fact('Used a day, lately', pace, runsOut === undefined ? '' : 'warn'),
    fact('A day would last', count(affordablePerDay)),
    fact('Next month begins', `in ${span(end - at)}`),
  );
  const words =
    runsOut === undefined
      ? `At the pace of the last 24 hours the month lasts: about ${count(target[1])} units would be left at its end.`
      : `At the pace of the last 24 hours the month runs out on ${moment(runsOut)}, ${span(end - runsOut)} before it ends.`;
  const heading = get('month-words');
  if (heading.textContent !== words) heading.textContent = words;
  heading.className = runsOut === undefined ? '' : 'warn';
}
