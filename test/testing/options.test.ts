import { expect, it } from 'vitest';
import {
  createMockService,
  type MockServiceOptions,
  type ServiceFault,
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
  [{ keys: 'a-key' }, 'keys must be a list of keys, each a text that is not empty, not "a-key".'],
  [{ keys: [''] }, 'keys must be a list of keys, each a text that is not empty, not an array.'],
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
  [{ origin: 'api' }, 'origin must be a URL such as "https://api.mock.test", not "api".'],
  [{ keyless: null }, 'keyless must be limits such as { minute: 50 }, not null.'],
])('a mock service refuses %o', ([options, message]) => {
  expect(made(options)).toThrow(message);
});

it.for([null, [], 'a-key', 5])('a mock service refuses %o in place of its options', (options) => {
  expect(made(options as object)).toThrow('The options of a mock service must be an object, not');
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

it.for([Number.NaN, -1, 0.5])('a mock service has no faults for %o requests', (count) => {
  expect(() => createMockService().faults.next(count, 'lost')).toThrow('must be a whole number, 0 or more');
});

it('a mock service refuses limits of no tier, and options that listen does not have', async () => {
  const service = createMockService();
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

it('a virtual clock needs a wall time', () => {
  expect(() => virtualClock({ wall: Number.NaN })).toThrow('wall must be milliseconds since the Unix epoch, not NaN.');
});
