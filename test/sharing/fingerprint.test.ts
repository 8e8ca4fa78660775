import { expect, it } from 'vitest';
import { fingerprintOf } from '../../src/sharing/fingerprint.ts';

it('the fingerprint of a credential is HMAC-SHA-256 with the secret of its store, cut to 22 letters of base64url', () => {
  // From RFC 4231, case 2.
  expect(fingerprintOf('Jefe', 'what do ya want for nothing?')).toBe(
    Buffer.from('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843', 'hex')
      .toString('base64url')
      .slice(0, 22),
  );
});
