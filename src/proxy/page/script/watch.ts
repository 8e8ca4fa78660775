import type { Overview, Received } from '../../overview.ts';
import type { drawBars } from './bars.ts';
import type { createDom } from './dom.ts';
import type { createFormat } from './format.ts';
import type { drawMonth } from './month.ts';
import type { drawQueue } from './queue.ts';
import type { drawWindows } from './windows.ts';

/** The parts of the script. */
export interface Parts {
  readonly createDom: typeof createDom;
  readonly createFormat: typeof createFormat;
  readonly drawWindows: typeof drawWindows;
  readonly drawBars: typeof drawBars;
  readonly drawQueue: typeof drawQueue;
  readonly drawMonth: typeof drawMonth;
}

/** Follows the events of the proxy and shows each. This function runs in the page: it uses nothing from outside but its parts. */
export function watch({ createDom, createFormat, drawWindows, drawBars, drawQueue, drawMonth }: Parts): void {
  const dom = createDom();
  const format = createFormat();
  const { get, say } = dom;
  const { count, plural, span, time, sentence } = format;
  /** What is said aloud changes no more often than that. */
  const SPOKEN_EVERY_MS = 10_000;
  let isPaused = false;
  let latest: Received<Overview> | undefined;
  let spokenAt = Number.NEGATIVE_INFINITY;

  const headline = ({ quota, queue, at, newCallMs }: Received<Overview>): [headline: string, reason: string] => {
    const { waiting, inFlight, windows, cooldown } = quota;
    const under = inFlight === 0 ? '' : ` ${plural(inFlight, 'request is', 'requests are')} under way.`;
    const next = newCallMs === null ? '' : ` A new call would take about ${span(newCallMs)}.`;
    if (cooldown) {
      const left = Date.parse(cooldown.until) - at;
      return [
        `Paused for ${span(left)}`,
        `${sentence(cooldown.why)} ${waiting === 0 ? 'No call waits' : `${plural(waiting, 'call waits', 'calls wait')}`}.`,
      ];
    }
    if (waiting > 0) {
      const [first] = queue;
      return [
        plural(waiting, 'call waits', 'calls wait'),
        `${sentence(first?.reason?.why ?? first?.why ?? 'the queue is moving')}${next}${under}`,
      ];
    }
    if (windows.length === 0) return ['Ready', 'Nothing was sent yet: the limits are learned from the first answer.'];
    return [
      'Nothing waits',
      inFlight === 0 ? 'A request would be sent at once.' : `Requests are sent at once.${under}`,
    ];
  };

  const limitOf = ({ quota }: Received<Overview>, name: string): number | undefined =>
    quota.windows.find(({ window }) => window === name)?.limit;

  const draw = (overview: Received<Overview>): void => {
    const { at, quota, queue, month, monthTrail, seconds, minutes } = overview;
    const [title, reason] = headline(overview);
    say('headline', title);
    say('reason', reason);
    // Said aloud: the kind of state, and its numbers only now and then.
    if (at - spokenAt >= SPOKEN_EVERY_MS) {
      spokenAt = at;
      say('spoken', quota.waiting > 0 || quota.cooldown ? `${title}. ${reason}` : 'Nothing waits.');
    }
    document.title = quota.waiting > 0 ? `${count(quota.waiting)} waiting – stacks-quota` : 'stacks-quota proxy';
    drawWindows(dom, format, quota.windows);
    drawBars(dom, format, {
      id: 'seconds',
      stretch: 'second',
      stretches: seconds,
      limit: limitOf(overview, 'second'),
      span: 'the last two minutes',
    });
    drawBars(dom, format, {
      id: 'minutes',
      stretch: 'minute',
      stretches: minutes,
      limit: limitOf(overview, 'minute'),
      span: 'the last 20 minutes',
    });
    drawQueue(dom, format, queue, quota.waiting, at);
    drawMonth(dom, format, month, monthTrail, at);
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

  // A table is filled as soon as it is opened. The event does not bubble.
  const onToggle = (): void => {
    if (latest) draw(latest);
  };
  document.addEventListener('toggle', onToggle, { capture: true });

  get('pause').addEventListener('click', () => {
    isPaused = !isPaused;
    say('pause', isPaused ? 'Continue' : 'Pause');
    if (isPaused) show('paused', 'Paused');
    else {
      show('live', 'Live');
      if (latest) draw(latest);
    }
  });
}
