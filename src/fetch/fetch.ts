import { ConfigError } from '../errors.ts';
import { joinBytes } from '../http/bytes.ts';
import type { Outgoing, Reply, Run } from '../http/call.ts';
import { untilAborted } from '../http/cancellation.ts';
import { cancel, drained } from '../http/read-body.ts';
import { isPaced } from '../http/transport.ts';
import { boundsOf, type CallBounds } from '../options/client-options.ts';
import type { EndpointNames } from './endpoint-name.ts';
import { checkFetchOptions, type FetchOptions } from './options.ts';
import { checkedInit, type FetchInput, outgoing, requestFrom, resolveUrl, signalOf, simpleFrom } from './request.ts';
import { responseFrom } from './response.ts';

type Fetch = typeof globalThis.fetch;

/** Dependencies of `client.fetch`. */
export interface CreateFetchOptions extends CallBounds {
  readonly baseUrl: string;
  readonly run: Run;
  /** See {@link Scheduler.announce}. */
  readonly announce: () => () => void;
  /** See {@link Scheduler.closed}. */
  readonly closed: AbortSignal;
  readonly names: EndpointNames;
  /** Removes the key from a text. */
  readonly redact: (text: string) => string;
}

/** Keeps a caller's Request alive as long as the body that its signal may abort: the signal of a collected Request does not fire. */
const inputOf = new WeakMap<ReadableStream, FetchInput>();

/** Creates `client.fetchWith`, which returns functions with the signature of `fetch`. Their requests share the client's queue. */
export function createFetch(dependencies: CreateFetchOptions): (options?: FetchOptions) => Fetch {
  const { run, names, baseUrl, redact } = dependencies;
  // Later, a function that is made here may be in its place.
  const { fetch } = globalThis;
  const base = new URL(baseUrl);
  const basePath = base.pathname.replace(/\/$/, '');

  return (options = {}) => {
    const { elsewhere, priority = 0, cost, streamBody = false, maskKey, ...ownBounds } = checkFetchOptions(options);
    const { maxWaitMs, maxQueueMs, timeoutMs } = boundsOf(ownBounds, dependencies);
    return async (input, given) => {
      const init = checkedInit(given);
      if (isPaced(input, init)) return fetch(input, init);
      const url = resolveUrl(input, baseUrl);
      if (!isUnder(url, base.origin, basePath)) {
        if (elsewhere) return elsewhere(input, init);
        throw elsewhereError(url, baseUrl);
      }
      const request = simpleFrom(input, init) ?? requestFrom(input, url, init);
      const signal = signalOf(input, init);
      signal?.throwIfAborted();
      const makeCall = (body: Outgoing['body'], isAnnounced?: true): Promise<Reply> =>
        run({
          request: outgoing(request, url, init, body),
          ask: {
            endpoint: names.of(request.method, url.pathname.slice(basePath.length)),
            query: url.search.slice(1),
            cost,
            priority,
            maxWaitMs,
            isOneShot: streamBody && body !== undefined,
          },
          signal,
          maxQueueMs,
          timeoutMs,
          wants: 'stream',
          redirect: request.redirect,
          takesRefusals: true,
          masksKey: maskKey,
          isAnnounced,
        });
      const isRead = request.body !== null && !streamBody;
      let reply: Reply;
      try {
        reply = await (isRead
          ? withBody(request as Request, signal, dependencies, (body) => makeCall(body, true))
          : makeCall(request.body ?? undefined));
      } catch (error) {
        // As `fetch` does: a stream of the caller's may hold a file.
        void cancel(request.body, error);
        throw error;
      }
      if (reply.stream) inputOf.set(reply.stream, input);
      return responseFrom(reply, redact);
    };
  };
}

function isUnder(url: URL | undefined, origin: string, basePath: string): url is URL {
  if (url?.origin !== origin || url.username || url.password) return false;
  return url.pathname === basePath || url.pathname.startsWith(`${basePath}/`);
}

/** The message shows only the origins of both URLs: the rest may contain a secret. */
function elsewhereError(url: URL | undefined, baseUrl: string): ConfigError {
  if (!url) return new ConfigError('input', 'must be a valid URL or a path such as /extended/v1/info');
  if (url.username || url.password) return new ConfigError('input', 'must not have a user name or a password');
  const { origin } = new URL(baseUrl);
  const where = url.origin === 'null' ? url.protocol : url.origin;
  const problem =
    where === origin
      ? `goes to another path of ${origin} than this client’s base URL`
      : `goes to ${where}, but this client is for ${origin}`;
  const advice =
    'use the same base URL for both, or pass a function for other URLs: client.fetchWith({ elsewhere: fetch })';
  return new ConfigError('input', `${problem}: ${advice}`);
}

/** Reads the body into memory, so that it can be sent again, and makes the call with it. The scheduler knows of the call meanwhile. */
async function withBody(
  request: Request,
  signal: AbortSignal | undefined,
  { announce, closed }: Pick<CreateFetchOptions, 'announce' | 'closed'>,
  makeCall: (body: BufferSource) => Promise<Reply>,
): Promise<Reply> {
  const arrive = announce();
  // Not `arrayBuffer`, which reads on after an abort, for ever if the stream does not end. But not every runtime has `body`.
  const reader = request.body?.getReader();
  const whole = (): Promise<BufferSource> => (reader ? drained(reader).then(joinBytes) : request.arrayBuffer());
  let reply: Promise<Reply>;
  try {
    reply = makeCall(await untilAborted(() => untilAborted(whole, closed), signal));
  } catch (error) {
    void cancel(reader, error);
    throw error;
  } finally {
    arrive();
  }
  return reply;
}
