import { gatewayHeaders, httpDate } from './headers.ts';
import type { Identities, Identity } from './identities.ts';
import type { Settings } from './options.ts';
import { type HeaderLines, json, type Page } from './page.ts';
import { endpointOf, pageAt, type ServiceEndpoint, type ServiceRequest } from './routes.ts';

/** What the service answers to one request. */
export interface ServiceAnswer {
  readonly status: number;
  /** Every header line, names in lower case. */
  readonly headers: HeaderLines;
  /** The body; empty for HEAD. It is written when asked for. */
  readonly body: () => string;
  readonly endpoint: ServiceEndpoint;
  readonly tier: 'keyed' | 'keyless';
  /** Whether a limit refused the request. */
  readonly limited: boolean;
  /** What the request costs, in units, whether it was charged or not. */
  readonly cost: number;
  /** To be called when the answer leaves the service: only then is usage booked where it is charged after the answer. */
  readonly leave: () => void;
}

const NOTHING = (): void => {};
const EMPTY = (): string => '';

/** Judges one request that arrives at `at` by the service's clock, in milliseconds since the Unix epoch. Takes no time. */
export function answer(
  request: ServiceRequest,
  at: number,
  identities: Identities,
  node: number,
  settings: Settings,
): ServiceAnswer {
  const endpoint = endpointOf(request.url.pathname);
  const bodyOf = (page: Page): (() => string) => (request.method === 'HEAD' ? EMPTY : page.body);
  const key = request.headers.get('x-api-key');
  const identity = identityOf(key, identities, settings);
  if (!identity) {
    const page = unknownKey(settings.unknownKey);
    const { status, headers } = page;
    return { status, headers, body: bodyOf(page), endpoint, tier: 'keyed', limited: false, cost: 0, leave: NOTHING };
  }
  const { method, url } = request;
  const cost = settings.costOf({ method, endpoint, url });
  const quota = identities.quotaOf(identity, node);
  const ceiling = identities.ceilingOf(identity, endpoint, node);
  const admitsAt = (): number => Math.max(quota.admitsAt(cost, at), ceiling?.admitsAt(1, at) ?? at);
  const limited = admitsAt() > at;
  const charged = !limited || settings.countRefused;
  const charge = (): void => {
    if (!charged) return;
    quota.charge(cost, at);
    ceiling?.charge(1, at);
  };
  const later = settings.charge === 'after' && charged;
  if (!later) charge();
  const page = limited ? refusal(settings) : pageAt(request, settings);
  const headers = gatewayHeaders(
    {
      at,
      cost,
      windows: quota.readings(later ? cost : 0, at),
      ceiling: ceiling?.readings(later ? 1 : 0, at)[0],
      retryAfter: limited ? retryAfter(Math.max(at + 1, admitsAt()), at, settings) : undefined,
    },
    settings.headers,
    settings.reset,
  );
  return {
    status: page.status,
    headers: [...page.headers, ...headers],
    body: bodyOf(page),
    endpoint,
    tier: identity.tier,
    limited,
    cost,
    leave: later ? charge : NOTHING,
  };
}

function identityOf(key: string | null, identities: Identities, settings: Settings): Identity | undefined {
  if (key === null) return identities.keyless;
  return identities.withKey(key) ?? (settings.unknownKey === 'keyless' ? identities.keyless : undefined);
}

function unknownKey(status: Settings['unknownKey']): Page {
  return status === 403
    ? json(403, { message: 'You cannot consume this service' })
    : json(401, { message: 'Invalid authentication credentials' });
}

function refusal({ limited: { status, body } }: Settings): Page {
  const text = 'API rate limit exceeded';
  if (body === 'json') return json(status, { message: text });
  if (body === 'empty') return { status, headers: [], body: EMPTY };
  if (body === 'text') return { status, headers: [['content-type', 'text/plain']], body: () => text };
  const html = `<html><head><title>${status}</title></head><body><h1>${text}</h1></body></html>`;
  return { status, headers: [['content-type', 'text/html']], body: () => html };
}

function retryAfter(admitsAt: number, at: number, { limited }: Settings): string | undefined {
  const { retryAfter: style } = limited;
  if (typeof style === 'function') return style();
  if (typeof style === 'number') return String(style);
  if (style === 'none') return undefined;
  return style === 'seconds'
    ? String(Math.ceil((admitsAt - at) / 1_000))
    : httpDate(Math.ceil(admitsAt / 1_000) * 1_000);
}
