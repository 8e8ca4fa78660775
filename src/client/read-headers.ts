import { ConfigError, quote } from '../errors.ts';
import { type FamilyQuota, familiesOf } from '../quota/headers/families.ts';
import { type QuotaSnapshot, readQuota as quotaOf } from '../quota/headers/snapshot.ts';

/**
 * Reads every rate-limit header of a response. Pure, and never throws because of what a header says: one that
 * cannot be read is named in `malformed` and its field is absent, and so are both of a pair that says more remains
 * than the limit. Of a header sent twice the more cautious value counts.
 *
 * A response that comes from a cache (`age` above 0) tells of a quota that has moved on since, so its snapshot is
 * empty, as the IETF's draft of these headers demands; its `date` and `retry-after` are as old.
 *
 * @param headers - the response's headers.
 * @param receivedAt - when the response was received, in milliseconds since the Unix epoch.
 * @throws ConfigError if an argument cannot be used.
 *
 * @example
 * ```ts
 * const response = await fetch('https://api.hiro.so/extended');
 * const { stacks, malformed } = readQuota(response.headers, Date.now());
 * console.log(stacks.minute?.remaining, malformed);
 * ```
 */
export function readQuota(headers: Headers, receivedAt: number): QuotaSnapshot {
  if (typeof (headers as Partial<Headers> | null | undefined)?.get !== 'function')
    throw new ConfigError('headers', `must be the Headers of a response, not ${quote(headers)}`);
  if (!Number.isFinite(receivedAt))
    throw new ConfigError('receivedAt', `must be milliseconds since the Unix epoch, not ${quote(receivedAt)}`);
  return quotaOf(headers, receivedAt);
}

/**
 * Reads the windows of other families and periods that a response named: `x-ratelimit-(limit|remaining)-<family>-<period>` and
 * `x-ratelimit-cost-<family>`. The client does not pace by them.
 *
 * @param quota - a snapshot, of a result, an error or an event.
 * @throws ConfigError if it is none.
 *
 * @example
 * ```ts
 * const { quota } = await client.get('/ordinals/v1/inscriptions');
 * const { bitcoin } = readFamilies(quota);
 * console.log(bitcoin?.cost, bitcoin?.windows.minute?.remaining);
 * ```
 */
export function readFamilies(quota: Pick<QuotaSnapshot, 'unrecognised'>): Readonly<Record<string, FamilyQuota>> {
  const { unrecognised } = Object(quota) as Partial<QuotaSnapshot>;
  if (typeof unrecognised !== 'object' || unrecognised === null)
    throw new ConfigError('quota', `must be a snapshot such as the quota of a result, not ${quote(quota)}`);
  return familiesOf({ unrecognised });
}
