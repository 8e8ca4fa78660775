import { styleText } from 'node:util';
import type { Environment, Surface } from './environment.ts';

/** Capabilities of an output stream. */
export interface Terminal {
  readonly columns: number;
  readonly colours: boolean;
  /** Whether written lines can be overwritten. */
  readonly redraws: boolean;
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
  };
}

/** Colours a text, if colours are supported. */
export function paint(colour: Colour, text: string, { colours }: Terminal): string {
  return colours && text !== '' ? styleText(colour, text, { validateStream: false }) : text;
}

/** Truncates a text to one line of at most `columns`. */
export function cut(text: string, columns: number): string {
  return text.length > columns ? `${text.slice(0, Math.max(0, columns - 1))}…` : text;
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
