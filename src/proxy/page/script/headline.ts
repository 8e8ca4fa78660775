import type { Overview, Received } from '../../overview.ts';
import type { Format } from './format.ts';

/** The state of the proxy in a few words, and why it is so. */
export interface Headline {
  readonly title: string;
  readonly reason: string;
}

/** Says whether the proxy waits, and for what. This function runs in the page: it uses nothing from outside. */
export function headlineOf(
  { plural, span, sentence }: Format,
  { quota, queue, at, newCallMs }: Received<Overview>,
): Headline {
  const { waiting, inFlight, windows, cooldown } = quota;
  const waits = plural(waiting, 'call waits', 'calls wait');
  const under = inFlight === 0 ? '' : ` ${plural(inFlight, 'request is', 'requests are')} under way.`;
  if (cooldown) {
    const left = span(Date.parse(cooldown.until) - at);
    return {
      title: `Paused for ${left}`,
      reason: `${sentence(cooldown.why)} ${waiting === 0 ? 'No call waits' : waits}.`,
    };
  }
  if (waiting > 0) {
    const [first] = queue;
    const why = sentence(first?.reason?.why ?? first?.why ?? 'the queue is moving');
    const next = newCallMs === null ? '' : ` A new call would take about ${span(newCallMs)}.`;
    return { title: waits, reason: `${why}${next}${under}` };
  }
  if (windows.length === 0)
    return { title: 'Ready', reason: 'Nothing was sent yet: the limits are learned from the first answer.' };
  const reason = inFlight === 0 ? 'A request would be sent at once.' : `Requests are sent at once.${under}`;
  return { title: 'Nothing waits', reason };
}
