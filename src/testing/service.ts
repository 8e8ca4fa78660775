import type { Clock } from '../clock.ts';
import { exchange } from './exchange.ts';
import { applyFault, edgeAnswer, faultPlan, type ServiceFault, type ServiceFaults } from './faults.ts';
import { answer, type ServiceAnswer } from './gateway.ts';
import { Identities } from './identities.ts';
import { type ListeningService, listen } from './listen.ts';
import { type LoggedRequest, RequestLog } from './log.ts';
import { type MockHost, mockNetwork } from './network.ts';
import { ceilingsFrom, type MockServiceOptions, settingsFrom } from './options.ts';
import type { ServiceRequest } from './routes.ts';

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
  /** Answers one request synchronously, without latency and faults, for simulations with their own time. */
  readonly answer: (request: ServiceRequest) => ServiceAnswer;
  /** Answers one request like `fetch`, with latency and faults, but without creating `Request` and `Response`. */
  readonly exchange: (request: ServiceRequest) => Promise<ServiceAnswer>;
  /** Faults on demand. */
  readonly faults: ServiceFaults;
  /** The service's own clock, in milliseconds since the Unix epoch. */
  time(): number;
  /** Creates a key, as the console does, and returns its value. */
  createKey(key: { readonly name: string; readonly description?: string }): string;
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
export function createMockService(options: MockServiceOptions = {}): MockService {
  const settings = settingsFrom(options);
  const { clock, origin } = settings;
  const identities = new Identities(settings, settings);
  const log = new RequestLog(settings.logSize);
  // The service's clock starts at the wall time of `clock` and is independent of it afterwards.
  const epoch = clock.wall() - clock.now();
  let skew = settings.skewMs;
  const faults = faultPlan(clock);
  let turns = 0;
  for (const key of settings.keys) identities.add(key);

  const time = (): number => epoch + skew + clock.now();

  const receive = (request: ServiceRequest, sentAt: number, fault?: ServiceFault): ServiceAnswer => {
    const edge = edgeAnswer(request, fault);
    if (edge) return edge;
    const serviceTime = time();
    const answered = applyFault(answer(request, serviceTime, identities, turns++ % settings.nodes, settings), fault);
    log.count(answered.limited);
    if (log.size > 0) {
      const { tier: key, endpoint, status, limited, cost } = answered;
      const { method, url } = request;
      const path = url.pathname + url.search;
      log.add({ at: sentAt, arrivedAt: clock.now(), serviceTime, method, path, key, endpoint, status, limited, cost });
    }
    return request.method === 'HEAD' ? { ...answered, body: () => '' } : answered;
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
    listen: ({ port = 0, exchange = host.exchange } = {}) => listen({ ...host, exchange }, port),
    answer: (request) => receive(request, clock.now()),
    faults,
    time,
    createKey({ name }) {
      if (name === '') throw new Error('The name of a key must not be empty.');
      const key = Array.from({ length: 32 }, () => Math.floor(settings.random() * 16).toString(16)).join('');
      identities.add(key);
      return key;
    },
    revokeKey(key) {
      if (!identities.remove(key)) throw new Error('Unknown key: it cannot be revoked.');
    },
    setLimits({ keyless, keyed, ceilings }) {
      identities.setTiers({ keyless, keyed, ceilings: ceilings && ceilingsFrom(ceilings) });
    },
    setSkew(ms) {
      skew = ms;
    },
    spend(units, key) {
      const identity = key === undefined ? identities.keyless : identities.withKey(key);
      if (!identity) throw new Error('Unknown key: no units can be used with it.');
      identities.quotaOf(identity, turns++ % settings.nodes).charge(units, time());
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
