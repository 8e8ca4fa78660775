import { expect, it } from 'vitest';
import {
  createMockService,
  type MockServiceOptions,
  mockNetwork,
  type ServiceFault,
  seeded,
  virtualClock,
} from '../../src/testing/index.ts';

const made = (options: object) => () => createMockService(options as MockServiceOptions);

it.for<[object, string]>([
  [{ lmits: {} }, 'lmits is not one of the options of a mock service: clock, skewMs, origin, keyless, keyed,'],
  [{ Key: ['a-key'] }, ', assetsOf. Did you mean keys?'],
  [{ lmited: {} }, 'Did you mean limited?'],
  [
    { keyed: { minuts: 50 } },
    'keyed has no period "minuts": it may have second, minute, hour, day, month. Did you mean minute?',
  ],
  [
    { limited: { retryafter: 'none' } },
    'retryafter is not one of the options of limited: status, retryAfter, body. Did you mean retryAfter?',
  ],
  [{ headers: { famly: false } }, 'famly is not one of the options of headers: family, generic,'],
  [
    { families: { nft: { keyd: {} } } },
    'keyd is not one of the options of families.nft: keyless, keyed, cost. Did you mean keyed?',
  ],
  [{ ceilings: { assets: { limits: 5, period: 'minute' } } }, 'Did you mean limit?'],
  [{ ceilings: { assets: 5 } }, 'ceilings.assets must be an object, not 5.'],
  [{ keyed: 50 }, 'keyed must be limits such as { second: 20, minute: 500 }, not 50.'],
  [{ keyed: { minutes: 50 } }, 'keyed has no period "minutes"'],
  [{ cost: 5 }, 'cost must be units by endpoint, such as { assets: 5 }, or a function, not 5.'],
  [{ keys: 'a-key' }, 'keys must be a list of different keys, each a text that is not empty, not "a-key".'],
  [{ keys: [''] }, 'keys must be a list of different keys, each a text that is not empty, not an array.'],
  [{ keys: ['a-key', 'a-key'] }, 'keys must be a list of different keys, each a text that is not empty, not an array.'],
  [{ windows: 'sliding' }, 'windows must be one of aligned, aligned-30-days, first-request, sliding-log,'],
  [{ windows: { minute: 'leeky' } }, 'windows must be one of aligned,'],
  [{ unknownKey: 404 }, 'unknownKey must be one of "keyless", 401, 403, not 404.'],
  [{ latencyMs: Number.NaN }, 'latencyMs must be milliseconds, two bounds such as [20, 200], or a function, not NaN.'],
  [
    { latencyMs: '20-200' },
    'latencyMs must be milliseconds, two bounds such as [20, 200], or a function, not "20-200".',
  ],
  [{ nodes: 0 }, 'nodes must be a whole number, 1 or more, not 0.'],
  [{ skewMs: Number.NaN }, 'skewMs must be milliseconds, not NaN.'],
  [{ origin: 'api' }, 'origin must be a URL without a path, such as "https://api.mock.test", not "api".'],
  [{ origin: 'https://api.mock.test/v2' }, 'origin must be a URL without a path, such as "https://api.mock.test", not'],
  [{ keyless: null }, 'keyless must be limits such as { minute: 50 }, not null.'],
  [{ keyed: { minute: '5' } }, 'keyed.minute must be 0 units or more, not "5".'],
  [{ keyed: { minute: Number.POSITIVE_INFINITY } }, 'keyed.minute must be 0 units or more, not Infinity.'],
  [
    { families: { stacks: {} } },
    'families cannot have the name "stacks": it must be of lower-case letters, digits and',
  ],
  [{ families: { 'a b': {} } }, 'families cannot have the name "a b": it must be of lower-case letters, digits and'],
  [{ clock: {} }, 'clock must be a clock with now, wall and timer, such as virtualClock() makes, not an object.'],
  [
    { latencyMs: [200, 20] },
    'latencyMs must be milliseconds, two bounds such as [20, 200], or a function, not an array.',
  ],
  [{ limited: { status: 500 } }, 'limited.status must be one of 429, 403, 503, not 500.'],
  [{ limited: { retryAfter: 'soon' } }, 'limited.retryAfter must be "seconds", "date", "none", a number of seconds,'],
  [{ headers: { exhausted: 'x' } }, 'headers.exhausted must be one of 0, -1, not "x".'],
  [{ ceilings: { assets: {} } }, 'ceilings.assets must have a limit and a period, such as { limit: 100,'],
  [
    { ceilings: { asets: { limit: 5, period: 'minute' } } },
    'ceilings has an endpoint without a route, "asets": it may have assets, info, or a path. Did you mean assets?',
  ],
  [{ cost: { 'GET /v2/info': 5 } }, 'cost has an endpoint without a route, "GET /v2/info": it may have assets, info,'],
  [{ cost: { assets: '5' } }, 'cost.assets must be units, 0 or more, not "5".'],
  [
    { routes: { 'GET /v2/info': { height: 5 } } },
    'The route GET /v2/info must be a function of a request, not an object.',
  ],
  [{ routes: { 'GTE /v2/info': () => 5 } }, 'The route GTE /v2/info has the method GTE: it may be GET, HEAD, POST,'],
  [{ routes: { 'GET /{}': () => 5 } }, 'The route GET /{} must have a name in each pair of braces, such as {height}.'],
  [
    { routes: { 'GET /{a}/{a}': () => 5 } },
    'The route GET /{a}/{a} has {a} twice: each placeholder must have a name of its own.',
  ],
  [
    { routes: { 'GET /a/{b}': () => 5, 'POST /a/{b}': () => 6, 'GET /a/{c}': () => 7 } },
    'The routes GET /a/{b} and GET /a/{c} answer the same requests.',
  ],
  [{ routes: { 'GET /{a': () => 5 } }, 'The route GET /{a must have a name in each pair of braces'],
])('a mock service refuses %o', ([options, message]) => {
  expect(made(options)).toThrow(message);
});

