import type { Reply } from '../http/call.ts';
import { redactedHeaders } from '../http/redaction.ts';

/** Statuses of responses without a body. */
const BODYLESS: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

/** The response as `fetch` would return it, with an echoed key removed. */
export function responseFrom(reply: Reply, redact: (text: string) => string): Response {
  const { status, statusText, text, bytes, stream, url, isRedirected } = reply;
  const encoded = text === '' ? null : new TextEncoder().encode(text);
  const body = BODYLESS.has(status) ? null : (stream ?? bytes ?? encoded);
  // `new Response` rejects statuses outside 200 to 599, which services do send.
  const isUsual = status >= 200 && status <= 599;
  // It also rejects a `statusText` with characters above U+00FF, which HTTP cannot send.
  const reason = /[^\x20-\xff]/.test(statusText) ? '' : redact(statusText);
  const response = new Response(body, {
    status: isUsual ? status : 200,
    statusText: reason,
    headers: redactedHeaders(reply.headers, redact),
  });
  // A redacted text may have another length.
  if (encoded && response.headers.has('content-length'))
    response.headers.set('content-length', String(encoded.byteLength));
  return withFetchFields(response, {
    url: { value: url },
    redirected: { value: isRedirected },
    ...(isUsual ? {} : { status: { value: status }, ok: { value: false } }),
  });
}

/** Whether {@link responseFrom} made it: only that gives a response such a field of its own. */
export const isOfClient = (response: Response): boolean => Object.hasOwn(response, 'url');

/** Adds what only `fetch` can set (`url`, `redirected`), on clones too. */
function withFetchFields(response: Response, facts: PropertyDescriptorMap): Response {
  const clone = (): Response => withFetchFields(Response.prototype.clone.call(response), facts);
  return Object.defineProperties(response, { ...facts, clone: { value: clone } });
}
