import type { Reply, Run } from '../call.ts';
import { requestName } from './coalesce.ts';

/** Limits of the cache. */
export interface EtagLimits {
  /** Answers that are kept. */
  readonly entries: number;
  /** Bytes of all their bodies and headers together. */
  readonly bytes: number;
}

/** Request headers of a caller that revalidates by itself, or wants a part only. */
const CONDITIONAL = /^(?:if-[a-z-]+|range|cache-control|pragma)$/i;

/** Headers that describe this response's own body or connection: a 304's must not overwrite the cached ones. */
const OF_THE_BODY = /^(?:content-(?!security)|transfer-encoding|connection|keep-alive)/;

/** Headers that describe the moment of a response: cached ones must not be returned as new. */
const OF_THE_MOMENT = /ratelimit|^(?:retry-after|age|date)$/;

/**
 * Caches answers that have an `ETag` and revalidates them. On a 304 the cached answer is returned with the headers, and so the
 * quota, of the 304. A 304 that names another `ETag` is about an answer that is not known here: the request is made anew.
 *
 * @param run - makes a GET whose body is wanted as bytes.
 * @param redact - takes the key out of a text: an answer that holds it is never kept.
 */
export function withEtagCache(run: Run, limits: EtagLimits, redact: (text: string) => string): Run {
  const kept = new ReplyCache(limits);
  const isSecret = (reply: Reply): boolean =>
    [...reply.headers.values(), new TextDecoder().decode(reply.bytes)].some((text) => redact(text) !== text);

  const ask: Run = async (call) => {
    const { request } = call;
    if (Object.keys(request.headers ?? {}).some((name) => CONDITIONAL.test(name))) return run(call);
    const name = requestName(request);
    const known = kept.get(name);
    const headers = { ...request.headers, ...(known && { 'if-none-match': known.headers.get('etag') ?? '' }) };
    const reply = await run({ ...call, request: { ...request, url: request.url, headers } });
    if (reply.status === 304 && known) {
      if (!isSame(known, reply)) {
        kept.drop(name);
        return ask(call);
      }
      const renewed = { ...known, headers: renewedHeaders(known, reply), quota: reply.quota };
      kept.put(name, renewed);
      return renewed;
    }
    if (isKeepable(reply) && !isSecret(reply)) kept.put(name, reply);
    else if (reply.status < 500) kept.drop(name);
    return reply;
  };
  return ask;
}

/** Whether a 304 is about this answer: it may leave the `ETag` out, or weaken it as gateways do that compress. */
function isSame(known: Reply, { headers: news }: Reply): boolean {
  const etagOf = (headers: Headers): string => (headers.get('etag') ?? '').replace(/^W\//, '');
  return !news.has('etag') || etagOf(news) === etagOf(known.headers);
}

/** A redirect is not kept: next time it may lead elsewhere. */
function isKeepable({ status, headers, isRedirected }: Reply): boolean {
  const isForbidden = /no-store/i.test(headers.get('cache-control') ?? '') || headers.get('vary') === '*';
  return status === 200 && headers.has('etag') && !isForbidden && !isRedirected;
}

function renewedHeaders(known: Reply, { headers: news }: Reply): Headers {
  const headers = new Headers(known.headers);
  for (const [name] of known.headers) if (!news.has(name) && OF_THE_MOMENT.test(name)) headers.delete(name);
  for (const [name, value] of news) if (!OF_THE_BODY.test(name)) headers.set(name, value);
  return headers;
}

/** Replies by name, the one that was used longest ago first. */
class ReplyCache {
  readonly #limits: EtagLimits;
  readonly #replies = new Map<string, { readonly reply: Reply; readonly size: number }>();
  #size = 0;

  constructor(limits: EtagLimits) {
    this.#limits = limits;
  }

  get(name: string): Reply | undefined {
    return this.#replies.get(name)?.reply;
  }

  put(name: string, reply: Reply): void {
    this.drop(name);
    const size = sizeOf(name, reply);
    if (size > this.#limits.bytes) return;
    this.#replies.set(name, { reply, size });
    this.#size += size;
    for (const oldest of this.#replies.keys()) {
      if (this.#size <= this.#limits.bytes && this.#replies.size <= this.#limits.entries) break;
      this.drop(oldest);
    }
  }

  drop(name: string): void {
    this.#size -= this.#replies.get(name)?.size ?? 0;
    this.#replies.delete(name);
  }
}

function sizeOf(name: string, { headers, bytes }: Reply): number {
  let size = name.length + (bytes?.byteLength ?? 0);
  for (const [header, value] of headers) size += header.length + value.length;
  return size;
}
