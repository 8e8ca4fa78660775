import { keepLast } from '../keep-last.ts';
import { KeyMask } from './key-mask.ts';
import { MOST_KEYS } from './key-ring.ts';

/** Removes the API keys that were sent from texts of the service, in every spelling. */
export class Redaction {
  /** By key, the one that was sent longest ago first. */
  readonly #spellings = new Map<string, RegExp>();
  /** The same, the longest key first: a key may begin with another, which would leave its rest. */
  #longestFirst: readonly (readonly [secret: string, spellings: RegExp])[] = [];
  #latest: string | undefined;

  /** Remembers a key that is about to be sent: the one that was sent longest ago is forgotten. */
  learn(secret: string): void {
    if (secret === this.#latest) return;
    this.#latest = secret;
    const known = this.#spellings.get(secret);
    this.#spellings.delete(secret);
    this.#spellings.set(secret, known ?? spellingsOf(secret));
    keepLast(this.#spellings, MOST_KEYS);
    this.#longestFirst = [...this.#spellings].sort(([one], [other]) => other.length - one.length);
  }

  /** A mask for one body. */
  readonly mask = (): KeyMask => new KeyMask(this.#spellings.keys());

  /** The text without remembered keys. */
  readonly redact = (text: string): string => {
    const isPlain = !/[\\%]/.test(text);
    let clean = text;
    for (const [secret, spellings] of this.#longestFirst) {
      // Most texts contain no escapes; a plain search is faster for them.
      clean = clean.replaceAll(isPlain ? secret : spellings, '[redacted]');
    }
    return clean;
  };
}

/** Headers of an answer to be copied, without the key: redacted values, and no header whose name contains it. */
export function redactedHeaders(headers: Headers, redact: (text: string) => string): HeadersInit {
  let text = '';
  for (const [name, value] of headers) text += name + value;
  // Nearly no answer has the key in its headers: then a copy of these is made in half the time.
  if (redact(text) === text) return headers;
  return [...headers].flatMap(([name, value]): [name: string, value: string][] =>
    redact(name) === name ? [[name, redact(value)]] : [],
  );
}

/** A pattern for a key as plain text, as JSON, as text within JSON, and as part of a URL: `/`, `\/`, `\u002f`, `%2F`. */
function spellingsOf(secret: string): RegExp {
  // A run of backslashes is one unit: matched one by one, each possibly doubled, they would backtrack exponentially.
  const pieces = secret.matchAll(/\\+|[^\\]/g);
  return new RegExp(Array.from(pieces, ([piece]) => spellingOf(piece)).join(''), 'g');
}

function spellingOf(piece: string): string {
  const [letter = ''] = piece;
  const hex = letter.charCodeAt(0).toString(16).padStart(2, '0');
  const digits = hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  if (letter === '\\') return `(?:\\\\(?:u00${digits})?|%${digits}){1,${piece.length * 4}}`;
  const plain = `\\x${hex}`;
  const escaped = /["/]/.test(letter) ? `\\\\{0,3}${plain}` : plain;
  // Plain text last: a percent sign is the beginning of its own escape.
  return `(?:\\\\{1,3}u00${digits}|%${digits}|${escaped})`;
}
