import { endOf, type Period, startOf } from '../src/quota/windows.ts';

/** Limits so wide that nothing ever waits for them. */
const LIMITS: readonly (readonly [Period, number])[] = [
  ['second', 1e7],
  ['minute', 1e8],
  ['month', 1e10],
];

export const BASE_URL = 'https://api.hiro.so';
export const KEY = '0123456789abcdef0123456789abcdef';

/** Some assets of some account: the service's own default is 20 a page. */
function pageOf(events: number): string {
  const results = Array.from({ length: events }, (_, index) => ({
    event_index: index,
    event_type: 'fungible_token_asset',
    tx_id: `0x${index.toString(16).padStart(64, 'a')}`,
    asset: {
      asset_event_type: 'transfer',
      asset_id: 'SP3K8BC0PPEVCV7NZ6QSRWPQ2JE9E5B6N3PA0KBR9.age000-governance-token::alex',
      sender: 'SP1J1A6PJ50NS54VWAVFGA9C4HS53NAQXZQ07P5TK',
      recipient: 'SP318Q55DEKHRXJK696033DQN5C54D9K2EE6DHRWP',
      amount: String(1_000_000 + index),
    },
  }));
  return JSON.stringify({ limit: 20, offset: 0, total: events, results });
}

/** A `fetch` that answers at once, with a page of assets and the headers of section 8 in fixed windows. */
export function answering(events: number): typeof globalThis.fetch {
  const body = pageOf(events);
  const used = new Map<Period, { start: number; units: number }>();
  let dateAt = 0;
  let date = '';
  return async () => {
    const now = Date.now();
    if (startOf('second', now) !== dateAt) {
      dateAt = startOf('second', now);
      date = new Date(now).toUTCString();
    }
    const headers: [string, string][] = [
      ['date', date],
      ['content-type', 'application/json; charset=utf-8'],
      ['content-length', String(body.length)],
      ['etag', '"5f1c2d3e4b"'],
      ['vary', 'Origin'],
      ['server', 'kong'],
      ['x-ratelimit-cost-stacks', '1'],
    ];
    for (const [period, limit] of LIMITS) {
      const start = startOf(period, now);
      let window = used.get(period);
      if (window?.start !== start) {
        window = { start, units: 0 };
        used.set(period, window);
      }
      const remaining = String(limit - ++window.units);
      headers.push([`x-ratelimit-limit-stacks-${period}`, String(limit)]);
      headers.push([`x-ratelimit-remaining-stacks-${period}`, remaining]);
      if (period !== 'second') continue;
      headers.push(['ratelimit-limit', String(limit)], ['ratelimit-remaining', remaining]);
      headers.push(['ratelimit-reset', String(endOf(period, now) / 1_000)]);
    }
    return new Response(body, { headers });
  };
}
