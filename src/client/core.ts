import { bulk } from '../bulk/bulk.ts';
import type { BulkDependencies } from '../bulk/progress.ts';
import type { Clock } from '../clock.ts';
import { ConfigError, quote } from '../errors.ts';
import { EndpointNames } from '../fetch/endpoint-name.ts';
import { createFetch } from '../fetch/fetch.ts';
import { withResponseReuse } from '../http/cache/response-reuse.ts';
import type { Run } from '../http/call.ts';
import { KeyBreaker } from '../http/key-breaker.ts';
import { createKeyRing } from '../http/key-ring.ts';
import { createTransport } from '../http/transport.ts';
import { type ClientOptions, checkConcurrency, readSettings, type Settings } from '../options/client-options.ts';
import { LAST_INSTANT } from '../quota/headers/snapshot.ts';
import type { OpenCalls } from '../scheduler/open-calls.ts';
import { estimateCalls, toEstimate } from '../scheduler/outlook/estimate.ts';
import { Scheduler } from '../scheduler/scheduler.ts';
import { logEvents } from '../trace/log.ts';
import { flag, optionsParser, withDefault } from '../validation/arguments.ts';
import type { FetchClient } from './client.ts';
import { toMonthState } from './month-state.ts';
import { givePoolAccess } from './pool-access.ts';
import { toQuotaState } from './quota-state.ts';
import { bindToRequest } from './request-context.ts';
import { withStatedCosts } from './stated-costs.ts';

/** A client, and what more calls are built from. */
export interface ClientCore {
  readonly client: FetchClient;
  readonly settings: Settings;
  readonly run: Run;
  readonly names: EndpointNames;
  /** Removes the key from a text. */
  readonly redact: (text: string) => string;
  /** See {@link OpenCalls.follow}. */
  readonly follow: OpenCalls['follow'];
}

/**
 * Wires the rooms together.
 *
 * @throws ConfigError if an option cannot be used.
 */
export function createCore(options: ClientOptions): ClientCore {
  const settings = readSettings(options);
  const checkRequest = bindToRequest();
  const { clock, key, logger } = settings;
  const { origin } = new URL(settings.baseUrl);
  const keys = createKeyRing(key);
  const transport = createTransport({ ...settings, origin, keys, keyBreaker: new KeyBreaker(clock) });
  const { redact } = transport;
  const credentialOf = (number: number): string => `${origin}\0${keys.secretOf(number) ?? ''}`;
  const scheduler: Scheduler = new Scheduler({ ...settings, transport, keys, credentialOf });
  if (logger) scheduler.tracer.subscribe(logEvents(logger));
  const runAtCost = withStatedCosts((call) => scheduler.run(call), settings.cost);
  const reuse = withResponseReuse(runAtCost, { ...settings, redact });
  const run: Run = (call) => {
    checkRequest();
    return reuse(call);
  };
  const names = new EndpointNames();
  const follow: OpenCalls['follow'] = (work) => scheduler.open.follow(work);
  const { closed } = scheduler;
  const fetchWith = createFetch({ ...settings, run, announce: () => scheduler.announce(), closed, names, redact });
  const forBulk = bulkDependencies(scheduler, clock);
  const client = clientOf(scheduler, fetchWith, forBulk, clock);
  const credential = (): string | undefined => {
    // A function may give another key later.
    const number = typeof options.apiKey === 'function' ? 0 : (keys.ask() as number);
    return number > 0 ? credentialOf(number) : undefined;
  };
  givePoolAccess(client, { bulk: forBulk, queue: scheduler, credential, maxQueueMs: settings.maxQueueMs });
  return { client, settings, run, names, redact, follow };
}

function bulkDependencies(scheduler: Scheduler, clock: Clock): BulkDependencies {
  return {
    clock,
    get concurrency() {
      return scheduler.concurrency;
    },
    // Items that are not taken yet come after all waiting calls, of whatever priority.
    estimate: (count, cost) => toEstimate(scheduler.outlook.estimate({ count, cost }, -Infinity), clock),
    spent: () => scheduler.spent,
  };
}

/** What a caller holds of a client, the typed calls aside. */
function clientOf(
  scheduler: Scheduler,
  fetchWith: ReturnType<typeof createFetch>,
  forBulk: BulkDependencies,
  clock: Clock,
): FetchClient {
  return {
    fetch: fetchWith(),
    fetchWith,
    bulk: (items, call, options = {}) => bulk(items, call, options, forBulk),
    estimate: (options) => estimateCalls(scheduler.outlook, clock, options),
    quota: () => toQuotaState(scheduler, clock),
    get waiting() {
      return scheduler.waiting;
    },
    queue: (options) => scheduler.queue(options),
    month: () => toMonthState(scheduler.month(), clock),
    subscribe: (listener) => {
      if (typeof listener !== 'function')
        throw new ConfigError('listener', `must be a function, not ${quote(listener)}`);
      return scheduler.tracer.subscribe(listener);
    },
    get concurrency() {
      return scheduler.concurrency;
    },
    set concurrency(concurrency) {
      scheduler.concurrency = checkConcurrency(concurrency);
    },
    pause: (until) => scheduler.pause(pauseEnd(until, clock)),
    resume: () => scheduler.resume(),
    idle: () => scheduler.idle(),
    close: async (given) => ({ rejected: await scheduler.close(readCloseOptions(given).drain) }),
    [Symbol.asyncDispose]: async () => void (await scheduler.close()),
  };
}

const closeOptions = optionsParser('options of close', { drain: withDefault(flag, false) });

/**
 * Checks the options of `close`. As the listener of a signal of the process, it gets the name of the signal instead of options.
 *
 * @throws ConfigError if an option cannot be used.
 */
export function readCloseOptions(given: unknown): { readonly drain: boolean } {
  const isSignal = typeof given === 'string' && given.startsWith('SIG');
  return closeOptions(given === undefined || isSignal ? {} : given);
}

/** The end of a pause, in monotonic milliseconds. One beyond all dates has none. */
function pauseEnd(until: number | Date | undefined, clock: Clock): number {
  const ms = until instanceof Date ? until.getTime() - clock.wall() : until;
  if (ms === undefined) return Infinity;
  if (typeof ms === 'number' && (ms >= 0 || until instanceof Date) && !Number.isNaN(ms))
    return clock.wall() + ms > LAST_INSTANT ? Infinity : clock.now() + ms;
  throw new ConfigError('until', `must be milliseconds, 0 or more, or a Date, not ${quote(until)}`);
}
