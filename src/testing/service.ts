import type { Clock } from '../clock.ts';
import { answerOf, type ServiceAnswer } from './answer.ts';
import { exchange } from './exchange.ts';
import { applyFault, edgePage, faultPlan, type ServiceFault, type ServiceFaults } from './faults.ts';
import { Gateway, type Ruling } from './gateway.ts';
import { Identities, type ServiceKey } from './identities.ts';
import { type ListeningService, listen } from './listen.ts';
import { type LoggedRequest, RequestLog } from './log.ts';
import { type MockHost, mockNetwork } from './network.ts';
import { ceilingsFrom, checkedLimits, type MockServiceOptions, settingsFrom } from './options.ts';
import type { Page } from './page.ts';
import type { RouteName, ServiceRequest } from './request.ts';

/** A mock service that counts and refuses like the real one, as far as known. It shares no code with the client. */
export interface MockService {
  /** The origin of the service for `fetch` and for the handlers of `stacks-quota/testing/msw`. */
  readonly origin: string;
  /** The clock of its latencies and its time. */
  readonly clock: Clock;
  /** A function with the signature of `fetch`; the global one is not patched. Other origins are network errors. */
  readonly fetch: typeof fetch;
  /**
   * Opens a real port on 127.0.0.1; 0, the default, takes any free port. Requests are answered by `exchange`, by default the
   * service's own: pass a function around it to see or change what comes and goes.
   */
  listen(at?: { readonly port?: number; readonly exchange?: MockHost['exchange'] }): Promise<ListeningService>;
  /**
   * Answers one request synchronously, without latency and faults, for simulations with their own time. Throws if the handler of a
   * route returns a promise or a `Response`.
   */
  readonly answer: (request: ServiceRequest) => ServiceAnswer;
  /** Answers one request like `fetch`, with latency and faults, but without creating `Request` and `Response`. */
  readonly exchange: (request: ServiceRequest) => Promise<ServiceAnswer>;
  /** Faults on demand. */
  readonly faults: ServiceFaults;
  /** The service's own clock, in milliseconds since the Unix epoch. */
  time(): number;
  /** Creates a key, as the console does, and returns its value. Throws if the name is no text, or empty. */
  createKey(key: { readonly name: string; readonly description?: string | undefined }): string;
  /** The keys that exist, oldest first, as the console shows them: each value can be revealed again. */
  keys(): readonly ServiceKey[];
  /** Deletes a key for ever. Throws if it does not exist. */
  revokeKey(key: string): void;
  /** Changes limits. Usage is kept, and an omitted tier is unchanged. */
  setLimits(limits: Pick<MockServiceOptions, 'keyless' | 'keyed' | 'ceilings'>): void;
  /** Sets the lead of the service's clock over its time without skew, in milliseconds. */
  setSkew(ms: number): void;
  /** Uses units as another consumer would: of a key or, without one, of all callers without a key. */
  spend(units: number, key?: string): void;
  /** Resets all usage. */
  forget(): void;
  /** Requests that arrived, oldest first, as far as `keepLog` keeps them. */
  readonly log: readonly LoggedRequest[];
  /** Number of requests that arrived. */
  readonly requests: number;
  /** Number of requests that a limit refused. */
  readonly limited: number;
  /** Empties the log and sets both counts to 0. */
  clearLog(): void;
}

/**
 * Creates a mock of the service. Without options it behaves like the real service, as far as that is known.
 *
 * @example
 * ```ts
 * const clock = virtualClock();
 * const service = createMockService({ clock, keyless: { minute: 5 } });
 * const response = await service.fetch(`${service.origin}/extended/v1/info`);
 * response.headers.get('x-ratelimit-remaining-stacks-minute'); // '4'
 * ```
 */
