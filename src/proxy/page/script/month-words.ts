import type { Overview, Received } from '../../overview.ts';
import type { Dom } from './dom.ts';
import type { Format } from './format.ts';

/** Says how long the month lasts, in figures and in a sentence. This function runs in the page: it uses nothing from outside. */
export function sayMonth(
  { get, make, say }: Dom,
  { count, moment, span }: Format,
  { month, at }: Received<Overview>,
): void {
  const DAY_MS = 86_400_000;
  if (!month) return;
  const { limit, remaining, perDay, affordablePerDay } = month;
  const end = Date.parse(month.resetsAt);
  const runsOut = month.runsOutAt === undefined ? undefined : Date.parse(month.runsOutAt);
  const warning = runsOut === undefined ? '' : 'warn';
  const fact = (name: string, value: string, className = ''): HTMLElement =>
    make('div', '', make('dt', '', name), make('dd', className, value));
  get('month-facts').replaceChildren(
    fact('Left', `${count(remaining)} of ${count(limit)}`),
    fact('Used a day, lately', perDay >= 10 ? count(perDay) : perDay.toFixed(1), warning),
    fact('A day would last', count(affordablePerDay)),
    fact('Next month begins', `in ${span(end - at)}`),
  );
  const atEnd = Math.max(0, remaining - (perDay * (end - at)) / DAY_MS);
  const how =
    runsOut === undefined
      ? `lasts: about ${count(atEnd)} units would be left at its end.`
      : `runs out on ${moment(runsOut)}, ${span(end - runsOut)} before it ends.`;
  say('month-words', `At the pace of the last 24 hours the month ${how}`);
  get('month-words').className = warning;
}
