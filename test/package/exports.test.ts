import { describe, expect, it } from 'vitest';
import { readSources } from './source.ts';

/** Every public name, in the order of the alphabet. A change here is a change of the interface. */
const PUBLIC: Record<string, readonly string[]> = {
  'src/testing/index.ts': [
    'createMockService',
    'mockNetwork',
    'seeded',
    'type CostQuestion',
    'type HeaderLines',
    'type Host',
    'type Latency',
    'type LatencyOption',
    'type LimitedOptions',
    'type LoggedRequest',
    'type MockNetwork',
    'type MockService',
    'type MockServiceOptions',
    'type ResetStyle',
    'type ServiceAnswer',
    'type ServiceEndpoint',
    'type ServiceHeaderOptions',
    'type ServiceLimits',
    'type ServicePeriod',
    'type ServiceRequest',
    'type VirtualClock',
    'type VirtualClockOptions',
    'type WindowKind',
    'virtualClock',
  ],
};

describe('the public names', () => {
  it.for(Object.entries(PUBLIC))('of %s are these and no others', ([path, names]) => {
    const found = readSources().find((source) => source.path === path)?.exports;
    expect(found?.toSorted()).toEqual(names);
  });
});
