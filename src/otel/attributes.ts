import type { ClientEvent } from '../events.ts';
import type { Reason } from '../quota/admission.ts';

/** Attributes of a span or a measurement. */
export type Attributes = Record<string, string | number | boolean>;

type Sent = ClientEvent & { readonly type: 'sent' };

/** Query parameters whose values are secrets (conventions for `url.full`). */
const SECRET = /^(awsaccesskeyid|signature|sig|x-(goog|amz)-signature|(api|access)?[-_]?(key|token)|secret|password)$/i;

/** Attributes of a request by the conventions for HTTP clients, for spans and measurements. */
export function requestFacts({ method, url, endpoint }: Sent): Attributes {
  const { hostname, port, protocol } = new URL(url);
  return {
    'http.request.method': method,
    'server.address': hostname.replace(/^\[|\]$/g, ''),
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    'url.scheme': protocol.slice(0, -1),
    // The name of an endpoint is its method and its URL template.
    'url.template': endpoint.slice(endpoint.indexOf(' ') + 1),
  };
}

/** The URL without secrets: credentials and query parameters named like a key are replaced by `REDACTED`. */
export function fullUrl(text: string): string {
  const url = new URL(text);
  if (url.username) url.username = 'REDACTED';
  if (url.password) url.password = 'REDACTED';
  for (const name of url.searchParams.keys()) if (SECRET.test(name)) url.searchParams.set(name, 'REDACTED');
  return url.href;
}

/** Attributes of a response: its status, and the error type if it is an error. */
export function outcomeFacts(event: ClientEvent & { readonly type: 'answered' | 'lost' }): Attributes {
  if (event.type === 'lost') return { 'error.type': event.code };
  const { status } = event;
  return { 'http.response.status_code': status, ...(status >= 400 && { 'error.type': String(status) }) };
}

/** Attributes of a wait: its reason and window. */
export function reasonFacts(reason: Reason | undefined): Attributes {
  const { kind, window } = reason ?? { kind: 'none' };
  return { 'stacks_quota.reason': kind, ...(window !== undefined && { 'stacks_quota.window': window }) };
}
