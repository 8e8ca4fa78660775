import type { KnownFlags } from './flags.ts';
import { wrap } from './terminal.ts';

/** Columns of a page, so that it fits on the narrowest usual terminal. */
const COLUMNS = 78;

/** Widest column of flags; a longer flag has its text on the next line. */
const WIDEST_FLAG = 26;

/** A command's help. */
export interface HelpPage {
  /** How to call it, without `stacks-quota`: `['assets ADDRESS... [flags]']`. */
  readonly usage: readonly string[];
  /** What it does. Paragraphs are separated by empty lines. */
  readonly about: string;
  readonly flags: KnownFlags;
  /** Words that may be given as arguments, for shells to complete. */
  readonly words?: readonly string[];
  /** Whole command lines. */
  readonly examples: readonly string[];
  /** What its exit codes mean, where it has more than 0 and 2. */
  readonly exits: readonly (readonly [code: string, meaning: string])[];
}

/** A titled table of two columns. */
export type Section = readonly [title: string, rows: readonly (readonly [string, string])[]];

/** The page as text. */
export function helpText({ usage, about, flags, examples, exits }: HelpPage): string {
  const [first = '', ...others] = usage.map((line) => `stacks-quota ${line}`);
  const lines = [`Usage: ${first}`, ...others.map((line) => `       ${line}`)];
  return [
    lines.join('\n'),
    paragraphs(about),
    section(['Flags', flagRows(flags)]),
    verbatim('Examples', examples),
    section(['Exit codes', exits]),
  ].join('\n\n');
}

/** Text in paragraphs, wrapped. */
export function paragraphs(text: string): string {
  return text
    .split('\n\n')
    .map((paragraph) => wrap(paragraph.replaceAll('\n', ' '), COLUMNS).join('\n'))
    .join('\n\n');
}

/** A titled table, its second column wrapped. */
export function section([title, rows]: Section): string {
  const widths = rows.map(([name]) => name.length).filter((width) => width <= WIDEST_FLAG);
  const width = Math.max(0, ...widths);
  const indent = ' '.repeat(width + 4);
  const lines = rows.flatMap(([name, text]) => {
    const [first = '', ...rest] = wrap(text, COLUMNS - indent.length);
    const below = rest.map((line) => indent + line);
    if (name.length > width) return [`  ${name}`, indent + first, ...below];
    return [`  ${name.padEnd(width)}  ${first}`, ...below];
  });
  return [`${title}:`, ...lines].join('\n');
}

/** Titled lines that are not to be wrapped, such as commands. */
export function verbatim(title: string, lines: readonly string[]): string {
  return [`${title}:`, ...lines.map((line) => `  ${line}`)].join('\n');
}

function flagRows(flags: KnownFlags): (readonly [string, string])[] {
  const rows = Object.entries(flags).map(([name, { short, value, about, fallback }]) => {
    const letter = short ? `-${short}, ` : '    ';
    const given = value === undefined ? '' : ` ${value}`;
    return [`${letter}--${name}${given}`, fallback === undefined ? about : `${about} (default: ${fallback})`] as const;
  });
  return [...rows, ['-h, --help', 'this page'] as const];
}
