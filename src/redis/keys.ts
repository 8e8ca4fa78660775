import { createHmac } from 'node:crypto';
import type { Period } from '../quota/time/periods.ts';

/** What stands under a key is of this version; another is another share. */
const SCHEMA = 'sq1';

/** Long enough that no two credentials meet, short enough to read. */
const FINGERPRINT_LENGTH = 22;

/**
 * Names the keys of a share: one hash tag a credential, so that a cluster keeps them on one node. Of the credential they
 * show a keyed fingerprint alone.
 */
export function keysOf(name: string, secret: string, credential: string): (periods: readonly Period[]) => string[] {
  const print = createHmac('sha256', secret).update(credential).digest('base64url').slice(0, FINGERPRINT_LENGTH);
  const tag = `${SCHEMA}:{${name}:${print}}`;
  return (periods) => [`${tag}:members`, `${tag}:knowledge`, ...periods.map((period) => `${tag}:${period}`)];
}