it.for([null, [], 'a-key', 5, new Map(), new Date(), Promise.resolve()])(
  'a mock service refuses %o in place of its options',
  (options) => {
    expect(made(options as object)).toThrow('The options of a mock service must be an object, not');
  },
);

it.for<[object, string]>([
  [{ cost: () => Number.NaN }, 'What cost returns must be units, 0 or more, not NaN.'],
  [{ cost: async () => 5 }, 'What cost returns must be units, 0 or more, not Promise.'],
  [{ families: { nft: { cost: () => -1 } } }, 'What families.nft.cost returns must be units, 0 or more, not -1.'],
])('a mock service answers nothing where %o is wrong about a cost', async ([options, message]) => {
  const { fetch, origin } = createMockService(options);
  await expect(fetch(`${origin}/extended/v1/info`)).rejects.toThrow(message);
});

it('a mock service takes an option that is undefined as left out', () => {
  expect(made({ keyed: undefined, latencyMs: undefined, lmits: undefined })).not.toThrow();
});

it.for(['lots', {}, 5, null])('a mock service refuses the fault %o, and says which there are', (fault) => {
  const { faults } = createMockService();
  const say = 'A fault must be { status }, { redirect } or one of reset, lost, hang';
  expect(() => faults.next(1, fault as ServiceFault)).toThrow(say);
  if (fault !== null) expect(() => faults.outage(0, 5, fault as ServiceFault)).toThrow(say);
});

it.for<[object, string]>([
  [
    { status: 522, countd: false },
    'countd is not one of the fields of a fault: status, headers, body, counted. Did you mean counted?',
  ],
  [{ status: '503' }, 'fault.status must be a status from 200 to 599, not "503".'],
  [{ status: 99 }, 'fault.status must be a status from 200 to 599, not 99.'],
  [
    { status: 429, headers: { 'retry-after': 5 } },
    'fault.headers must be an object of names and texts, not an object.',
  ],
  [{ status: 500, body: { error: 'x' } }, 'fault.body must be text, not an object.'],
  [{ status: 500, counted: 'no' }, 'fault.counted must be one of true, false, not "no".'],
  [{ redirect: '/x', status: 200 }, 'redirect.status must be one of 301, 302, 303, 307, 308, not 200.'],
  [{ redirect: 5 }, 'redirect.redirect must be text, not 5.'],
  [{ redirect: '/x', body: '' }, 'body is not one of the fields of a redirect: redirect, status.'],
  [{ sttus: 522 }, 'not {"sttus":522}. Did you mean status?'],
])('a mock service refuses the fault %o, and says what its fields may be', async ([given, message]) => {
  const fault = given as ServiceFault;
  const { faults, fetch, origin } = createMockService();
  expect(() => faults.next(1, fault)).toThrow(message);
  expect(() => faults.outage(0, 5, fault)).toThrow(message);
  faults.when(() => fault);
  await expect(fetch(origin)).rejects.toThrow(message);
});

