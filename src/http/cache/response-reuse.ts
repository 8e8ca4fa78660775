import type { Run } from '../call.ts';
import { coalesce } from './coalesce.ts';
import { type EtagLimits, withEtagCache } from './etag-cache.ts';

/** Options that save requests. */
export interface ResponseReuseOptions {
  readonly shareInFlight: boolean;
  readonly etags: EtagLimits | undefined;
  /** Takes the key out of a text. */
  readonly redact: (text: string) => string;
}

/**
 * Runs GETs through the ETag cache and request coalescing. Both need the whole body, so it is not streamed. A call with the cache
 * mode `no-store`, `no-cache` or `reload` always sends a request, and so does one with the option `integrity`: `fetch` verifies the body that it
 * received, which a 304 does not have.
 */
export function withResponseReuse(run: Run, { shareInFlight, etags, redact }: ResponseReuseOptions): Run {
  if (!shareInFlight && !etags) return run;
  const revalidated = etags ? withEtagCache(run, etags, redact) : run;
  const send = shareInFlight ? coalesce(revalidated) : revalidated;
  return async (call) => {
    const { method, init } = call.request;
    const isAnew = /no-|reload/.test(init?.cache ?? '') || init?.integrity;
    if (method !== 'GET' || call.wants === 'none' || isAnew) return run(call);
    const reply = await send({ ...call, wants: 'bytes' });
    if (call.wants !== 'text' || !reply.bytes) return reply;
    return { ...reply, text: new TextDecoder().decode(reply.bytes) };
  };
}
