import type { AddressAssets, AddressAssetsParams, AssetEvent, Client } from '../../index.ts';

/** The most that the service puts on a page. */
const FULL_PAGE = 100;

/** What is asked of each account. */
export interface Wish {
  readonly params: AddressAssetsParams;
  /** All pages, and not one. */
  readonly isAll: boolean;
}

/** What one account has: a page as it came, or the events of all pages. */
export type Assets = Pick<AddressAssets, 'total' | 'results'>;

/** Fetches what one account has. */
export async function assetsOf(
  client: Pick<Client, 'getAddressAssets'>,
  address: string,
  { params, isAll }: Wish,
  signal: AbortSignal,
): Promise<Assets> {
  if (!isAll) return (await client.getAddressAssets(address, { ...params, signal })).data;
  const size = params.limit ?? FULL_PAGE;
  const events = new Map<string, AssetEvent>();
  let total = 0;
  // A short page is the last one; `total` is not to be trusted for that, since it is 0 past the end.
  for (let offset = params.offset ?? 0; ; ) {
    const { data } = await client.getAddressAssets(address, { ...params, limit: size, offset, signal });
    // New events push old ones on to the next page, where they come a second time.
    for (const event of data.results) events.set(`${event.tx_id} ${event.event_index} ${event.event_type}`, event);
    total = Math.max(total, data.total);
    offset += data.results.length;
    if (data.results.length === 0 || data.results.length < Math.min(size, data.limit)) break;
  }
  return { total, results: [...events.values()] };
}
