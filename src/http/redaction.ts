import { KeyMask } from './key-mask.ts';

/** How many keys are remembered: as many as a source of keys in turn can have in flight, see the key ring. */
const MOST_KEYS = 8;

/** Removes the API keys that were sent from texts of the service, in every spelling. */
export class Redaction {
  readonly #spellings = new Map<string, RegExp>();
  #latest: string | undefined;

  /** Remembers a key that is about to be sent: the one that was sent longest ago is forgotten. */
  learn(secret: string): void {
    if (secret === this.#latest) return;
    this.#latest = secret;
    const known = this.#spellings.get(secret);
    this.#spellings.delete(secret);
    this.#spellings.set(secret, known ?? spellingsOf(secret));
    const [oldest] = this.#spellings.keys();
    if (this.#spellings.size > MOST_KEYS && oldest !== undefined) this.#spellings.delete(oldest);
  }

  /** A mask for one body. */
  readonly mask = (): KeyMask => new KeyMask(this.#spellings.keys());

  /** The text without remembered keys. */
  readonly redact = (text: string): string => {
    const isPlain = !/[\\%]/.test(text);
    let clean = text;
    for (const [secret, spellings] of this.#spellings) {
      // Most texts contain no escapes; a plain search is faster for them.
      clean = clean.replaceAll(isPlain ? secret : spellings, '[redacted]');
    }
    return clean;
  };
}

/** A pattern for a key as plain text, as JSON, as text within JSON, and as part of a URL: `/`, `\/`, `\u002f`, `%2F`. */
function spellingsOf(secret: string): RegExp {
  // A run of backslashes is one unit: matched one by one, each possibly doubled, they would backtrack exponentially.
  const pieces = secret.match(/\\+|[^\\]/g) ?? [];
  return new RegExp(pieces.map(spellingOf).join(''), 'g');
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
