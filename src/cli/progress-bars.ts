import { type Colour, cut, paint, type Terminal } from './terminal.ts';

/** A line with a bar in it. */
export interface Bar {
  readonly label: string;
  /** Filled part of the bar, from 0 to 1. */
  readonly part: number;
  readonly note: string;
  /** Text that is omitted on a narrow terminal. */
  readonly remark?: string | undefined;
  readonly colour: Colour;
}

const WIDEST = 40;
const NARROWEST = 6;

/**
 * Aligns bars below each other, within the columns of the terminal. If it is narrow, bars are shortened first, then remarks are
 * omitted, then notes truncated.
 */
export function barLines(bars: readonly Bar[], terminal: Terminal): string[] {
  const labels = longest(bars.map(({ label }) => label));
  const notes = longest(bars.map(({ note }) => note));
  const remarks = longest(bars.map(({ remark = '' }) => remark));
  const hasRemarks = remarks > 0 && labels + 1 + notes + 2 + remarks <= terminal.columns;
  const width = Math.min(WIDEST, terminal.columns - labels - notes - 2 - (hasRemarks ? remarks + 2 : 0));
  return bars.map(({ label, part, note, remark = '', colour }) => {
    const said = hasRemarks && remark !== '' ? `${note.padEnd(notes)}  ${remark}` : note;
    if (width < NARROWEST) return cut(`${label.padEnd(labels)} ${said}`, terminal);
    const filled = filledOf(part, width);
    const [full, empty] = terminal.unicode ? ['█', '░'] : ['#', '.'];
    const bar = paint(colour, full.repeat(filled), terminal) + paint('dim', empty.repeat(width - filled), terminal);
    return `${label.padEnd(labels)} ${bar} ${said}`;
  });
}

function longest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(({ length }) => length));
}

/** A bar is empty only at 0, and full only at 1. */
function filledOf(part: number, width: number): number {
  if (part <= 0) return 0;
  return part >= 1 ? width : Math.min(width - 1, Math.max(1, Math.round(part * width)));
}

/** The remaining quota of a window. */
export interface WindowLeft {
  readonly window: string;
  readonly limit: number;
  readonly left: number;
  /** Additional text. */
  readonly remark?: string | undefined;
}

/** Formats windows as bars with aligned numbers. */
export function windowBars(windows: readonly WindowLeft[]): Bar[] {
  const lefts = longest(windows.map(({ left }) => number(left)));
  return windows.map(({ window, limit, left, remark }) => {
    const part = limit > 0 ? left / limit : 0;
    return {
      label: window,
      part,
      note: `${number(left).padStart(lefts)} of ${number(limit)} left`,
      remark,
      colour: colourOf(part),
    };
  });
}

function colourOf(part: number): Colour {
  if (part > 0.5) return 'green';
  return part > 0.2 ? 'yellow' : 'red';
}

/** Formats a number: `149,876`. */
export function number(value: number): string {
  return value.toLocaleString('en');
}

/** Formats a number with a noun: `1 unit`, `2 units`. */
export function count(amount: number, noun: string): string {
  return `${number(amount)} ${amount === 1 ? noun : `${noun}s`}`;
}
