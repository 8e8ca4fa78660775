/** What a program saw that used the package. */
export interface Seen {
  /** Calls that were answered. */
  readonly answered: number;
  /** Whether a mistyped address was refused before it was sent. */
  readonly refusesTypo: boolean;
}

/** Calls that the probe makes at once. */
export const CALLS = 30;

/** The file `probe.mjs` of a project: makes calls of both kinds, more than a second holds. */
export const PROBE: string = `
import { createClient, isConfigError } from 'stacks-quota';

export async function probe(baseUrl) {
  const client = createClient({ baseUrl });
  const address = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';
  const calls = Array.from({ length: ${CALLS} }, async (_, n) => {
    if (n % 2 === 0) return (await client.fetch('/extended/v1/info')).status === 200;
    return (await client.getAddressAssets(address, { limit: 1 })).data.limit === 1;
  });
  const answered = (await Promise.all(calls)).filter(Boolean).length;
  const refusesTypo = await client.getAddressAssets(address.replace('GQ', 'QG')).catch(isConfigError);
  await client.close();
  return { answered, refusesTypo };
}
`;
