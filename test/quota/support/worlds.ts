import fc from 'fast-check';
import type { Call, Job } from './drive.ts';
import type { Terms } from './service.ts';

/** Our wall clock when a run begins: some way into a minute, so that windows are met at any point of theirs. */
const wall: fc.Arbitrary<number> = fc.integer({ min: 0, max: 60_000 }).map((ms) => Date.UTC(2026, 5, 15, 10, 20) + ms);

const limits: fc.Arbitrary<Terms['limits']> = fc.oneof(
  fc.record({ second: fc.integer({ min: 2, max: 30 }) }),
  fc.record({ minute: fc.integer({ min: 2, max: 60 }) }),
  fc.record({ second: fc.integer({ min: 2, max: 30 }), minute: fc.integer({ min: 2, max: 90 }) }),
);

/** One-way latencies, mostly of some tens of milliseconds and sometimes close to what counts as lost. */
const latency: fc.Arbitrary<Job['up']> = fc
  .tuple(
    fc.integer({ min: 0, max: 100 }),
    fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 1_200 })),
  )
  .map(([least, more]) => [least, least + more]);

const equalCalls: fc.Arbitrary<readonly Call[]> = fc
  .tuple(fc.integer({ min: 1, max: 100 }), fc.constantFrom(1, 1, 2))
  .map(([many, cost]) => Array.from({ length: many }, () => ({ endpoint: 'GET /equal', cost })));

const declaredCalls: fc.Arbitrary<readonly Call[]> = fc.array(
  fc.record({
    endpoint: fc.constantFrom('GET /a', 'GET /b'),
    cost: fc.constantFrom(1, 2),
    isDeclared: fc.constant(true),
  }),
  { minLength: 1, maxLength: 60 },
);

const FATES = ['lost on the way', 'lost on the way back', 'unsent', 'forgotten'] as const;

const mishaps: fc.Arbitrary<NonNullable<Job['mishaps']>> = fc.constantFrom(
  [],
  FATES.map((fate) => ({ fate, oneIn: 12 })),
);

/** A service that keeps to its terms, without other consumers. */
export const honest: fc.Arbitrary<World> = fc
  .record({
    terms: fc.record({
      shape: fc.constantFrom('aligned', 'sliding-log'),
      limits,
      charges: fc.constantFrom('before', 'after'),
      hasQuota: fc.constant(true),
      hasDate: fc.boolean(),
      reset: fc.constantFrom('never told', 'seconds left', 'seconds', 'milliseconds'),
      hasRetryAfter: fc.boolean(),
    }),
    lead: fc.integer({ min: -60_000, max: 60_000 }),
    job: fc.record({
      calls: fc.oneof(equalCalls, declaredCalls),
      concurrency: fc.integer({ min: 1, max: 40 }),
      up: latency,
      down: latency,
      mishaps,
      // Whoever knows nothing of a service cannot know that a lost request was all that it would take.
      spared: fc.constant(1),
      origin: fc.integer({ min: 0, max: 1_000_000_000 }),
      wall,
      seed: fc.nat(),
    }),
  })
  .map(({ terms, lead, job }) => ({ terms: { ...terms, startsAt: job.wall + lead }, job }));

/** How far the service's clock is set at most, in milliseconds. */
export const STEP_MS = 50_000;

/** A service, and what is to be asked of it. */
export interface World {
  readonly terms: Terms;
  readonly job: Job;
}

/** The same of an API whose answers carry the headers of every API alone. Its one limit is per minute. */
export const plain: fc.Arbitrary<World> = honest
  .filter(({ terms }) => terms.shape === 'aligned' && terms.reset !== 'never told' && isTimeTold(terms))
  // Past the end of a window one request goes at a time; if they are lost, a small one is spent unseen.
  .map(({ terms, job }) => ({
    terms: { ...terms, hasQuota: false, limits: { minute: 25 + (terms.limits.minute ?? 0) } },
    job: { ...job, calls: [...job.calls, ...job.calls].map(() => ({ endpoint: 'GET /plain', cost: 1 })) },
  }));

/** The same of a network that loses every third request, and of answers that overtake each other by far. */
export const lossy: fc.Arbitrary<World> = fc
  .record({ world: honest.filter(({ terms }) => isTimeTold(terms)), most: fc.integer({ min: 0, max: 3_900 }) })
  .map(({ world: { terms, job }, most }) => ({
    terms,
    job: { ...job, down: [0, most], spared: 0, mishaps: FATES.map((fate) => ({ fate, oneIn: 12 })) },
  }));

/** The same, on a network that loses nothing, of a service whose clock is set once. */
export const stepped: fc.Arbitrary<World> = fc
  .record({
    world: honest.filter(({ terms }) => isTimeTold(terms)),
    at: fc.integer({ min: 0, max: 70_000 }),
    ms: fc.integer({ min: -STEP_MS, max: STEP_MS }),
  })
  .map(({ world: { terms, job }, at, ms }) => ({
    terms,
    job: { ...job, mishaps: [], events: [{ at, act: (service) => service.step(ms) }] },
  }));

/** Without a `date`, a timestamp can only be held against our own wall clock, which may be wrong. */
function isTimeTold({ hasDate, reset }: Pick<Terms, 'hasDate' | 'reset'>): boolean {
  return hasDate || reset === 'never told' || reset === 'seconds left';
}
