import { styleText } from 'node:util';

/** A line with a label, a bar and a note, no wider than `columns`. The bar is shortened first, then the note. */
export function barLine(line: { label: string; part: number; note: string; color: Color }, columns: number): string {
  const { label, part, note, color } = line;
  const width = Math.min(40, columns - label.length - note.length - 2);
  if (width < 6) return cut(`${label} ${note}`, columns);
  const filled = Math.round(Math.min(1, Math.max(0, part)) * width);
  return `${label} ${styleText(color, '█'.repeat(filled))}${styleText('dim', '░'.repeat(width - filled))} ${note}`;
}

export type Color = 'green' | 'yellow' | 'red' | 'cyan';

/** The remaining quota of a window as such a line. */
export function windowLine(window: { name: string; limit: number; left: number }, columns: number): string {
  const { name, limit, left } = window;
  const part = limit > 0 ? left / limit : 0;
  const note = `${number(left).padStart(number(limit).length)} of ${number(limit)} left`;
  return barLine({ label: name.padEnd(8), part, note, color: colorOf(part) }, columns);
}

function colorOf(part: number): Color {
  if (part > 0.5) return 'green';
  return part > 0.2 ? 'yellow' : 'red';
}

/** Truncates a text to one line of at most `columns`, between words where there are any. */
export function cut(text: string, columns: number): string {
  if (text.length <= columns) return text;
  const part = text.slice(0, Math.max(0, columns - 1));
  const end = text[part.length] === ' ' ? part.length : part.lastIndexOf(' ');
  return `${end > 0 ? part.slice(0, end) : part}…`;
}

/** Rounds down to whole units: a fraction of a unit cannot be used. */
export function number(value: number): string {
  return Math.floor(value).toLocaleString('en');
}
