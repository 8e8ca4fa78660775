import type { Clock } from '../clock.ts';
import { checkEach, checkedOptions } from './checked-options.ts';
import type { ResetStyle, ServiceHeaderOptions } from './headers.ts';
import { didYouMean } from './known-names.ts';
import { type Latency, latencyFrom, seeded } from './latency.ts';
import { SERVICE_PERIODS, type ServicePeriod } from './limits/calendar.ts';
import type { ServiceLimits } from './limits/ledger.ts';
import type { WindowKind } from './limits/windows/kinds.ts';
import type { CostQuestion, LimitedOptions, MockServiceOptions } from './options.ts';
import { someAssets } from './routes/assets.ts';
import { ownRoutes } from './routes/own-routes.ts';
import { type RouteHandler, Routes } from './routes/routes.ts';
import { checkValue, isNumber, shown, UNITS } from './rules.ts';

/** A family of windows. */
export interface Family {
  readonly name: string;
  readonly keyless: ServiceLimits;
  readonly keyed: ServiceLimits;
  readonly costOf: (request: CostQuestion) => number | undefined;
}

/** The options with defaults. */
export interface ServiceSettings {
  readonly clock: Clock;
  readonly skewMs: number;
  readonly origin: string;
  /** The family `stacks` first. */
  readonly families: readonly Family[];
  readonly ceilings: Readonly<Record<string, ServiceLimits>>;
  readonly routes: Routes;
  readonly keys: readonly string[];
  readonly unknownKey: 'keyless' | 401 | 403;
  readonly kindOf: (period: ServicePeriod) => WindowKind;
  readonly charge: 'before' | 'after';
  readonly countRefused: boolean;
  readonly limited: { readonly [Option in keyof LimitedOptions]-?: NonNullable<LimitedOptions[Option]> };
  readonly headers: ServiceHeaderOptions;
  readonly reset: ResetStyle;
  readonly latency: () => Latency;
  readonly random: () => number;
  readonly nodes: number;
  readonly logSize: number;
}

/** Real time; implemented again here, because the mock shares no code with the client. */
const realClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  timer(ms, fire) {
    const timeout = setTimeout(fire, ms);
    return () => clearTimeout(timeout);
  },
};

/** The name of the family that the options `keyless`, `keyed` and `cost` describe. */
const OWN_FAMILY = 'stacks';

/** Adds defaults. */
export function settingsFrom(given: MockServiceOptions): ServiceSettings {
  const options = checkedOptions(given);
  const random = options.random ?? seeded(1);
  const { windows = 'aligned', keepLog = true } = options;
  const routes = new Routes(
    ownRoutes(options.info ?? 200, options.assetsOf ?? someAssets),
    (options.routes ?? {}) as Readonly<Record<string, RouteHandler>>,
  );
  return {
    clock: options.clock ?? realClock,
    skewMs: options.skewMs ?? 0,
    origin: new URL(options.origin ?? 'https://api.mock.test').origin,
    families: familiesFrom(options, routes),
    ceilings: ceilingsFrom(options.ceilings ?? {}, routes),
    routes,
    keys: options.keys ?? [],
    unknownKey: options.unknownKey ?? 401,
    kindOf: (period) => (typeof windows === 'string' ? windows : (windows[period] ?? 'aligned')),
    charge: options.charge ?? 'before',
    countRefused: options.countRefused ?? false,
    limited: limitedFrom(options.limited),
    headers: options.headers ?? {},
    reset: options.reset ?? 'epoch-seconds',
    latency: latencyFrom(options.latencyMs ?? 0, random),
    random,
    nodes: options.nodes ?? 1,
    logSize: keepLog === true ? Infinity : Number(keepLog),
  };
}

function limitedFrom({
  status = 429,
  retryAfter = 'seconds',
  body = 'json',
}: LimitedOptions = {}): ServiceSettings['limited'] {
  return { status, retryAfter, body };
}

