import { c32addressDecode, c32checkEncode } from 'c32check';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeC32Check } from '../../src/endpoints/c32.ts';
import { runs } from '../support/deep.ts';

const digit = fc.constantFrom(...'0123456789ABCDEFGHJKMNPQRSTVWXYZ');
const version = fc.nat(31);
/** Many begin with zero bytes, which are digits of their own. */
const hash = fc
  .tuple(fc.nat(20), fc.uint8Array({ maxLength: 20 }))
  .map(([zeros, bytes]) => '00'.repeat(zeros) + Buffer.from(bytes).toString('hex'));

/** What the library of the Stacks project decodes. */
function reference(text: string): string | undefined {
  try {
    return c32addressDecode(`S${text}`)[1];
  } catch {
    return undefined;
  }
}

function decoded(text: string): string | undefined {
  const bytes = decodeC32Check(text);
  return bytes && Buffer.from(bytes).toString('hex');
}

test('what c32check encodes is decoded to the same bytes', () => {
  fc.assert(
    fc.property(version, hash, (number, hex) => {
      expect(decoded(c32checkEncode(number, hex))).toBe(hex);
    }),
    { numRuns: runs(500, 5_000) },
  );
});

test('any digits are accepted and decoded as by c32check', () => {
  const changed = fc
    .tuple(version, hash, fc.nat(), digit)
    .map(([number, hex, at, other]) => [c32checkEncode(number, hex), at, other] as const)
    .map(([text, at, other]) => text.slice(0, at % text.length) + other + text.slice((at % text.length) + 1));
  const random = fc.string({ unit: digit, minLength: 6, maxLength: 50 });
  fc.assert(
    fc.property(fc.oneof(changed, random), (text) => {
      fc.pre(text.length > 5);
      expect(decoded(text)).toBe(reference(text));
    }),
    { numRuns: runs(1_000, 10_000) },
  );
});

test('no text is too short to be looked at', () => {
  for (const text of ['', '0', 'P', '00', 'P0000']) expect(decodeC32Check(text)).toBeUndefined();
});
