import type { Overview, Received } from '../../overview.ts';
import type { drawBars } from './bars.ts';
import type { createDom } from './dom.ts';
import type { createFormat } from './format.ts';
import type { headlineOf } from './headline.ts';
import type { drawMonth } from './month.ts';
import type { sayMonth } from './month-words.ts';
import type { drawQueue } from './queue.ts';
import type { drawWindows } from './windows.ts';

/** The parts of the script. */
export interface Parts {
  readonly createDom: typeof createDom;
  readonly createFormat: typeof createFormat;
  readonly headlineOf: typeof headlineOf;
  readonly drawWindows: typeof drawWindows;
  readonly drawBars: typeof drawBars;
  readonly drawQueue: typeof drawQueue;
  readonly drawMonth: typeof drawMonth;
  readonly sayMonth: typeof sayMonth;
}

/** Follows the events of the proxy and shows each. This function runs in the page: it uses nothing from outside but its parts. */
export function watch({
  createDom,
  createFormat,
  headlineOf,
  drawWindows,
  drawBars,
  drawQueue,
  drawMonth,
  sayMonth,
}: Parts): void {
  const dom = createDom();
  const format = createFormat();
  const { get, say } = dom;
  const { count, time } = format;
  /** What is said aloud changes no more often than that. */
  const SPOKEN_EVERY_MS = 10_000;
  const CHARTS = [
    ['second', 'the last two minutes'],
    ['minute', 'the last 20 minutes'],
  ] as const;
  let isPaused = false;
  let latest: Received<Overview> | undefined;
  let spokenAt = -Infinity;

  const draw = (overview: Received<Overview>): void => {
    const { at, quota } = overview;
    const { title, reason } = headlineOf(format, overview);
    say('headline', title);
    say('reason', reason);
    // Said aloud: the kind of state, and its numbers only now and then.
    if (at - spokenAt >= SPOKEN_EVERY_MS) {
      spokenAt = at;
      say('spoken', quota.waiting > 0 || quota.cooldown ? `${title}. ${reason}` : 'Nothing waits.');
    }
    document.title = quota.waiting > 0 ? `${count(quota.waiting)} waiting – stacks-quota` : 'stacks-quota proxy';
    drawWindows(dom, format, quota.windows);
    for (const [stretch, span] of CHARTS) {
      const limit = quota.windows.find(({ window }) => window === stretch)?.limit;
      drawBars(dom, format, { stretch, stretches: overview[`${stretch}s`], limit, span });
    }
    drawQueue(dom, format, overview);
    drawMonth(dom, format, overview);
    sayMonth(dom, format, overview);
    say('updated', time(at));
    document.body.dataset.drawn = 'yes';
  };

  const show = (state: 'live' | 'paused' | 'lost', words: string): void => {
    get('live').dataset.state = state;
    say('live-words', words);
  };

  const events = new EventSource('/-/events');
  events.onmessage = ({ data }: MessageEvent<string>) => {
    latest = JSON.parse(data) as Received<Overview>;
    if (isPaused) return;
    show('live', 'Live');
    draw(latest);
  };
  events.onerror = () => {
    if (!isPaused) show('lost', 'The proxy does not answer; trying again');
  };

  const redraw = (): void => {
    if (latest) draw(latest);
  };
  // A table is filled as soon as it is opened. The event does not bubble.
  document.addEventListener('toggle', redraw, { capture: true });

  get('pause').addEventListener('click', () => {
    isPaused = !isPaused;
    say('pause', isPaused ? 'Continue' : 'Pause');
    if (isPaused) show('paused', 'Paused');
    else {
      show('live', 'Live');
      redraw();
    }
  });
}
