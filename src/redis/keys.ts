import { createHmac } from 'node:crypto';

/** The version of what is stored under a key; another version is another share. */
const SCHEMA = 'sq2';

/** Long enough that no two credentials meet, short enough to read. */
const FINGERPRINT_LENGTH = 22;

/** Names the key of one thing that a share stores. */
export type KeyOf = (what: string) => string;

/**
 * Names the keys of a share: one hash tag a credential, so that a cluster keeps them on one node. Of the credential they
 * show only a keyed fingerprint.
 */
export function keysOf(name: string, secret: string, credential: string): KeyOf {
  const print = createHmac('sha256', secret).update(credential).digest('base64url').slice(0, FINGERPRINT_LENGTH);
  const tag = `${SCHEMA}:{${name}:${print}}`;
  return (what) => `${tag}:${what}`;
}
