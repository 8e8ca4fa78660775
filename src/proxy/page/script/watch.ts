import type { Overview, Received } from '../../overview.ts';
import type { createDom } from './dom.ts';
import type { createDraw, DrawParts } from './draw.ts';

/** The parts of the script. */
export interface Parts extends DrawParts {
  readonly createDom: typeof createDom;
  readonly createDraw: typeof createDraw;
}

/** Follows the events of the proxy and shows each. This function runs in the page: it uses nothing from outside but its parts. */
export function watch(parts: Parts): void {
  const dom = parts.createDom();
  const draw = parts.createDraw(dom, parts);
  const { get, say } = dom;
  let isPaused = false;
  let latest: Received<Overview> | undefined;

  const show = (state: 'live' | 'paused' | 'lost', words: string): void => {
    get('live').dataset.state = state;
    say('live-words', words);
  };
  const redraw = (): void => {
    if (latest) draw(latest);
  };
  const goLive = (): void => {
    show('live', 'Live');
    redraw();
  };

  const follow = (): void => {
    const events = new EventSource('events');
    events.onmessage = ({ data }: MessageEvent<string>) => {
      latest = JSON.parse(data) as Received<Overview>;
      if (!isPaused) goLive();
    };
    events.onerror = () => {
      if (!isPaused) show('lost', 'The proxy does not answer; trying again');
      // After an answer such as a 503 it does not ask again by itself.
      if (events.readyState === EventSource.CLOSED) setTimeout(follow, 3_000);
    };
  };
  follow();

  // A table is filled as soon as it is opened. The event does not bubble.
  document.addEventListener('toggle', redraw, { capture: true });

  get('pause').addEventListener('click', () => {
    isPaused = !isPaused;
    say('pause', isPaused ? 'Continue' : 'Pause');
    if (isPaused) show('paused', 'Paused');
    else goLive();
  });
}
