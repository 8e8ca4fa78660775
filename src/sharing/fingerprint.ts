import { createHmac } from 'node:crypto';

/** 132 bits in base64url, so that no two credentials collide. */
const FINGERPRINT_LENGTH = 22;

/** A keyed fingerprint (HMAC-SHA-256) of a credential, by which stores name it. */
export function fingerprintOf(secret: string, credential: string): string {
  return createHmac('sha256', secret).update(credential).digest('base64url').slice(0, FINGERPRINT_LENGTH);
}
