import type { Overview, Received } from '../../overview.ts';
import type { Dom } from './dom.ts';
import type { Format } from './format.ts';

/** Lists the calls that go next, and why they wait. This function runs in the page: it uses nothing from outside. */
export function drawQueue(
  { get, make }: Dom,
  { count, plural, span, sentence }: Format,
  { queue: calls, quota: { waiting }, at }: Received<Overview>,
): void {
  get('calls').hidden = calls.length === 0;
  get('calls-none').hidden = calls.length > 0;
  const rows = calls.map(({ endpoint, label, place, priority, since, until, reason, why }, index) => {
    // Behind the first, calls wait for the same: that is said once.
    const cause = reason?.why ?? why;
    const before = calls[index - 1];
    const isSame = before !== undefined && place !== undefined && cause === (before.reason?.why ?? before.why);
    const isFirst = place === 1 || place === undefined;
    const left = until === undefined || !isFirst ? '' : ` At most ${span(Date.parse(until) - at)} more.`;
    return make(
      'tr',
      '',
      make('td', 'n', place === undefined ? '–' : count(place)),
      make('td', '', make('code', '', endpoint), label === undefined ? '' : ` ${label}`),
      make('td', 'n priority', String(priority)),
      make('td', 'n', span(at - Date.parse(since))),
      make(
        'td',
        isSame ? 'why same' : 'why',
        isSame ? 'the same' : `${sentence(place === undefined ? why : cause)}${left}`,
      ),
    );
  });
  get('calls-rows').replaceChildren(...rows);
  const more = Math.max(0, waiting - calls.length);
  get('calls-more').textContent = more === 0 ? '' : `and ${plural(more, 'more call')}`;
}
