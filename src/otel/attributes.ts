import type { ClientEvent } from '../events.ts';
import type { Reason } from '../quota/admission.ts';

/** What a span or a measurement is told apart by. */
export type Attributes = Record<string, string | number | boolean>;

type Sent = ClientEvent & { readonly type: 'sent' };

/** Parameters of a query whose values open something (conventions for `url.full`). */
const SECRET = /^(awsaccesskeyid|signature|sig|x-(goog|amz)-signature|(api|access)?[-_]?(key|token)|secret|password)$/i;

/** What the conventions for HTTP clients have a request told apart by, be it a span or a measurement. */
export function requestFacts({ method, url, endpoint }: Sent): Attributes {
  const { hostname, port, protocol } = new URL(url);
  return {
    'http.request.method': method,
    'server.address': hostname.replace(/^\[|\]$/g, ''),
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    'url.scheme': protocol.slice(0, -1),
    // The endpoint is the method and the template.
    'url.template': endpoint.slice(endpoint.indexOf(' ') + 1),
  };
}

/** The URL without what opens something: no credentials, and no query parameter that is named like a key. */
export function fullUrl(text: string): string {
  const url = new URL(text);
  if (url.username) url.username = 'REDACTED';
  if (url.password) url.password = 'REDACTED';
  for (const name of url.searchParams.keys()) if (SECRET.test(name)) url.searchParams.set(name, 'REDACTED');
  return url.href;
}

/** What came of a request: its status, and the type of its error if it is one. */
export function outcomeFacts(event: ClientEvent & { readonly type: 'answered' | 'lost' }): Attributes {
  if (event.type === 'lost') return { 'error.type': event.code };
  const { status } = event;
  return { 'http.response.status_code': status, ...(status >= 400 && { 'error.type': String(status) }) };
}

/** What a wait was for. */
export function reasonFacts(reason: Reason | undefined): Attributes {
  const { kind, window } = reason ?? { kind: 'none' };
  return { 'stacks_quota.reason': kind, ...(window !== undefined && { 'stacks_quota.window': window }) };
}