export function createMockService<Route extends RouteName = RouteName>(
  options: MockServiceOptions<Route> = {},
): MockService {
  const settings = settingsFrom(options);
  const { clock, origin } = settings;
  const identities = new Identities(settings);
  const gateway = new Gateway(identities, settings);
  const log = new RequestLog(settings.logSize);
  // The service's clock starts at the wall time of `clock` and is independent of it afterwards.
  const epoch = clock.wall() - clock.now();
  let skew = settings.skewMs;
  const faults = faultPlan(clock);
  let turns = 0;
  for (const [index, key] of settings.keys.entries()) identities.add(key, { name: `key ${index + 1}` });

  const time = (): number => epoch + skew + clock.now();

  const receive = (
    request: ServiceRequest,
    sentAt: number,
    fault?: ServiceFault,
  ): ServiceAnswer | Promise<ServiceAnswer> => {
    const edge = edgePage(fault, request.url);
    if (edge) return answerOf(unseen(request), edge);
    const serviceTime = time();
    const arrived = gateway.receive(request, serviceTime, turns++ % settings.nodes, fault === 'store down');
    log.count(arrived.limited);
    const { tier: key, endpoint, limited, cost } = arrived;
    const { method, url } = request;
    const path = url.pathname + url.search;
    const noteStatus = log.add({
      at: sentAt,
      arrivedAt: clock.now(),
      serviceTime,
      method,
      path,
      key,
      endpoint,
      limited,
      cost,
    });
    const finish = (page: Page): ServiceAnswer => {
      const answered = applyFault(answerOf(arrived, page), fault);
      noteStatus(answered.status);
      return method === 'HEAD' ? { ...answered, body: () => '' } : answered;
    };
    const page = arrived.page();
    return page instanceof Promise ? page.then(finish) : finish(page);
  };

  /** A request that the edge answers, so that the gateway does not receive it. */
  const unseen = (request: ServiceRequest): Ruling => {
    const { endpoint } = settings.routes.find(request);
    const tier = request.headers.get('x-api-key') === null ? 'keyless' : 'keyed';
    return { endpoint, tier, limited: false, cost: 0, leave: () => {} };
  };

  const host: MockHost = {
    origin,
    clock,
    exchange(request) {
      const sentAt = clock.now();
      return exchange(clock, settings.latency(), () => {
        const fault = faults.nextFault(request);
        return { fault, receive: () => receive(request, sentAt, fault) };
      });
    },
  };

  return {
    ...host,
    fetch: mockNetwork(host).fetch,
    async listen(at = {}) {
      if (typeof at !== 'object') throw new Error(`listen takes { port: ${at} }, not ${at}.`);
      const { port = 0, exchange = host.exchange } = at;
      return listen({ ...host, exchange }, port);
    },
    answer(request) {
      const answered = receive(request, clock.now());
      if (!(answered instanceof Promise)) return answered;
      throw new Error(`The route of ${request.url.pathname} is asynchronous: use exchange instead of answer.`);
    },
    faults,
    time,
    createKey(key) {
      const { name, description } = checkedKey(key);
      const value = Array.from({ length: 32 }, () => Math.floor(settings.random() * 16).toString(16)).join('');
      identities.add(value, { name, description });
      return value;
    },
    keys: () => identities.keys(),
    revokeKey(key) {
      if (!identities.remove(key)) throw new Error('Unknown key: it cannot be revoked.');
    },
    setLimits({ keyless, keyed, ceilings }) {
      const limits = { keyless: checkedLimits('keyless', keyless), keyed: checkedLimits('keyed', keyed) };
      gateway.setLimits(limits, ceilings && ceilingsFrom(ceilings));
    },
    setSkew(ms) {
      skew = ms;
    },
    spend(units, key) {
      const identity = key === undefined ? identities.keyless : identities.withKey(key);
      if (!identity) throw new Error('Unknown key: no units can be used with it.');
      gateway.spend(units, identity, time(), turns++ % settings.nodes);
    },
    forget: () => identities.forget(),
    log: log.entries,
    get requests() {
      return log.requests;
    },
    get limited() {
      return log.limited;
    },
    clearLog: () => log.clear(),
  };
}

/** Checks a key as the console does: a name is required, a description is not. */
function checkedKey({ name, description }: Parameters<MockService['createKey']>[0]): {
  name: string;
  description: string | undefined;
} {
  if (typeof name !== 'string' || name.trim() === '') throw new Error('The name of a key must be text, and not empty.');
  if (description !== undefined && typeof description !== 'string') {
    throw new Error('The description of a key must be text.');
  }
  return { name, description };
}
