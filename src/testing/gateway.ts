import { rule } from './decision.ts';
import { gatewayHeaders, httpDate } from './headers.ts';
import type { Identities, Identity } from './identities.ts';
import type { ServiceSettings } from './options.ts';
import { type HeaderLines, json, type Page } from './page.ts';
import { endpointOf, pageAt, type ServiceEndpoint, type ServiceRequest } from './routes.ts';

/** The response of the service to one request. */
export interface ServiceAnswer {
  readonly status: number;
  /** All header lines, names in lower case. */
  readonly headers: HeaderLines;
  /** Returns the body; empty for HEAD. */
  readonly body: () => string;
  /** How the body is sent: whole, cut half-way by a broken connection, or in pieces over some seconds. */
  readonly delivery: 'whole' | 'truncated' | 'slow';
  readonly endpoint: ServiceEndpoint;
  readonly tier: 'keyed' | 'keyless';
  /** Whether a limit refused the request. */
  readonly limited: boolean;
  /** Cost of the request in units, whether it was charged or not. */
  readonly cost: number;
  /** Must be called when the response is sent: with `charge: 'after'` usage is booked then. */
  readonly leave: () => void;
}

const NOTHING = (): void => {};
const EMPTY = (): string => '';

/** Answers one request that arrives at `at` by the service's clock, in milliseconds since the Unix epoch. Synchronous. */
export function answer(
  request: ServiceRequest,
  at: number,
  identities: Identities,
  node: number,
  settings: ServiceSettings,
): ServiceAnswer {
  const { method, url } = request;
  const endpoint = endpointOf(url.pathname);
  const identity = identityOf(request.headers.get('x-api-key'), identities, settings);
  if (!identity) {
    const unknown = { endpoint, tier: 'keyed', limited: false, cost: 0, leave: NOTHING } as const;
    return { ...unknownKey(settings.unknownKey), delivery: 'whole', ...unknown };
  }
  const cost = settings.costOf({ method, endpoint, url });
  const quota = identities.quotaOf(identity, node);
  const decision = rule(quota, identities.ceilingOf(identity, endpoint, node), cost, at, settings);
  const { refusedUntil, leave } = decision;
  const limited = refusedUntil !== undefined;
  const page = limited ? refusal(settings) : pageAt(request, settings);
  const retryAfter = limited ? retryAfterOf(refusedUntil, at, settings) : undefined;
  const headers = gatewayHeaders({ at, cost, ...decision, retryAfter }, settings.headers, settings.reset);
  headers.push(...page.headers);
  return {
    status: page.status,
    headers,
    body: page.body,
    delivery: 'whole',
    endpoint,
    tier: identity.tier,
    limited,
    cost,
    leave,
  };
}

function identityOf(key: string | null, identities: Identities, { unknownKey }: ServiceSettings): Identity | undefined {
  if (key === null) return identities.keyless;
  return identities.withKey(key) ?? (unknownKey === 'keyless' ? identities.keyless : undefined);
}

function unknownKey(status: ServiceSettings['unknownKey']): Page {
  return status === 403
    ? json(403, { message: 'You cannot consume this service' })
    : json(401, { message: 'Invalid authentication credentials' });
}

function refusal({ limited: { status, body } }: ServiceSettings): Page {
  const text = 'API rate limit exceeded';
  if (body === 'json') return json(status, { message: text });
  if (body === 'empty') return { status, headers: [], body: EMPTY };
  if (body === 'text') return { status, headers: [['content-type', 'text/plain']], body: () => text };
  const html = `<html><head><title>${status}</title></head><body><h1>${text}</h1></body></html>`;
  return { status, headers: [['content-type', 'text/html']], body: () => html };
}

function retryAfterOf(until: number, at: number, { limited: { retryAfter } }: ServiceSettings): string | undefined {
  if (typeof retryAfter === 'function') return retryAfter();
  if (retryAfter === 'none') return undefined;
  if (retryAfter === 'seconds') return String(Math.ceil((until - at) / 1_000));
  return retryAfter === 'date' ? httpDate(Math.ceil(until / 1_000) * 1_000) : String(retryAfter);
}
