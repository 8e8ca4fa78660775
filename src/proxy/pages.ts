import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FetchClient } from '../client/client.ts';
import type { Clock } from '../clock.ts';
import { METRICS_TYPE, metricsOf } from '../prometheus/metrics.ts';
import { EventStream } from './event-stream.ts';
import { History } from './history.ts';
import { overviewOf } from './overview.ts';
import { htmlDocument } from './page/document.ts';
import { Problem } from './problem.ts';

/** Answers a GET or a HEAD. */
export type OwnPage = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** What the proxy says of itself. */
export interface OwnPages {
  /**
   * The page at a path; undefined for a path of the service.
   *
   * @throws Problem for a path of the proxy without a page, or another method than GET and HEAD.
   */
  readonly find: (path: string, method?: string) => OwnPage | undefined;
  /** Ends a response, if it is a stream of events, which would go on for ever. */
  readonly end: (outgoing: ServerResponse) => void;
}

/** Headers of every page. */
const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

/** Creates the pages below `/-/`. */
export function createPages(client: FetchClient, clock: Clock): OwnPages {
  const history = new History();
  client.subscribe((event) => {
    history.record(event);
    if (event.type === 'answered') history.keepMonth(() => client.month(), event.at.getTime());
  });
  const metrics = metricsOf(client);
  const events = new EventStream(clock, {
    revision: () => history.revision,
    text: () => JSON.stringify(overviewOf(client, history, clock)),
  });

  const pages: Readonly<Record<string, OwnPage>> = {
    '/-/': (_, outgoing) => {
      const { html, headers } = htmlDocument();
      answer(outgoing, 'text/html; charset=utf-8', html, headers);
    },
    '/-/quota': (_, outgoing) => json(outgoing, { ...client.quota(), month: client.month() ?? null }),
    '/-/queue': (incoming, outgoing) => {
      const calls = client.queue(queueOptions(incoming));
      json(outgoing, { waiting: client.waiting, calls });
    },
    '/-/metrics': (_, outgoing) => answer(outgoing, METRICS_TYPE, metrics()),
    '/-/healthz': (_, outgoing) => json(outgoing, { status: 'ok' }),
    '/-/events': ({ method }, outgoing) => {
      // An `EventSource` asks again when the proxy closes, and must find its connection closed, because it stops asking after a 503.
      outgoing.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', connection: 'close', ...HEADERS });
      if (method === 'HEAD') outgoing.end();
      else events.open(outgoing);
    },
    // Relative, as the links of the page are: a server of the user's own may have the proxy below a path.
    '/-': (_, outgoing) => void outgoing.writeHead(308, { location: './-/', ...HEADERS }).end(),
    // Browsers ask for it by themselves, which must not use quota.
    '/favicon.ico': (_, outgoing) => void outgoing.writeHead(204, HEADERS).end(),
  };

  return {
    find: (path, method = 'GET') => {
      const [place = ''] = path.split('?');
      const page = Object.hasOwn(pages, place) ? pages[place] : undefined;
      if (page && method !== 'GET' && method !== 'HEAD')
        throw new Problem(405, 'method', 'Only GET and HEAD are supported here.', { allow: 'GET, HEAD' });
      if (page || !place.startsWith('/-/')) return page;
      throw new Problem(404, 'path', 'There are /-/, /-/quota, /-/queue, /-/metrics, /-/healthz and /-/events.');
    },
    end: (outgoing) => events.end(outgoing),
  };
}

function queueOptions({ url = '' }: IncomingMessage): { limit?: number } {
  const limit = new URL(url, 'http://localhost').searchParams.get('limit');
  if (limit === null) return {};
  if (/^[1-9]\d{0,5}$/.test(limit)) return { limit: Number(limit) };
  throw new Problem(400, 'request', 'limit must be a whole number from 1 to 999999.');
}

function json(outgoing: ServerResponse, value: unknown): void {
  answer(outgoing, 'application/json; charset=utf-8', `${JSON.stringify(value)}\n`);
}

function answer(outgoing: ServerResponse, type: string, text: string, headers: Record<string, string> = {}): void {
  outgoing.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(text), ...HEADERS, ...headers });
  // Node leaves the body out where the request was a HEAD.
  outgoing.end(text);
}
