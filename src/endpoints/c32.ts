import { sha256 } from '@noble/hashes/sha2.js';

/** Crockford's digits: no I, L, O and U. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CHECKSUM_BYTES = 4;

/**
 * Decodes c32check: a digit for the version, then bytes and their checksum as a number of base 32.
 *
 * @param text - valid digits only.
 * @returns the bytes without the checksum, or `undefined` if it is wrong.
 */
export function decodeC32Check(text: string): Uint8Array | undefined {
  const version = DIGITS.indexOf(text.charAt(0));
  const bytes = decodeC32(text.slice(1));
  const payload = bytes.subarray(0, -CHECKSUM_BYTES);
  const checksum = sha256(sha256(Uint8Array.of(version, ...payload)));
  const isRight = bytes.length >= CHECKSUM_BYTES && checksum.subarray(0, CHECKSUM_BYTES).every(isLastOf(bytes));
  return isRight ? payload : undefined;
}

/** A number in base 32, the highest digit first, with a zero byte for each zero before it. */
function decodeC32(digits: string): Uint8Array {
  let value = 0n;
  for (const digit of digits) value = value * 32n + BigInt(DIGITS.indexOf(digit));
  const bytes: number[] = [];
  for (; value > 0n; value >>= 8n) bytes.unshift(Number(value & 255n));
  const zeros = digits.search(/[^0]|$/);
  return Uint8Array.of(...Array<number>(zeros).fill(0), ...bytes);
}

function isLastOf(bytes: Uint8Array): (byte: number, index: number) => boolean {
  return (byte, index) => byte === bytes[bytes.length - CHECKSUM_BYTES + index];
}
