import { endOf, startOf } from '../src/quota/time/periods.ts';
import { Tally } from './tally.ts';

export const BASE_URL = 'https://api.hiro.so';
export const KEY = '0123456789abcdef0123456789abcdef';

type Fetch = typeof globalThis.fetch;

/**
 * A `fetch` that answers without delay, with a page of assets and the quota headers of the service.
 *
 * Each response arrives in its own turn of the event loop, as from a socket. If all arrived at once, all calls in flight would run in
 * lockstep, which favours the processor's caches more than a real service does.
 */
export function answering(events: number): Fetch {
  const body = pageOf(events);
  const tally = new Tally();
  return () => new Promise((resolve) => setImmediate(() => resolve(answer(body, tally, Date.now()))));
}

/** A `fetch` that holds all requests until it is released. */
export function holding(fetch: Fetch): { readonly fetch: Fetch; readonly release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { fetch: (input, init) => promise.then(() => fetch(input, init)), release: resolve };
}

function answer(body: string, tally: Tally, now: number): Response {
  const headers: [string, string][] = [
    ['date', dateOf(now)],
    ['content-type', 'application/json; charset=utf-8'],
    ['content-length', String(body.length)],
    ['etag', '"5f1c2d3e4b"'],
    ['vary', 'Origin'],
    ['server', 'kong'],
    ['x-ratelimit-cost-stacks', '1'],
  ];
  const said = tally.count(now);
  for (const { period, limit, remaining } of said) {
    headers.push([`x-ratelimit-limit-stacks-${period}`, String(limit)]);
    headers.push([`x-ratelimit-remaining-stacks-${period}`, String(remaining)]);
  }
  const [tightest] = said;
  if (tightest) {
    headers.push(['ratelimit-limit', String(tightest.limit)], ['ratelimit-remaining', String(tightest.remaining)]);
    headers.push(['ratelimit-reset', String(endOf(tightest.period, now) / 1_000)]);
  }
  return new Response(body, { headers });
}

let dateAt = 0;
let date = '';

function dateOf(now: number): string {
  const second = startOf('second', now);
  if (second !== dateAt) date = new Date(now).toUTCString();
  dateAt = second;
  return date;
}

/** A page of assets; the service's default is 20 events. */
export function pageOf(events: number): string {
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