it('a mock service refuses a rule that is no function, and an outage without a beginning or an end', () => {
  const { faults } = createMockService();
  expect(() => faults.when('reset' as never)).toThrow(
    'The rule must be a function of a request that returns a fault, not "reset".',
  );
  expect(() => faults.when({ status: 500 } as never)).toThrow('The rule must be a function');
  expect(() => faults.outage(Number.NaN, 5)).toThrow('The beginning of an outage must be milliseconds, not NaN.');
  expect(() => faults.outage(5, 1)).toThrow('The end of an outage must be milliseconds, 5 or more, not 1.');
  expect(() => faults.outage(5, undefined as never)).toThrow('The end of an outage must be');
  expect(() => faults.outage(5, Infinity)).not.toThrow();
});

it.for([Number.NaN, -1, '5', Infinity])('a mock service refuses to spend %o', (units) => {
  expect(() => createMockService().spend(units as number)).toThrow('What is spent must be units, 0 or more, not');
});

it.for([Number.NaN, '5', undefined])('a mock service refuses the skew %o', (ms) => {
  expect(() => createMockService().setSkew(ms as number)).toThrow('The skew must be milliseconds, not');
});

it.for([Number.NaN, -1, 0.5])('a mock service has no faults for %o requests', (count) => {
  expect(() => createMockService().faults.next(count, 'lost')).toThrow('must be a whole number, 0 or more');
});

it.for<[object, string]>([
  [{ port: 'x' }, 'port must be a port from 0 to 65535, not "x".'],
  [{ port: -1 }, 'port must be a port from 0 to 65535, not -1.'],
  [{ exchange: 5 }, 'exchange must be a function, not 5.'],
  [null as never, 'The options of listen must be an object, not null.'],
  [new Map(), 'The options of listen must be an object, not Map.'],
])('a mock service does not listen at %o', async ([at, message]) => {
  await expect(createMockService().listen(at)).rejects.toThrow(message);
});

it('a mock service refuses limits of no tier, and options that listen does not have', async () => {
  const service = createMockService();
  expect(() => service.setLimits(5 as never)).toThrow('The limits of a mock service must be an object, not 5.');
  expect(() => service.setLimits({ ceilings: { asets: { limit: 5, period: 'day' } } })).toThrow('Did you mean assets?');
  expect(() => service.setLimits({ keylss: { minute: 5 } } as object)).toThrow(
    'keylss is not one of the limits of a mock service: keyless, keyed, ceilings. Did you mean keyless?',
  );
  await expect(service.listen({ prt: 80 } as object)).rejects.toThrow(
    'prt is not one of the options of listen: port, exchange. Did you mean port?',
  );
});

it('a virtual clock refuses an option that it does not have', () => {
  const options = { wal: 5 } as object;
  expect(() => virtualClock(options)).toThrow(
    'wal is not one of the options of a virtual clock: wall. Did you mean wall?',
  );
});

it('a virtual clock, a network and seeded numbers refuse what they cannot use', async () => {
  expect(() => virtualClock(5 as never)).toThrow('virtualClock takes { wall: 5 }, not 5.');
  expect(() => virtualClock(null as never)).toThrow('The options of a virtual clock must be an object, not null.');
  expect(() => virtualClock(new Date() as never)).toThrow('The options of a virtual clock must be an object, not');
  expect(() => virtualClock().timer(5, 5 as never)).toThrow('What a timer calls must be a function, not 5.');
  await expect(virtualClock().sleep(5, {} as never)).rejects.toThrow(
    'The signal must be an AbortSignal, not an object.',
  );
  await expect(virtualClock().run(5 as never)).rejects.toThrow(
    'run takes a promise, or a function that returns one, not 5.',
  );
  for (const host of [{}, null, { exchange() {} }])
    expect(() => mockNetwork(host as never)).toThrow('mockNetwork takes mock services, one after the other.');
  expect(() => mockNetwork(createMockService(), createMockService())).toThrow(
    'Two services have one origin: give each an origin of its own.',
  );
  expect(() => seeded('x' as never)).toThrow('The seed must be a number, not x.');
  expect(() => seeded(Symbol('x') as never)).toThrow('The seed must be a number, not Symbol(x).');
});

it('a virtual clock needs a wall time', () => {
  expect(() => virtualClock({ wall: Number.NaN })).toThrow('wall must be milliseconds since the Unix epoch, not NaN.');
});
