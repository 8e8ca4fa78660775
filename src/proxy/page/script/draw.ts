import type { Overview, Received } from '../../overview.ts';
import type { drawBars } from './bars.ts';
import type { Dom } from './dom.ts';
import type { createFormat } from './format.ts';
import type { headlineOf } from './headline.ts';
import type { drawMonth } from './month.ts';
import type { sayMonth } from './month-words.ts';
import type { drawQueue } from './queue.ts';
import type { drawWindows } from './windows.ts';

/** What the page is drawn by. */
export interface DrawParts {
  readonly createFormat: typeof createFormat;
  readonly headlineOf: typeof headlineOf;
  readonly drawWindows: typeof drawWindows;
  readonly drawBars: typeof drawBars;
  readonly drawQueue: typeof drawQueue;
  readonly drawMonth: typeof drawMonth;
  readonly sayMonth: typeof sayMonth;
}

/** Creates a function that shows an overview. This function runs in the page: it uses nothing from outside but its parts. */
export function createDraw(dom: Dom, parts: DrawParts): (overview: Received<Overview>) => void {
  /** What is said aloud changes no more often than that. */
  const SPOKEN_EVERY_MS = 10_000;
  const CHARTS = [
    ['second', 'the last two minutes'],
    ['minute', 'the last 20 minutes'],
  ] as const;
  const { say } = dom;
  const format = parts.createFormat();
  let spokenAt = -Infinity;
  return (overview) => {
    const { at, quota } = overview;
    const { waiting, cooldown, windows } = quota;
    const { title, reason } = parts.headlineOf(format, overview);
    say('headline', title);
    say('reason', reason);
    // Said aloud: the kind of state, and its numbers only now and then.
    if (at - spokenAt >= SPOKEN_EVERY_MS) {
      spokenAt = at;
      say('spoken', waiting > 0 || cooldown ? `${title}. ${reason}` : 'Nothing waits.');
    }
    document.title = waiting > 0 ? `${format.count(waiting)} waiting – stacks-quota` : 'stacks-quota proxy';
    parts.drawWindows(dom, format, windows);
    for (const [stretch, span] of CHARTS) {
      const limit = windows.find(({ window }) => window === stretch)?.limit;
      parts.drawBars(dom, format, { stretch, stretches: overview[`${stretch}s`], limit, span });
    }
    parts.drawQueue(dom, format, overview);
    parts.drawMonth(dom, format, overview);
    parts.sayMonth(dom, format, overview);
    say('updated', format.time(at));
    document.body.dataset.drawn = 'yes';
  };
}
