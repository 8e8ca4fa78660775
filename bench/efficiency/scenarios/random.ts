import { type ResetStyle, type ServiceLimits, seeded, type WindowKind } from '../../../src/testing/index.ts';
import type { Distance } from '../latencies.ts';
import type { Scenario } from '../scenario.ts';

const NAME = /^random world (\d+)$/;
const ODDS = { costly: 0.25, both: 0.5, late: 0.5, jobs: 0.3 };

/** Generates a scenario from a number: an honest service with random shape, limits and variants. */
function randomScenario(number: number): Scenario {
  const random = seeded(7_919 * number);
  const one = <T>(...choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  const windows = one<WindowKind>('aligned', 'first-request', 'sliding-log', 'sliding-counter', 'leaky');
  const second = one(2, 5, 10, 20, 50);
  const minute = one(20, 50, 100, 300, 500);
  const limits: ServiceLimits =
    random() < ODDS.both && second * 60 > minute ? { second, minute } : one<ServiceLimits>({ second }, { minute });
  const isCostly = random() < ODDS.costly && Math.min(...Object.values(limits)) >= 10;
  const cost = isCostly ? { cost: { info: 1, assets: one(0, 2, 3, 5) } } : {};
  const inMinute = Math.min(limits.minute ?? Infinity, 60 * (limits.second ?? Infinity));
  const distance = one<Distance>('near', 'usual', 'usual', 'heavy', 'far');
  const service = {
    ...cost,
    charge: one<'before' | 'after'>('before', 'after'),
    countRefused: random() < 0.3,
    skewMs: Math.round(90_000 * (random() - 0.5)),
    reset: one<ResetStyle>('epoch-seconds', 'epoch-ms', 'seconds-left'),
    limited: {
      status: one<429 | 403 | 503>(429, 403, 503),
      retryAfter: one<'seconds' | 'date' | 'none'>('seconds', 'date', 'none'),
    },
    headers: { generic: random() < 0.7, date: random() < 0.9, cost: isCostly || random() < 0.8 },
  };
  const startsLate = random() < ODDS.late;
  const repeated = random() < ODDS.jobs ? { times: 6, everyMs: one(30_000, 60_000, 60_000, 90_000) } : undefined;
  // Enough calls for four and a half minutes of the limiting window, up to what can be simulated; a job needs a part of one.
  const minutes = repeated ? (one(0.3, 0.6, 0.9) * repeated.everyMs) / 60_000 : 4.5;
  const bulk = Math.min(2_000, Math.ceil(minutes * inMinute));
  return {
    name: `random world ${number}`,
    about: JSON.stringify({ windows, limits, distance, bulk, repeated, startsLate, ...service }).replace(/[{}"]/g, ''),
    promised: 'honest',
    limits,
    windows,
    distance,
    service,
    bulk,
    ...(repeated && { repeated }),
    startsLate,
    errand: () => ({ endpoint: isCostly && random() < 0.4 ? 'assets' : 'info' }),
  };
}

/** Returns the random scenario with this name, if it is one. */
export function randomScenarioNamed(name: string): Scenario | undefined {
  const number = NAME.exec(name)?.[1];
  return number === undefined ? undefined : randomScenario(Number(number));
}
