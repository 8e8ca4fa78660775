import { styleText } from 'node:util';
import type { QuotaState } from 'stacks-quota';
import { barLine, cut, number, windowLine } from './bar.ts';

/** How far the work is. */
export interface Progress {
  readonly total: number;
  /** Calls that are over, well or not. */
  readonly done: number;
  readonly quota: QuotaState;
  /** How long it will take from now on, in milliseconds, if that can be reckoned. */
  readonly etaMs: number | undefined;
  /** Why nothing goes just now. */
  readonly why: string | undefined;
}

/** Where text can be written: standard output, or what a test takes for it. */
export interface Surface {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Shows how far the work is. */
export interface Screen {
  /** Every now and then. */
  show(progress: Progress): void;
  /** At the end, with the last word on it. */
  end(progress: Progress): void;
}

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';

/** A picture that is redrawn in place on a terminal, and a plain line for every tenth of the work elsewhere. */
export function screenOn(surface: Surface, isDumb: boolean = process.env.TERM === 'dumb'): Screen {
  return surface.isTTY && !isDumb ? pictureOn(surface) : linesOn(surface);
}

function pictureOn(surface: Surface): Screen {
  let height = 0;
  const draw = (progress: Progress): void => {
    // The last column is left free: a terminal may wrap after it.
    const lines = picture(progress, (surface.columns ?? 80) - 1);
    const home = height > 0 ? `\r\x1b[${height}A\x1b[J` : HIDE_CURSOR;
    surface.write(`${home}${lines.join('\n')}\n`);
    height = lines.length;
  };
  return {
    show: draw,
    end(progress) {
      draw(progress);
      surface.write(SHOW_CURSOR);
    },
  };
}

function linesOn(surface: Surface): Screen {
  let told = 0;
  return {
    show(progress) {
      const tenth = Math.floor((progress.done * 10) / progress.total);
      if (tenth === told) return;
      told = tenth;
      surface.write(`${sentence(progress)}\n`);
    },
    end() {},
  };
}

/** The progress as lines of at most so many columns. */
export function picture({ total, done, quota, etaMs, why }: Progress, columns: number): readonly string[] {
  const percent = `${Math.floor((done * 100) / total)} %`.padStart(5);
  const note = [`${done} of ${total}`, percent, ...eta(etaMs)].join('   ');
  const state = `${quota.inFlight} in flight, ${quota.waiting} waiting${why ? `: ${why}` : ''}`;
  return [
    barLine({ label: 'done'.padEnd(8), part: done / total, note, color: 'cyan' }, columns),
    ...quota.windows.map(({ window, limit, headroom }) => windowLine({ name: window, limit, left: headroom }, columns)),
    styleText('dim', cut(state, columns)),
  ];
}

/** The progress as one line of text. */
function sentence({ total, done, quota, etaMs }: Progress): string {
  const windows = quota.windows.map(({ window, limit, headroom }) => `${window} ${number(headroom)}/${number(limit)}`);
  return [`${done} of ${total}`, ...windows, ...eta(etaMs)].join(', ');
}

function eta(ms: number | undefined): string[] {
  if (ms === undefined || !Number.isFinite(ms)) return [];
  const seconds = Math.ceil(ms / 1_000);
  return [seconds < 120 ? `${seconds} s to go` : `${Math.ceil(seconds / 60)} min to go`];
}
