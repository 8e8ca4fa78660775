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
 * Saves requests, or their bodies. Both are for GETs alone, and need the body whole: then it is not passed on as it comes.
 * A call with the cache mode `no-store`, `no-cache` or `reload` asks anew, whatever is under way or kept.
 */
export function withResponseReuse(run: Run, { shareInFlight, etags, redact }: ResponseReuseOptions): Run {
  if (!shareInFlight && !etags) return run;
  const revalidated = etags ? withEtagCache(run, etags, redact) : run;
  const shared = shareInFlight ? coalesce(revalidated) : revalidated;
  return async (call) => {
    const { method, init } = call.request;
    const isAnew = /^(?:no-|reload)/.test(init?.cache ?? '');
    if (method !== 'GET' || call.wants === 'none' || isAnew) return run(call);
    const reply = await shared({ ...call, wants: 'bytes' });
    if (call.wants !== 'text' || !reply.bytes) return reply;
    return { ...reply, text: new TextDecoder().decode(reply.bytes) };
  };
}
