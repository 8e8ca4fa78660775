/** How many keys are remembered: a rotation may leave a few in flight. */
const MOST_KEYS = 4;

/** Takes the keys that were sent out of what came back, however that spells them. */
export class Redaction {
  readonly #spellings = new Map<string, RegExp>();

  /** Remembers a key that is about to be sent. */
  learn(secret: string): void {
    if (this.#spellings.has(secret)) return;
    this.#spellings.set(secret, spellingsOf(secret));
    const [oldest] = this.#spellings.keys();
    if (this.#spellings.size > MOST_KEYS && oldest !== undefined) this.#spellings.delete(oldest);
  }

  /** The text without them. */
  readonly redact = (text: string): string => {
    const isPlain = !/[\\%]/.test(text);
    let clean = text;
    for (const [secret, spellings] of this.#spellings) {
      // Most texts escape nothing, and of those a plain search is faster.
      clean = clean.replaceAll(isPlain ? secret : spellings, '[redacted]');
    }
    return clean;
  };
}

/** A key as it is, and as JSON, also as text within JSON, and a URL may write it: `/`, `\/`, `\u002f`, `%2F`. */
function spellingsOf(secret: string): RegExp {
  // A run of backslashes is one piece: taken one by one, of which each may be doubled, they would match in too many ways.
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
  // The plain one last: a percent sign begins its own escape.
  return `(?:\\\\{1,3}u00${digits}|%${digits}|${escaped})`;
}
