import { createHmac } from 'node:crypto';

/** The version of the stored format. Versions do not share. */
const SCHEMA = 'sq2';

/** 132 bits in base64url, so that no two credentials collide. */
const FINGERPRINT_LENGTH = 22;

/** Returns the Redis key of one item of a share. */
export type KeyOf = (what: string) => string;

/**
 * Names the keys of a share. They have one hash tag per credential, so that a cluster keeps them on one node, and contain only
 * a keyed fingerprint (HMAC-SHA-256) of the credential.
 */
export function keysOf(name: string, secret: string, credential: string): KeyOf {
  const print = createHmac('sha256', secret).update(credential).digest('base64url').slice(0, FINGERPRINT_LENGTH);
  const tag = `${SCHEMA}:{${name}:${print}}`;
  return (what) => `${tag}:${what}`;
}
