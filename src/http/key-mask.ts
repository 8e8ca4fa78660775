import { joinBytes } from './bytes.ts';

const ASTERISK = 42;

/**
 * Replaces keys in a body by as many asterisks, so that its length stays the same. The body comes in pieces, and a key may be split
 * between two of them: the end of a piece that may be the beginning of a key is kept until the next piece.
 */
export class KeyMask {
  /** The longest first: a key may begin with another, which would leave its rest. */
  readonly #secrets: readonly Uint8Array[];
  #kept: Uint8Array<ArrayBuffer> = new Uint8Array(0);

  constructor(secrets: Iterable<string>) {
    const encoder = new TextEncoder();
    this.#secrets = Array.from(secrets, (secret) => encoder.encode(secret)).sort(
      (one, other) => other.byteLength - one.byteLength,
    );
  }

  /** The next piece without the keys; it may be empty. */
  piece(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    let masked = this.#kept.byteLength === 0 ? bytes : joinBytes([this.#kept, bytes]);
    let end = masked.byteLength;
    for (const secret of this.#secrets) {
      masked = maskSecret(masked, secret, end);
      end = Math.min(end, unfinishedFrom(masked, secret));
    }
    this.#kept = masked.slice(end);
    return masked.subarray(0, end);
  }

  /** The bytes that were kept, at the end of the body, without the keys: a whole key is kept if it may be the beginning of a longer one. */
  end(): Uint8Array<ArrayBuffer> {
    const kept = this.#kept;
    this.#kept = new Uint8Array(0);
    return this.#secrets.reduce<Uint8Array<ArrayBuffer>>(
      (masked, secret) => maskSecret(masked, secret, masked.byteLength),
      kept,
    );
  }
}

/** Masks a key wherever all of it is before `end`. */
function maskSecret(bytes: Uint8Array<ArrayBuffer>, secret: Uint8Array, end: number): Uint8Array<ArrayBuffer> {
  const before = bytes.subarray(0, end);
  let masked = bytes;
  for (let at = find(before, secret, 0); at >= 0; at = find(before, secret, at + secret.byteLength)) {
    // A copy, because the bytes may belong to a `fetch` of the caller's own.
    if (masked === bytes) masked = bytes.slice();
    masked.fill(ASTERISK, at, at + secret.byteLength);
  }
  return masked;
}

/** Where a key begins, from a place on; -1 if there is none. */
function find(bytes: Uint8Array, secret: Uint8Array, from: number): number {
  const [first = 0] = secret;
  let at = bytes.indexOf(first, from);
  while (at >= 0 && !isAt(bytes, secret, at, secret.byteLength)) at = bytes.indexOf(first, at + 1);
  return at;
}

/** Where bytes begin that cannot be passed on yet: a key that is not masked yet, or the beginning of one at their end. */
function unfinishedFrom(bytes: Uint8Array, secret: Uint8Array): number {
  const at = find(bytes, secret, 0);
  const begun = bytes.byteLength - begunLength(bytes, secret);
  return at < 0 ? begun : Math.min(at, begun);
}

/** The length of the longest beginning of a key that the bytes end with. */
function begunLength(bytes: Uint8Array, secret: Uint8Array): number {
  let length = secret.byteLength - 1;
  while (!isAt(bytes, secret, bytes.byteLength - length, length)) length--;
  return length;
}

function isAt(bytes: Uint8Array, secret: Uint8Array, at: number, length: number): boolean {
  for (let place = 0; place < length; place++) if (bytes[at + place] !== secret[place]) return false;
  return true;
}
