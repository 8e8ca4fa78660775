import { ConfigError, quote } from '../errors.ts';
import { decodeC32Check } from './c32.ts';

/** Checking a checksum takes some 13 µs, and callers ask about the same accounts again and again. */
const REMEMBERED = 1_000;
const verified = new Set<string>();

/**
 * Checks the address of an account or a contract, its checksum included: `SP…`, `SM…` (mainnet), `ST…`, `SN…` (testnet),
 * or one of these, a dot and the name of a contract.
 *
 * Every call does so before it is sent; call it yourself to tell a user's typing error from a misconfigured client.
 *
 * @returns the address as it was given.
 * @throws ConfigError (option `address`) that says exactly what is wrong with it.
 * @example
 * ```ts
 * checkAddress('SP3HXJJMJQ06GNAZ8XWDN1QM48JEDC6PP6W3YZPZJ'); // the same
 * checkAddress('SP123'); // throws: address "SP123" has 5 characters for the account, but 28 to 41 are right
 * ```
 */
export function checkAddress(text: unknown): string {
  if (typeof text !== 'string')
    throw new ConfigError('address', `must be the text of a Stacks address, not ${quote(text)}`);
  const dot = text.indexOf('.');
  const principal = dot < 0 ? text : text.slice(0, dot);
  const problem = wrongWithPrincipal(principal) ?? (dot < 0 ? undefined : wrongWithName(text.slice(dot + 1)));
  if (problem !== undefined) throw new ConfigError('address', `${quote(text)} ${problem}`);
  return text;
}

/** Crockford's base 32 also reads O as 0, I and L as 1 and lower case as upper case; the service does not. */
function wrongWithPrincipal(text: string): string | undefined {
  if (verified.has(text)) return undefined;
  if (text === '') return 'has no account: an address begins with SP, SM, ST or SN';
  if (!/^S[PMTN]/.test(text)) {
    return `begins with ${quote(text.slice(0, 2))}, but an address begins with SP or SM (mainnet), ST or SN (testnet)`;
  }
  const illegal = /[^0-9A-HJKMNP-TV-Z]/u.exec(text);
  if (illegal) {
    return `has ${quote(illegal[0])} at position ${illegal.index + 1}, but an address has digits and capitals only, without I, L, O and U`;
  }
  const size = text.length;
  if (size < 28 || size > 41) return `has ${size} characters for the account, but 28 to 41 are right`;
  const hash = decodeC32Check(text.slice(1));
  if (hash === undefined) return 'fails its checksum: a character is wrong, missing or out of place';
  if (hash.length !== 20) return `names ${hash.length} bytes, but an account is named by 20`;
  if (verified.size >= REMEMBERED) verified.delete(verified.values().next().value as string);
  verified.add(text);
  return undefined;
}

function wrongWithName(name: string): string | undefined {
  if (name === '') return 'has a dot, but no name of a contract after it';
  // The flag `i` would let in U+017F and U+212A, which fold to s and k.
  const illegal = /^[^A-Za-z]|[^A-Za-z0-9_-]/u.exec(name);
  if (illegal) {
    return `has ${quote(illegal[0])} in its contract name, which is a letter, then letters, digits, "-" and "_"`;
  }
  return name.length > 128 ? `has a contract name of ${name.length} characters, but at most 128 are right` : undefined;
}