/** Endpoint limits as limits of one period each. */
export function ceilingsFrom(
  ceilings: NonNullable<MockServiceOptions['ceilings']>,
  routes: Routes,
): ServiceSettings['ceilings'] {
  checkEach('ceilings', ceilings);
  checkEndpoints('ceilings', ceilings, routes);
  const limitsOf = ([name, { limit, period }]: [string, { limit: number; period: ServicePeriod }]) => {
    if (limit === undefined || period === undefined)
      throw new Error(`ceilings.${name} must have a limit and a period, such as { limit: 100, period: "minute" }.`);
    return [name, checkedLimits(`ceilings.${name}`, { [period]: limit })] as const;
  };
  return Object.fromEntries(Object.entries(ceilings).map(limitsOf)) as ServiceSettings['ceilings'];
}

/** An error names the first endpoint that there is no route for; a path stands for requests that have none. */
function checkEndpoints(option: string, byEndpoint: object, { endpoints }: Routes): void {
  for (const name of Object.keys(byEndpoint)) {
    if (name.startsWith('/') || endpoints.includes(name)) continue;
    const known = `it may have ${endpoints.join(', ')}, or a path`;
    throw new Error(`${option} has an endpoint without a route, "${name}": ${known}.${didYouMean(name, endpoints)}`);
  }
}

/** Limits as given; an error names the one that no service can have. */
export function checkedLimits<L extends ServiceLimits | undefined>(option: string, limits: L): L {
  for (const [period, limit] of Object.entries(limits ?? {})) {
    if (!SERVICE_PERIODS.includes(period as ServicePeriod))
      throw new Error(
        `${option} has no period "${period}": it may have ${SERVICE_PERIODS.join(', ')}.${didYouMean(period, SERVICE_PERIODS)}`,
      );
    if (limit !== undefined && !isNumber(limit, 0))
      throw new Error(`${option}.${period} must be 0 units or more, not ${shown(limit)}.`);
  }
  return limits;
}

function familiesFrom(options: MockServiceOptions, routes: Routes): Family[] {
  const { families = {} } = options;
  checkEach('families', families);
  const keyless = checkedLimits('keyless', options.keyless) ?? { minute: 50 };
  const keyed = checkedLimits('keyed', options.keyed) ?? { second: 20, minute: 500, month: 150_000 };
  const others = Object.entries(families).map(
    ([name, { keyless = {}, keyed = {}, cost = () => 1 }]): Family => ({
      name: checkedName(name),
      costOf: (request) => checkedCost(`families.${name}.cost`, cost(request)),
      keyless: checkedLimits(`families.${name}.keyless`, keyless),
      keyed: checkedLimits(`families.${name}.keyed`, keyed),
    }),
  );
  return [{ name: OWN_FAMILY, keyless, keyed, costOf: costFrom(options, routes) }, ...others];
}

/** The name of a further family, which is a part of the names of headers. */
function checkedName(name: string): string {
  if (/^[a-z\d-]+$/.test(name) && name !== OWN_FAMILY) return name;
  throw new Error(
    `families cannot have the name "${name}": it must be of lower-case letters, digits and hyphens, and not ${OWN_FAMILY}, which keyless, keyed and cost are for.`,
  );
}

/** What a function of the caller's says that a request costs. */
function checkedCost(option: string, units: number | undefined): number | undefined {
  if (units !== undefined) checkValue(`What ${option} returns`, units, UNITS);
  return units;
}

function costFrom({ cost = {}, headCost }: MockServiceOptions, routes: Routes): Family['costOf'] {
  if (typeof cost !== 'function') {
    checkEndpoints('cost', cost, routes);
    for (const [name, units] of Object.entries(cost)) if (units !== undefined) checkValue(`cost.${name}`, units, UNITS);
  }
  const costOf = (request: CostQuestion): number | undefined =>
    typeof cost === 'function' ? checkedCost('cost', cost(request)) : (cost[request.endpoint] ?? 1);
  return (request) => (request.method === 'HEAD' && headCost !== undefined ? headCost : costOf(request));
}
