import type { Stretches } from '../../history.ts';
import type { Dom } from './dom.ts';
import type { Format } from './format.ts';

/** A chart of what was sent in stretches of the same length, against a limit. */
export interface Bars {
  /** The name of a stretch, such as `second`. The ids of the chart begin with its plural. */
  readonly stretch: string;
  readonly stretches: Stretches;
  /** Units that the window holds; undefined if there is no such window. */
  readonly limit: number | undefined;
  /** All stretches together, such as `the last two minutes`. */
  readonly span: string;
}

/** Draws the chart, and says the same in words and in a table. This function runs in the page: it uses nothing from outside. */
export function drawBars(
  { get, make, shape, picture }: Dom,
  { count, plural }: Format,
  { stretch, stretches, limit, span }: Bars,
): void {
  const id = `${stretch}s`;
  const { units, requests, refused } = stretches;
  const most = Math.max(1, ...units);
  const top = Math.max(most, limit ?? 0) * 1.12;
  const step = 1_000 / units.length;
  const shapes = units.flatMap((value, place) => {
    if (value === 0 && refused[place] === 0) return [];
    const height = (value / top) * 100;
    const isOpen = place === units.length - 1;
    const box = { x: place * step + step * 0.1, width: step * 0.8 };
    const bar = shape('rect', { ...box, y: 100 - height, height, class: isOpen ? 'bar open' : 'bar' });
    const part = value === 0 ? 0 : Math.min(1, (refused[place] ?? 0) / Math.max(1, requests[place] ?? 1));
    const mark = Math.max(4, height * part);
    return part === 0 ? [bar] : [bar, shape('rect', { ...box, y: 100 - height, height: mark, class: 'bar refused' })];
  });
  const tags: HTMLElement[] = [];
  if (limit !== undefined) {
    const y = (1 - limit / top) * 100;
    shapes.push(shape('path', { d: `M0 ${y}H1000`, class: 'limit' }));
    const tag = make('span', 'tag limit-tag', `limit ${count(limit)}`);
    tag.style.top = `${y}%`;
    tags.push(tag);
  }
  get(`${id}-plot`).replaceChildren(picture(...shapes), ...tags);

  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const sent = sum(requests);
  const refusals = sum(refused);
  const against = limit === undefined ? '' : `, where the limit is ${count(limit)}`;
  const outcome = refusals === 0 ? 'None was refused.' : `${count(refusals)} refused because of a limit.`;
  const none = `Nothing was sent in ${span}.`;
  const some = `${plural(sent, 'request')} in ${span}; at most ${plural(most, 'unit')} in one ${stretch}${against}. ${outcome}`;
  get(`${id}-words`).textContent = sent === 0 ? none : some;

  const details = get(`${id}-table`) as HTMLDetailsElement;
  if (!details.open) return;
  const rows = units.flatMap((value, place) => {
    if (requests[place] === 0 && refused[place] === 0) return [];
    const ago = units.length - 1 - place;
    const when = ago === 0 ? `this ${stretch}` : `${plural(ago, stretch)} ago`;
    return [
      make(
        'tr',
        '',
        make('td', '', when),
        ...[requests[place], value, refused[place]].map((n) => make('td', 'n', count(n ?? 0))),
      ),
    ];
  });
  get(`${id}-rows`).replaceChildren(...rows.reverse());
}
