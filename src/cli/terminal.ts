import { styleText } from 'node:util';
import type { Environment, Surface } from './environment.ts';

/** Capabilities of an output stream. */
export interface Terminal {
  readonly columns: number;
  readonly colours: boolean;
  /** Whether written lines can be overwritten. */
  readonly redraws: boolean;
  /** Whether the locale has UTF-8; else only ASCII is drawn. */
  readonly unicode: boolean;
}

export type Colour = 'green' | 'yellow' | 'red' | 'cyan' | 'dim' | 'bold';

/** Detects capabilities from a stream and the environment: `NO_COLOR` (https://no-color.org), `FORCE_COLOR`, `COLUMNS`, `TERM`. */
export function terminalOf(surface: Surface, env: Environment['env']): Terminal {
  const isAble = surface.isTTY && env.TERM !== 'dumb';
  const isForced = (env.FORCE_COLOR ?? '0') !== '0';
  return {
    // The last column is left free, because some terminals wrap after it.
    columns: surface.isTTY ? Math.max(1, (surface.columns || widthIn(env) || 80) - 1) : widthIn(env) || 80,
    colours: isForced || (isAble && !env.NO_COLOR),
    redraws: isAble,
    unicode: hasUtf8(env),
  };
}

/** Whether the locale of the user has UTF-8, by the first of its variables that is set, as in POSIX. Windows has no such variables. */
export function hasUtf8({ LC_ALL, LC_CTYPE, LANG }: Environment['env'], platform: string = process.platform): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG;
  return locale ? /utf-?8/i.test(locale) : platform === 'win32';
}

/** The text without the few characters beyond ASCII that messages have, where the locale does not have them. */
export function inLocale(text: string, unicode: boolean): string {
  return unicode ? text : text.replaceAll('…', '...').replaceAll('’', "'").replaceAll(/[“”]/g, '"');
}

/** Breaks a text into lines of at most `columns`, between words; a longer word has a line of its own. */
export function wrap(text: string, columns: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const indent = /^ */.exec(paragraph)?.[0] ?? '';
    const lines: string[] = [];
    let line = '';
    for (const word of paragraph.trim().split(' ')) {
      const longer = line === '' ? indent + word : `${line} ${word}`;
      if (line !== '' && longer.length > columns) {
        lines.push(line);
        line = indent + word;
      } else line = longer;
    }
    return [...lines, line];
  });
}

/** Colours a text, if colours are supported. */
export function paint(colour: Colour, text: string, { colours }: Terminal): string {
  return colours && text !== '' ? styleText(colour, text, { validateStream: false }) : text;
}

/** Truncates a text to one line that fits the terminal, between words where there are any. */
export function cut(text: string, { columns, unicode }: Terminal): string {
  if (text.length <= columns) return text;
  const mark = inLocale('…', unicode);
  const part = text.slice(0, Math.max(0, columns - mark.length));
  const end = text[part.length] === ' ' ? part.length : part.lastIndexOf(' ');
  return `${end > 0 ? part.slice(0, end).trimEnd() : part}${mark}`.slice(0, columns);
}

/** A sentence below bars: dim, or in another colour, and wrapped, because a line that the terminal wraps cannot be redrawn. */
export function remarkLines(text: string, terminal: Terminal, colour: Colour = 'dim'): string[] {
  return wrap(inLocale(text, terminal.unicode), terminal.columns).map((line) => paint(colour, line, terminal));
}

/** Draws lines over those drawn before. Requires {@link Terminal.redraws}. */
export class Picture {
  readonly #surface: Surface;
  #height = 0;

  constructor(surface: Surface) {
    this.#surface = surface;
  }

  /** Draws in one write, and clears only the rest of each line, to avoid flicker. */
  async draw(lines: readonly string[]): Promise<void> {
    const home = this.#height > 0 ? `\r\x1b[${this.#height}A` : '';
    this.#height = lines.length;
    await this.#surface.write(`${home}${lines.map((line) => `${line}\x1b[K\n`).join('')}\x1b[J`);
  }
}

function widthIn({ COLUMNS = '' }: Environment['env']): number {
  return /^[1-9]\d{0,3}$/.test(COLUMNS) ? Number(COLUMNS) : 0;
}
