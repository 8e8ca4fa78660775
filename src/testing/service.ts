import type { Clock } from '../clock.ts';
import type { ServiceAnswer } from './answer.ts';
import { OPTION_RULES } from './checked-options.ts';
import { exchange } from './exchange.ts';
import { type FaultPlan, faultPlan, type ServiceFaults } from './faults.ts';
import { checkNames } from './known-names.ts';
import { Identities, type ServiceKey } from './limits/identities.ts';
import type { LoggedRequest } from './log.ts';
import { type ListeningService, listen } from './network/listen.ts';
import { type MockHost, mockNetwork } from './network/network.ts';
import type { MockServiceOptions } from './options.ts';
import { Reception } from './reception.ts';
import type { RouteName, ServiceRequest } from './routes/request.ts';
import { checkFields, checkValue, MS, type Rules, UNITS } from './rules.ts';
import { ceilingsFrom, checkedLimits, type ServiceSettings, settingsFrom } from './settings.ts';

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
  listen(at?: {
    readonly port?: number | undefined;
    readonly exchange?: MockHost['exchange'] | undefined;
  }): Promise<ListeningService>;
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
  const { clock } = settings;
  const identities = new Identities(settings);
  const reception = new Reception(identities, settings);
  const { gateway, log } = reception;
  const faults = faultPlan(clock);
  const host = hostOf(settings, reception, faults);
  return {
    ...host,
    ...consoleOf(identities, settings),
    fetch: mockNetwork(host).fetch,
    async listen(at = {}) {
      if (typeof at === 'number') throw new Error(`listen takes { port: ${at} }, not ${at}.`);
      checkFields(at, LISTEN, 'the options of listen');
      const { port = 0, exchange = host.exchange } = at;
      return listen({ ...host, exchange }, port);
    },
    answer(request) {
      const answered = reception.receive(request, clock.now());
      if (!(answered instanceof Promise)) return answered;
      throw new Error(`The route of ${request.url.pathname} is asynchronous: use exchange instead of answer.`);
    },
    faults,
    time: () => reception.time,
    setLimits(changed) {
      checkFields(changed, LIMITS, 'the limits of a mock service');
      const { keyless, keyed, ceilings } = changed;
      const limits = { keyless: checkedLimits('keyless', keyless), keyed: checkedLimits('keyed', keyed) };
      gateway.setLimits(limits, ceilings && ceilingsFrom(ceilings, settings.routes));
    },
    setSkew(ms) {
      checkValue('The skew', ms, MS);
      reception.skewMs = ms;
    },
    spend(units, key) {
      checkValue('What is spent', units, UNITS);
      const identity = key === undefined ? identities.keyless : identities.withKey(key);
      if (!identity) throw new Error('Unknown key: no units can be used with it.');
      reception.spend(units, identity);
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

const LISTEN: Rules = {
  port: [(value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 65_536, 'a port from 0 to 65535'],
  exchange: [(value) => typeof value === 'function', 'a function'],
};
const LIMITS: Rules = { keyless: OPTION_RULES.keyless, keyed: OPTION_RULES.keyed, ceilings: OPTION_RULES.ceilings };

/** The service as a host of a network: with latency and faults. */
function hostOf({ origin, clock, latency }: ServiceSettings, reception: Reception, faults: FaultPlan): MockHost {
  return {
    origin,
    clock,
    exchange(request) {
      const sentAt = clock.now();
      return exchange(clock, latency(), () => {
        const fault = faults.nextFault(request);
        return { fault, receive: () => reception.receive(request, sentAt, fault) };
      });
    },
  };
}

/** What the console of the service does with keys. */
function consoleOf(
  identities: Identities,
  { keys, random }: ServiceSettings,
): Pick<MockService, 'createKey' | 'keys' | 'revokeKey'> {
  for (const [index, key] of keys.entries()) identities.add(key, { name: `key ${index + 1}` });
  return {
    createKey(key) {
      const { name, description } = checkedKey(key);
      const value = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join('');
      identities.add(value, { name, description });
      return value;
    },
    keys: () => identities.keys(),
    revokeKey(key) {
      if (!identities.remove(key)) throw new Error('Unknown key: it cannot be revoked.');
    },
  };
}

/** Checks a key as the console does: a name is required, a description is not. */
function checkedKey(key: Parameters<MockService['createKey']>[0]): typeof key {
  const { name, description } = Object(key) as Partial<typeof key>;
  if (typeof name !== 'string' || name.trim() === '') throw new Error('The name of a key must be text, and not empty.');
  if (description !== undefined && typeof description !== 'string') {
    throw new Error('The description of a key must be text.');
  }
  checkNames(key, ['name', 'description'], 'the fields of a key');
  return key;
}
