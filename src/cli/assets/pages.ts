import type { AddressAssets, AddressAssetsParams, AssetEvent, Client } from '../../index.ts';

/** The request for each account. */
export interface PageRequest {
  readonly params: AddressAssetsParams;
  /** Whether to fetch all events instead of one page. */
  readonly isAll: boolean;
}

/** The result for one account: one page, or all events. */
export type Assets = Pick<AddressAssets, 'total' | 'results'>;

/** Fetches the result for one account. */
export async function assetsOf(
  client: Pick<Client, 'getAddressAssets' | 'walkAddressAssets'>,
  address: string,
  { params, isAll }: PageRequest,
  signal: AbortSignal,
): Promise<Assets> {
  if (!isAll) return (await client.getAddressAssets(address, { ...params, signal })).data;
  const { offset: _, ...rest } = params;
  const results: AssetEvent[] = [];
  let total = 0;
  for await (const page of client.walkAddressAssets(address, { ...rest, signal }).pages()) {
    results.push(...page.events);
    total = Math.max(total, page.total);
  }
  return { total, results };
}
