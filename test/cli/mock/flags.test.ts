import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/cli/exit.ts';
import { plan, readFault } from '../../../src/cli/mock/faults.ts';
import { readMockFlags } from '../../../src/cli/mock/flags.ts';
import { readRoutes } from '../../../src/cli/mock/routes.ts';
import { faultPlan } from '../../../src/testing/faults.ts';
import type { ServiceFault } from '../../../src/testing/index.ts';
import { seeded, virtualClock } from '../../../src/testing/index.ts';
import { testFolder } from '../../support/folder.ts';
import { worldOf } from '../support/world.ts';

const { fileWith } = testFolder();

const serviceOf = (...args: string[]): unknown => readMockFlags(args).service;

describe('the flags of the mock', () => {
  it('leave to the service whatever they do not say', () => {
    expect(readMockFlags([])).toEqual({
      port: 0,
      keyFile: undefined,
      routes: undefined,
      seed: 1,
      log: false,
      faults: [],
      service: { limited: {} },
    });
  });

  it.for<[args: string[], service: object]>([
    [
      ['--limit', 'second=20', '--limit', 'minute=500'],
      { keyed: { second: 20, minute: 500 }, keyless: { second: 20, minute: 500 } },
    ],
    [['--limit', 'minute=9', '--keyless', 'minute=3'], { keyed: { minute: 9 }, keyless: { minute: 3 } }],
    [['--keyless', 'day=3'], { keyless: { day: 3 } }],
    [['--window', 'sliding-log'], { windows: 'sliding-log' }],
    [['--window', 'minute=leaky', '--window', 'month=aligned'], { windows: { minute: 'leaky', month: 'aligned' } }],
    [['--charge', 'after', '--count-refused'], { charge: 'after', countRefused: true }],
    [['--cost', '5', '--cost', 'info=0', '--head-cost', '0'], { cost: { assets: 5, info: 0 }, headCost: 0 }],
    [['--cost', 'GET /v2/accounts/{principal}=5'], { cost: { 'GET /v2/accounts/{principal}': 5 } }],
    [['--window', 'month=aligned-30-days'], { windows: { month: 'aligned-30-days' } }],
    [['--unknown-key', 'keyless'], { unknownKey: 'keyless' }],
    [['--unknown-key', '403'], { unknownKey: 403 }],
    [['--limited-status', '503', '--retry-after', 'date'], { limited: { status: 503, retryAfter: 'date' } }],
    [['--retry-after', '3000000'], { limited: { retryAfter: 3_000_000 } }],
    [['--reset', 'seconds-left'], { reset: 'seconds-left' }],
    [['--latency', '50'], { latencyMs: [50, 50] }],
    [['--latency', '20-200'], { latencyMs: [20, 200] }],
    [['--skew=-13s'], { skewMs: -13_000 }],
    [['--skew', '1.5s'], { skewMs: 1_500 }],
    [['--nodes', '3', '--info', '404'], { nodes: 3, info: 404 }],
  ])('%j', ([args, service]) => {
    expect(serviceOf(...args)).toEqual({ limited: {}, ...service });
  });

  it('say how many events each account has', () => {
    const { service } = readMockFlags(['--events', '7']);
    expect(service.assetsOf?.('any')).toBe(7);
  });

  it.for<[args: string[], sentence: string]>([
    [['--limit', '20'], '--limit must name a period, such as minute=500, not "20".'],
    [['--limit', 'week=20'], '--limit must be one of second, minute, hour, day, month, not "week".'],
    [['--limit', 'minute=many'], '--limit must be a whole number, 0 or more, not "many".'],
    [
      ['--window', 'round'],
      '--window must be one of aligned, aligned-30-days, first-request, sliding-log, sliding-counter, leaky, not "round".',
    ],
    [
      ['--window', 'leaky', '--window', 'minute=leaky'],
      '--window must name a period, such as minute=sliding-log, not "leaky".',
    ],
    [['--port', '70000'], '--port must be at most 65535, not "70000".'],
    [['--port', 'http'], '--port must be a whole number, 0 or more, not "http".'],
    [['--latency', '200-20'], '--latency must be milliseconds such as 50 or 20-200, not "200-20".'],
    [['--retry-after', 'soon'], '--retry-after must be one of seconds, date, none, not "soon".'],
    [['--skew', '13'], '--skew must be a time such as 500ms, 30s, 5m, 2h or 1d, not "13".'],
    [['4000'], 'mock takes no arguments, only flags.'],
  ])('refuse %j', ([args, sentence]) => {
    expect(() => readMockFlags(args)).toThrow(new UsageError(sentence));
  });
});

it.for<[text: string, sentence: RegExp]>([
  ['no JSON', /^stacks-quota: --routes \S+ is no JSON: .*\n/],
  ['[]', /^stacks-quota: --routes \S+ must be an object such as .*\n/],
  [
    '{"/v2/info": 5}',
    /^stacks-quota: The name of a route must be a method and a path, such as .*, not "\/v2\/info"\.\n/,
  ],
])('no mock is opened with routes of %j', async ([text, sentence]) => {
  const world = worldOf();
  expect(await world.run('mock', '--routes', fileWith(text))).toBe(2);
  expect(world.stderr.text).toMatch(sentence);
});

it('routes may come from a file with a byte order mark', async () => {
  const routes = await readRoutes(fileWith('\ufeff{"GET /v2/info": 5}'));
  expect(Object.keys(routes)).toEqual(['GET /v2/info']);
});

describe('a fault', () => {
  it.for<[text: string, fault: ServiceFault, meets: object]>([
    ['503', { status: 503 }, { part: 1 }],
    ['503=5%', { status: 503 }, { part: 0.05 }],
    ['edge-502=0.5%', { status: 502, counted: false }, { part: 0.005 }],
    ['reset=3', 'reset', { next: 3 }],
    ['slow-body', 'slow body', { part: 1 }],
    ['no-quota-headers=100%', 'no quota headers', { part: 1 }],
    ['store-down', 'store down', { part: 1 }],
  ])('%s', ([text, fault, meets]) => {
    expect(readFault(text)).toEqual({ fault, meets });
  });

  it.for(['', '99', '600', 'edge-reset', 'toString', '503=', '503=101%', 'reset=2.5', 'reset=-1'])(
    '%j is none',
    (text) => {
      expect(() => readFault(text)).toThrow(UsageError);
    },
  );

  it('that is to meet a part of all requests meets about that part', () => {
    const faults = faultPlan(virtualClock());
    plan(faults, [readFault('reset=20%')], seeded(7));
    const request = { method: 'GET', url: new URL('http://127.0.0.1/'), headers: new Headers() };
    const met = Array.from({ length: 1_000 }, () => faults.nextFault(request)).filter(
      (fault) => fault === 'reset',
    ).length;
    expect(met).toBeGreaterThan(150);
    expect(met).toBeLessThan(250);
  });
});
