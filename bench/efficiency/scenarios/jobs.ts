import type { ServiceLimits, WindowKind } from '../../../src/testing/index.ts';
import type { Scenario } from '../scenario.ts';
import { KINDS } from './shapes.ts';

const USUAL: ServiceLimits = { second: 20, minute: 500 };

/** A job that runs each minute and needs less than all of it. */
function job(windows: WindowKind): Scenario {
  return {
    name: `400 each minute, ${windows}`,
    promised: 'honest',
    limits: USUAL,
    windows,
    bulk: 400,
    repeated: { times: 5, everyMs: 60_000 },
  };
}

/** The job in each shape, and where only `ratelimit-*` tell of the windows. */
export const jobs: readonly Scenario[] = [
  ...KINDS.map(job),
  ...(['aligned', 'sliding-counter'] as const).map((windows): Scenario => {
    const known = job(windows);
    return {
      ...known,
      name: `${known.name}, only generic headers`,
      isDeep: true,
      service: { headers: { family: false } },
    };
  }),
];

/** The shapes of a minute, begun in its second half. */
export const late: readonly Scenario[] = KINDS.map(
  (windows): Scenario => ({
    name: `${windows}: 50/min, begun late`,
    promised: 'honest',
    limits: { minute: 50 },
    windows,
    bulk: 225,
    startsLate: true,
  }),
);
