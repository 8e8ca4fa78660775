import type { Clock } from '../clock.ts';
import type { ServiceAnswer } from './answer.ts';
import { cloudflarePage } from './edge.ts';
import { didYouMean } from './known-names.ts';
import type { HeaderLines, Page } from './routes/page.ts';
import type { ServiceRequest } from './routes/request.ts';
import { checkFields, checkValue, FLAG, isObject, MS, oneOf, type Rule, type Rules, shown } from './rules.ts';

/**
 * A fault of one exchange. All but `'reset'`, `'store down'` and a response with `counted: false` use quota.
 *
 * - `{ status }`: another response from behind the gateway; a request that a limit refuses stays refused. With `counted: false` the
 *   response comes from the edge in front of the gateway, without quota headers: from status 500 it is the HTML page of Cloudflare,
 *   unless a body is given.
 * - `{ redirect }`: a redirect (status 302, or the given one).
 * - `'reset'`: the connection breaks before the request arrives.
 * - `'lost'`: the request arrives, and five seconds later the connection breaks without a response.
 * - `'hang'`: the request arrives, and is never answered.
 * - `'truncate'`: the connection breaks half-way through the body.
 * - `'slow body'`: the body arrives in eight pieces, a second apart.
 * - `'no quota headers'`: the response has no quota headers.
 * - `'store down'`: the gateway cannot reach its store, and lets the request pass uncounted and without quota headers.
 */
export type ServiceFault =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>> | undefined;
      readonly body?: string | undefined;
      readonly counted?: boolean | undefined;
    }
  | { readonly redirect: string; readonly status?: 301 | 302 | 303 | 307 | 308 | undefined }
  | 'reset'
  | 'lost'
  | 'hang'
  | 'truncate'
  | 'slow body'
  | 'no quota headers'
  | 'store down';

/** Faults on demand. An outage takes precedence over `next`, and `next` over rules. */
export interface ServiceFaults {
  /** Applies a fault to the next `count` requests that arrive. Further calls are queued behind. */
  next(count: number, fault: ServiceFault): void;
  /** Applies to each request the fault that the rule returns, if any. Returns a function that removes the rule. */
  when(rule: (request: ServiceRequest) => ServiceFault | undefined): () => void;
  /** Applies a fault, by default `'reset'`, to requests that arrive within this range of milliseconds from now. */
  outage(fromMs: number, toMs: number, fault?: ServiceFault): void;
  /** Removes all faults. */
  clear(): void;
}

/** Faults as the service uses them. */
export interface FaultPlan extends ServiceFaults {
  /** The fault of a request that arrives now. */
  nextFault(request: ServiceRequest): ServiceFault | undefined;
}

const NAMES: readonly (ServiceFault & string)[] = [
  'reset',
  'lost',
  'hang',
  'truncate',
  'slow body',
  'no quota headers',
  'store down',
];

const TEXT: Rule = [(value) => typeof value === 'string', 'text'];

const RESPONSE: Rules = {
  status: [
    (value) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599,
    'a status from 200 to 599',
  ],
  headers: [
    (value) => isObject(value) && Object.values(value).every((one) => typeof one === 'string'),
    'an object of names and texts',
  ],
  body: TEXT,
  counted: FLAG,
};
const REDIRECT: Rules = { redirect: TEXT, status: oneOf(301, 302, 303, 307, 308) };

/** The fault as given; an error says which there are, and what its fields may be. */
function checkedFault(fault: ServiceFault): ServiceFault {
  if (typeof fault === 'string' && NAMES.includes(fault)) return fault;
  if (!isObject(fault) || !('redirect' in fault || 'status' in fault)) throw new Error(unknownFault(fault));
  if ('redirect' in fault) checkFields(fault, REDIRECT, 'the fields of a redirect', 'redirect.');
  else checkFields(fault, RESPONSE, 'the fields of a fault', 'fault.');
  return fault;
}

function unknownFault(fault: unknown): string {
  const given = typeof fault === 'object' ? JSON.stringify(fault) : String(fault);
  const [typed = given] = isObject(fault) ? Object.keys(fault) : [];
  const meant = didYouMean(typed, isObject(fault) ? ['status', 'redirect'] : NAMES);
  return `A fault must be { status }, { redirect } or one of ${NAMES.join(', ')}, not ${given}.${meant}`;
}

const RULE: Rule = [(value) => typeof value === 'function', 'a function of a request that returns a fault'];

/** Creates faults, at first none. */
export function faultPlan(clock: Clock): FaultPlan {
  const queue: { fault: ServiceFault; left: number }[] = [];
  const rules = new Set<(request: ServiceRequest) => ServiceFault | undefined>();
  const outages: { from: number; to: number; fault: ServiceFault }[] = [];
  return {
    next(count, fault) {
      if (!(Number.isInteger(count) && count >= 0))
        throw new Error(`The number of requests must be a whole number, 0 or more, not ${shown(count)}.`);
      if (count > 0) queue.push({ fault: checkedFault(fault), left: count });
    },
    when(rule) {
      checkValue('The rule', rule, RULE);
      rules.add(rule);
      return () => rules.delete(rule);
    },
    outage(fromMs, toMs, fault = 'reset') {
      checkValue('The beginning of an outage', fromMs, MS);
      checkValue('The end of an outage', toMs, [(ms) => Number(ms) >= fromMs, `milliseconds, ${fromMs} or more`]);
      outages.push({ from: clock.now() + fromMs, to: clock.now() + toMs, fault: checkedFault(fault) });
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
        if (fault) return checkedFault(fault);
      }
      return undefined;
    },
  };
}

/** The response of the edge in front of the gateway, which does not receive the request. */
export function edgePage(fault: ServiceFault | undefined, { host }: URL): Page | undefined {
  if (typeof fault !== 'object' || 'redirect' in fault || fault.counted !== false) return undefined;
  const { status, headers, body } = fault;
  const page = status >= 500 && body === undefined ? cloudflarePage(status, host) : undefined;
  const lines = headerLines(headers);
  return { status, headers: page ? overridden(page.headers, lines) : lines, body: page?.body ?? (() => body ?? '') };
}

/** Applies a fault to the gateway's response. */
export function applyFault(answer: ServiceAnswer, fault: ServiceFault | undefined): ServiceAnswer {
  switch (fault) {
    case undefined:
    case 'reset':
    case 'lost':
    case 'hang':
    case 'store down':
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

/** Replaces the response from behind the gateway: the gateway's headers stay, the headers of the page do not. */
function replaced(answer: ServiceAnswer, fault: Extract<ServiceFault, object>): ServiceAnswer {
  const { status, headers, body } =
    'redirect' in fault ? { status: fault.status ?? 302, headers: { location: fault.redirect }, body: '' } : fault;
  const gateway = answer.headers.filter(([name]) => !['content-type', 'etag', 'warning'].includes(name));
  return { ...answer, status, headers: overridden(gateway, headerLines(headers)), body: () => body ?? '' };
}

function overridden(lines: HeaderLines, others: HeaderLines): HeaderLines {
  const gone = new Set(others.map(([name]) => name));
  return [...lines.filter(([name]) => !gone.has(name)), ...others];
}

function headerLines(headers: Readonly<Record<string, string>> = {}): HeaderLines {
  return Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
}
