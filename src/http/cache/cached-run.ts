import type { Run } from '../call.ts';
import type { EtagLimits } from './etag-cache.ts';

/** Options that save requests. */
export interface ResponseReuseOptions {
  readonly shareInFlight: boolean;
  readonly etags: EtagLimits | undefined;
  /** Takes the key out of a text. */
  readonly redact: (text: string) => string;
}

/**
 * Runs GETs through the ETag cache and request coalescing. Both need the whole body, so it is not streamed. A call with the cache
 * mode `no-store`, `no-cache` or `reload` always sends a request.
 */
export function withResponseReuse(run: Run, { shareInFlight, etags, redact }: ResponseReuseOptions): Run {
  if (!shareInFlight && !etags) return run;
  // Loaded by the first call that needs it: most clients use neither option.
  const load = async (): Promise<Run> => {
    const revalidated = etags ? (await import('./etag-cache.ts')).withEtagCache(run, etags, redact) : run;
    return shareInFlight ? (await import('./coalesce.ts')).coalesce(revalidated) : revalidated;
  };
  let shared: Promise<Run> | undefined;
  return async (call) => {
    const { method, init } = call.request;
    const isAnew = /^(?:no-|reload)/.test(init?.cache ?? '');
    if (method !== 'GET' || call.wants === 'none' || isAnew) return run(call);
    shared ??= load();
    const send = await shared;
    const reply = await send({ ...call, wants: 'bytes' });
    if (call.wants !== 'text' || !reply.bytes) return reply;
    return { ...reply, text: new TextDecoder().decode(reply.bytes) };
  };
}
