import { keepLast } from '../keep-last.ts';

/** How many keys are remembered: requests with each of them may be under way. */
export const MOST_KEYS = 8;

/** Returns the key, or `undefined` without one. */
type KeySource = () => string | undefined | Promise<string | undefined>;

/** The keys that a source has given. Others know a key by its number: 0 is none, and a key has the same number while it is remembered. */
export interface KeyRing {
  /** Asks the source for the key. @returns its number. */
  ask(): number | Promise<number>;
  /** The key with this number. */
  secretOf(number: number): string | undefined;
}

/** Makes a key ring. It keeps the keys in a closure, where no inspected object shows them. */
export function createKeyRing(source: KeySource): KeyRing {
  const secrets = new Map<number, string>();
  let latest: { readonly number: number; readonly secret?: string } = { number: 0 };
  let keys = 0;
  const numberOf = (secret: string | undefined): number => {
    if (secret === undefined) return 0;
    if (secret === latest.secret) return latest.number;
    const number = [...secrets.keys()].find((known) => secrets.get(known) === secret) ?? ++keys;
    secrets.delete(number);
    secrets.set(number, secret);
    keepLast(secrets, MOST_KEYS);
    latest = { number, secret };
    return number;
  };
  return {
    ask() {
      const given = source();
      return given instanceof Promise ? given.then(numberOf) : numberOf(given);
    },
    secretOf: (number) => secrets.get(number),
  };
}
