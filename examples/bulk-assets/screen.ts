import { styleText } from 'node:util';
import type { QuotaState } from 'stacks-quota';
import { barLine, cut, number, windowLine } from './bar.ts';

/** Progress of the job. */
export interface Progress {
  readonly total: number;
  /** Calls that have ended, successfully or not. */
  readonly done: number;
  /** Requests that the service refused because of a limit. */
  readonly limited: number;
  readonly quota: QuotaState;
  /** Estimated time for the rest in milliseconds, if known. */
  readonly etaMs: number | undefined;
  /** Why nothing can be sent now. */
  readonly why: string | undefined;
}

/** A stream for text: standard output, or its replacement in a test. */
export interface Surface {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Shows the progress. */
export interface Screen {
  /** Called at intervals. */
  show(progress: Progress): void;
  /** Shows the final state. */
  end(progress: Progress): void;
}

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';

/** Creates a display that is redrawn in place on a terminal; elsewhere it prints a line for each tenth of the work. */
export function screenOn(surface: Surface, isDumb: boolean = process.env.TERM === 'dumb'): Screen {
  return surface.isTTY && !isDumb ? pictureOn(surface) : linesOn(surface);
}

function pictureOn(surface: Surface): Screen {
  let height = 0;
  const draw = (progress: Progress): void => {
    // The last column is left free, because some terminals wrap after it.
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

/** The progress as lines of at most `columns`. */
export function picture({ total, done, limited, quota, etaMs, why }: Progress, columns: number): readonly string[] {
  const percent = `${Math.floor((done * 100) / total)} %`.padStart(5);
  const note = [`${done} of ${total}`, percent, ...eta(etaMs)].join('   ');
  const state = `${quota.inFlight} in flight, ${limited} refused, ${quota.waiting} waiting${why ? `: ${why}` : ''}`;
  return [
    barLine({ label: 'done'.padEnd(8), part: done / total, note, color: 'cyan' }, columns),
    ...quota.windows.map(({ window, limit, headroom }) => windowLine({ name: window, limit, left: headroom }, columns)),
    styleText('dim', cut(state, columns)),
  ];
}

/** The progress as one line of text. */
function sentence({ total, done, limited, quota, etaMs }: Progress): string {
  const windows = quota.windows.map(({ window, limit, headroom }) => `${window} ${number(headroom)}/${number(limit)}`);
  return [`${done} of ${total}`, `${limited} refused`, ...windows, ...eta(etaMs)].join(', ');
}

function eta(ms: number | undefined): string[] {
  if (ms === undefined || !Number.isFinite(ms)) return [];
  const seconds = Math.ceil(ms / 1_000);
  return [seconds < 120 ? `${seconds} s to go` : `${Math.ceil(seconds / 60)} min to go`];
}
