import type { Clock } from '../clock.ts';
import type { ServiceAnswer } from './gateway.ts';
import type { HeaderLines } from './page.ts';
import { endpointOf, type ServiceRequest } from './routes.ts';

/**
 * What can go wrong with one exchange. All but `'reset'` and an answer that is not `counted` use up quota.
 *
 * - `{ status }`: another answer, from behind the gateway: what a limit refuses stays refused. With `counted: false` it comes
 *   from an edge in front of it instead, without quota headers.
 * - `{ redirect }`: an answer that points elsewhere (status 302, or the one given).
 * - `'reset'`: the connection breaks before the request arrives.
 * - `'lost'`: the request arrives, and five seconds later the connection breaks without an answer.
 * - `'hang'`: the request arrives, and no answer ever comes.
 * - `'truncate'`: the connection breaks half-way through the body.
 * - `'slow body'`: the body comes in eight pieces, a second apart.
 * - `'no quota headers'`: the answer carries none of them.
 */
export type ServiceFault =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
      readonly counted?: boolean;
    }
  | { readonly redirect: string; readonly status?: 301 | 302 | 303 | 307 | 308 }
  | 'reset'
  | 'lost'
  | 'hang'
  | 'truncate'
  | 'slow body'
  | 'no quota headers';

/** Faults on demand. An outage comes before what is next, and that before what a rule finds. */
export interface ServiceFaults {
  /** The next `count` requests to arrive meet this fault. Called again, more are lined up behind them. */
  next(count: number, fault: ServiceFault): void;
  /** Every request meets the fault that the rule finds for it, if any. Returns what takes the rule away. */
  when(rule: (request: ServiceRequest) => ServiceFault | undefined): () => void;
  /** Requests that arrive between so many milliseconds from now meet this fault, by default `'reset'`. */
  outage(fromMs: number, toMs: number, fault?: ServiceFault): void;
  /** Takes all faults away. */
  clear(): void;
}

/** Faults as the service keeps them. */
export interface FaultPlan extends ServiceFaults {
  /** The fault that a request meets as it arrives. */
  nextFault(request: ServiceRequest): ServiceFault | undefined;
}

/** Plans no faults yet. */
export function faultPlan(clock: Clock): FaultPlan {
  const queue: { fault: ServiceFault; left: number }[] = [];
  const rules = new Set<(request: ServiceRequest) => ServiceFault | undefined>();
  const outages: { from: number; to: number; fault: ServiceFault }[] = [];
  return {
    next(count, fault) {
      if (count > 0) queue.push({ fault, left: count });
    },
    when(rule) {
      rules.add(rule);
      return () => rules.delete(rule);
    },
    outage(fromMs, toMs, fault = 'reset') {
      outages.push({ from: clock.now() + fromMs, to: clock.now() + toMs, fault });
    },
    clear() {
      queue.length = 0;
      outages.length = 0;
      rules.clear();
    },
    nextFault(request) {
      if (outages.length > 0) {
        const now = clock.now();
        const outage = outages.find(({ from, to }) => now >= from && now < to);
        if (outage) return outage.fault;
      }
      const next = queue[0];
      if (next) {
        if (--next.left === 0) queue.shift();
        return next.fault;
      }
      for (const rule of rules) {
        const fault = rule(request);
        if (fault) return fault;
      }
      return undefined;
    },
  };
}

/** The answer of an edge in front of the gateway, which then never hears of the request. */
export function edgeAnswer(request: ServiceRequest, fault: ServiceFault | undefined): ServiceAnswer | undefined {
  if (typeof fault !== 'object' || 'redirect' in fault || fault.counted !== false) return undefined;
  return {
    status: fault.status,
    headers: headerLines(fault.headers),
    body: () => fault.body ?? '',
    delivery: 'whole',
    endpoint: endpointOf(request.url.pathname),
    tier: request.headers.get('x-api-key') === null ? 'keyless' : 'keyed',
    limited: false,
    cost: 0,
    leave: () => {},
  };
}

/** What becomes of the gateway's answer under a fault that lets one through. */
export function applyFault(answer: ServiceAnswer, fault: ServiceFault | undefined): ServiceAnswer {
  switch (fault) {
    case undefined:
    case 'reset':
    case 'lost':
    case 'hang':
      return answer;
    case 'truncate':
      return { ...answer, delivery: 'truncated' };
    case 'slow body':
      return { ...answer, delivery: 'slow' };
    case 'no quota headers':
      return { ...answer, headers: answer.headers.filter(([name]) => !name.includes('ratelimit')) };
    default:
      return answer.limited ? answer : replaced(answer, fault);
  }
}

/** Another answer from behind the gateway: its own headers stay, what described the page does not. */
function replaced(answer: ServiceAnswer, fault: Extract<ServiceFault, object>): ServiceAnswer {
  const { status, headers, body } =
    'redirect' in fault
      ? { status: fault.status ?? 302, headers: { location: fault.redirect }, body: '' }
      : { headers: {}, body: '', ...fault };
  const lines = headerLines(headers);
  const gone = new Set(['content-type', 'etag', 'warning', ...lines.map(([name]) => name)]);
  return {
    ...answer,
    status,
    headers: [...answer.headers.filter(([name]) => !gone.has(name)), ...lines],
    body: () => body,
  };
}

function headerLines(headers: Readonly<Record<string, string>> = {}): HeaderLines {
  return Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
}
