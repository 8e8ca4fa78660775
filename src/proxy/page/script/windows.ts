import type { WindowView } from '../../../quota/view.ts';
import type { Dom } from './dom.ts';
import type { Format } from './format.ts';

/** Shows what is left of each window. This function runs in the page: it uses nothing from outside. */
export function drawWindows(
  { get, make }: Dom,
  { count }: Format,
  windows: readonly Pick<WindowView, 'window' | 'limit' | 'remaining' | 'headroom'>[],
): void {
  const LOW = 0.1;
  const nameOf = (window: string): string => (window === 'endpoint' ? 'Window of one endpoint' : `Each ${window}`);
  const cards = windows.map(({ window, limit, remaining, headroom }) => {
    const left = Math.max(0, Math.min(limit, headroom));
    const part = limit > 0 ? left / limit : 0;
    const isLow = part < LOW;
    const meter = make('div', 'meter', make('i'));
    meter.setAttribute('role', 'meter');
    meter.setAttribute('aria-label', `Left of the ${window}`);
    meter.setAttribute('aria-valuemin', '0');
    meter.setAttribute('aria-valuemax', String(limit));
    meter.setAttribute('aria-valuenow', String(Math.floor(left)));
    meter.setAttribute('aria-valuetext', `${count(left)} of ${count(limit)} units left`);
    (meter.firstElementChild as HTMLElement).style.width = `${part * 100}%`;
    const differs = Math.floor(remaining) !== Math.floor(left);
    const state = left < 1 ? 'Used up' : isLow && 'Nearly used up';
    const stated = differs ? `The last answer said ${count(remaining)}` : '';
    return make(
      'div',
      `card window${isLow ? ' low' : ''}`,
      make('p', 'name', nameOf(window)),
      make('p', 'left', count(left)),
      make('p', 'of', `of ${count(limit)} units left`),
      meter,
      make('p', 'note', [state, stated].filter(Boolean).join('. ')),
    );
  });
  const none = make('p', 'empty', 'No limit is known yet. Limits are learned from the headers of the first answer.');
  get('windows').replaceChildren(...(cards.length > 0 ? cards : [make('div', 'card', none)]));
}
