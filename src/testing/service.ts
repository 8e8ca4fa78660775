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

/** A service that counts and refuses like the real one is believed to. It shares no code with the client. */
export interface MockService {
  /** Where `fetch`, and the handlers of `stacks-quota/testing/msw`, find the service. */
  readonly origin: string;
  /** The clock it lives by. */
  readonly clock: Clock;
  /** First entry point: answers like the global `fetch`, without patching it. Other origins are network errors. */
  readonly fetch: typeof fetch;
  /** Second entry point: opens a real port on 127.0.0.1; 0, the default, takes any that is free. */
  listen(at?: { readonly port?: number }): Promise<ListeningService>;
  /** Answers one request on the spot: no way there, no way back, no faults. For simulations that keep their own time. */
  readonly answer: (request: ServiceRequest) => ServiceAnswer;
  /** Answers one request as `fetch` does, latencies included, without the cost of `Request` and `Response`. */
  readonly exchange: (request: ServiceRequest) => Promise<ServiceAnswer>;
  /** Faults on demand. */
  readonly faults: ServiceFaults;
  /** The service's own clock, in milliseconds since the Unix epoch. */
  time(): number;
  /** Creates a key, as the console does (section 2), and returns its value. */
  createKey(key: { readonly name: string; readonly description?: string }): string;
  /** Deletes a key for ever (section 3). */
  revokeKey(key: string): void;
  /** Changes limits at run time; what was used stays used. A tier that is left out stays as it is. */
  setLimits(limits: Pick<MockServiceOptions, 'keyless' | 'keyed' | 'ceilings'>): void;
  /** Sets how far the service's clock is ahead of where it would be without any skew, in milliseconds. */
  setSkew(ms: number): void;
  /** Somebody else spends units on the same identity: a key's, or without one everybody's. */
  spend(units: number, key?: string): void;
  /** Forgets everything that was used. */
  forget(): void;
  /** Every request that arrived, oldest first, as far as `keepLog` has it. */
  readonly log: readonly LoggedRequest[];
  /** How many requests arrived. */
  readonly requests: number;
  /** How many of them a limit refused. */
  readonly limited: number;
  /** Empties the log and sets both counts to 0. */
  clearLog(): void;
}

/**
 * Makes a service. Without options it is as much like the real one as is known.
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
  // The service's clock only starts from the caller's wall clock: setting that one later is nothing to the service.
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
    listen: ({ port = 0 } = {}) => listen(host, port),
    answer: (request) => receive(request, clock.now()),
    faults,
    time,
    createKey({ name }) {
      if (name === '') throw new Error('A key needs a name.');
      const key = Array.from({ length: 32 }, () => Math.floor(settings.random() * 16).toString(16)).join('');
      identities.add(key);
      return key;
    },
    revokeKey(key) {
      if (!identities.remove(key)) throw new Error('There is no such key to revoke.');
    },
    setLimits({ keyless, keyed, ceilings }) {
      identities.setTiers({ keyless, keyed, ceilings: ceilings && ceilingsFrom(ceilings) });
    },
    setSkew(ms) {
      skew = ms;
    },
    spend(units, key) {
      const identity = key === undefined ? identities.keyless : identities.withKey(key);
      if (!identity) throw new Error('There is no such key to spend on.');
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
