import { fingerprintOf } from '../sharing/fingerprint.ts';

/** The version of the stored format. Versions do not share. */
const SCHEMA = 'sq6';

/** Returns the Redis key of one item of a share. */
export type KeyOf = (what: string) => string;

/**
 * Names the keys of a share. They have one hash tag per credential, so that a cluster keeps them on one node, and contain only
 * a fingerprint of the credential.
 */
export function keysOf(name: string, secret: string, credential: string): KeyOf {
  const tag = `${SCHEMA}:{${name}:${fingerprintOf(secret, credential)}}`;
  return (what) => `${tag}:${what}`;
}
