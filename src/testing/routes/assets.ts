import { assetEvent, hash } from './asset-events.ts';
import { empty, json, lazyJson, type Page, problem } from './page.ts';
import type { RouteRequest } from './request.ts';

const PRINCIPAL = /^[0-9A-HJKMNP-TV-Z]{28,41}(\.[a-zA-Z][\w-]{0,127})?$/;
const HEIGHT_OR_HASH = /^(\d{1,10}|0x[0-9a-fA-F]{64})$/;
const DEFAULT_LIMIT = 20;
const LARGEST_LIMIT = 100;

/** `GET /extended/v1/address/{principal}/assets`: a page of the address's asset events, newest first. */
export function assetsPage(
  { params: { principal = '' }, url: { searchParams: query }, headers: requestHeaders }: RouteRequest,
  assetsOf: (address: string) => number,
): Page {
  const wrong = complaint(principal, query);
  if (wrong) return problem(400, 'Bad Request', wrong);
  const limit = whole(query.get('limit')) ?? DEFAULT_LIMIT;
  const offset = whole(query.get('offset')) ?? 0;
  const events = assetsOf(principal);
  const headers: Page['headers'] = [
    ['warning', '299 - "Deprecated: this endpoint may be removed"'],
    ['etag', `"${hash(`${principal} ${limit} ${offset} ${events}`).toString(16)}"`],
  ];
  if (requestHeaders.get('if-none-match') === headers[1]?.[1]) return { ...empty(304), headers };
  return lazyJson(
    200,
    () => {
      const count = Math.max(0, Math.min(limit, events - offset));
      const results = Array.from({ length: count }, (_, index) => assetEvent(principal, events - 1 - offset - index));
      // The real service computes the total from the rows of the page, so a page without rows has total 0.
      return { limit, offset, total: count > 0 ? events : 0, results };
    },
    headers,
  );
}

/** Default number of events of an address: 0 to 149. */
export function someAssets(address: string): number {
  return hash(address) % 150;
}

/** `GET /extended/v1/info`. Its body is undocumented; the real service has no such route. */
export function infoPage(status: 200 | 404): Page {
  return status === 200
    ? json(200, { server_version: 'stacks-api mock', status: 'ready', chain_tip: { block_height: 1_000_000 } })
    : problem(404, 'Not Found', 'Route GET:/extended/v1/info not found');
}

function complaint(principal: string, query: URLSearchParams): string | undefined {
  const limit = query.get('limit');
  const offset = query.get('offset');
  const unanchored = query.get('unanchored');
  const untilBlock = query.get('until_block');
  if (!PRINCIPAL.test(principal)) return 'params/principal must match pattern';
  if (limit !== null && whole(limit) === undefined) return 'querystring/limit must be integer';
  if (limit !== null && Number(limit) > LARGEST_LIMIT) return `querystring/limit must be <= ${LARGEST_LIMIT}`;
  if (offset !== null && whole(offset) === undefined) return 'querystring/offset must be integer';
  if (unanchored !== null && unanchored !== 'true' && unanchored !== 'false')
    return 'querystring/unanchored must be boolean';
  if (untilBlock !== null && !HEIGHT_OR_HASH.test(untilBlock))
    return 'querystring/until_block must be a block height or hash';
  if (untilBlock !== null && unanchored !== null)
    return "can't handle both `unanchored` and `until_block` in the same request";
  return undefined;
}

function whole(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
