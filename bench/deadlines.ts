/**
 * What `maxQueueMs` promises and what came of it: calls made at once, a quarter of them of 25 units and the rest of one, in windows of
 * five shapes, from six starts, in virtual time. `node bench/deadlines.ts` prints a line for each way of knowing the costs; with `known`
 * or another name only that one, with `--retry` also how many refused calls could have been sent in time. With `--time` it prints
 * instead how long it takes to make calls, which wait for each other, so that each is estimated behind those before it.
 */
import { parseArgs } from 'node:util';
import { type ClientEvent, createClient, isQuotaExhausted } from '../src/index.ts';
import { createMockService, type MockServiceOptions, seeded, virtualClock } from '../src/testing/index.ts';

const SHAPES = ['aligned', 'first-request', 'sliding-log', 'sliding-counter', 'leaky'] as const;
const LIMITS: readonly NonNullable<MockServiceOptions['keyless']>[] = [{ minute: 100 }, { second: 50, minute: 500 }];
const STARTS = [1, 2, 3, 4, 5, 6];
const WINDOW_MS = 60_000;
const MAX_QUEUE_MS = 90_000;
const CALLS = 240;
const MISSES = 3;

/** How the client knows what its calls cost. */
const WAYS = {
  /** Each states its cost. */
  known: { states: true, byQuery: true, before: 1 },
  /** The query decides, and no answer has shown it. */
  unknown: { states: false, byQuery: true, before: 1 },
  /** Nor has any answer told a limit. */
  fresh: { states: false, byQuery: true, before: 0 },
  /** Nothing in the request decides. */
  random: { states: false, byQuery: false, before: 1 },
} as const;

interface World {
  readonly way: keyof typeof WAYS;
  readonly windows: (typeof SHAPES)[number];
  readonly limits: (typeof LIMITS)[number];
  readonly start: number;
}

/** What became of a call, in milliseconds since it was made. */
interface Fate {
  sentAt?: number;
  refusedAt?: number;
}

/** Makes the calls of a world, of which some may wait as long as it takes. */
async function fatesIn(
  { way, windows, limits, start }: World,
  patient: ReadonlySet<number> = new Set(),
): Promise<readonly Fate[]> {
  const { states, byQuery, before } = WAYS[way];
  const clock = virtualClock({ wall: Date.UTC(2026, 0, 15, 12, 0, 9 * start, 300) });
  const costs = costsFrom(start);
  const service = createMockService({
    ...{ clock, windows, keyless: limits, latencyMs: [40, 160], random: seeded(start) },
    cost: ({ url }) =>
      Number(url.searchParams.get('units') ?? (byQuery ? 1 : (costs[Number(url.searchParams.get('nth'))] ?? 1))),
  });
  const client = createClient({
    ...{ baseUrl: service.origin, fetch: service.fetch, clock, random: seeded(start + 1) },
    maxWaitMs: Infinity,
  });
  for (let nth = 0; nth < before; nth++) await clock.run(client.get('/extended/v1/info'));
  await clock.advance(1_000);
  const fates = costs.map((): Fate => ({}));
  const madeAt = clock.now();
  client.subscribe((event: ClientEvent) => {
    if (event.type === 'sent') (fates[Number(event.label)] as Fate).sentAt ??= clock.now() - madeAt;
  });
  const calls = costs.map(async (units, nth) => {
    const fate = fates[nth] as Fate;
    try {
      await client.get('/extended/v1/info', {
        ...{ label: String(nth), query: byQuery ? { units } : { nth }, cost: states ? units : undefined },
        maxQueueMs: patient.has(nth) ? Infinity : MAX_QUEUE_MS,
      });
    } catch (error) {
      if (!isQuotaExhausted(error)) throw error;
      fate.refusedAt = clock.now() - madeAt;
    }
  });
  await clock.run(Promise.all(calls));
  return fates;
}

function costsFrom(start: number): readonly number[] {
  const draw = seeded(100 + start);
  return Array.from({ length: CALLS }, () => (draw() < 0.25 ? 25 : 1));
}

/**
 * How many of the refused calls would have been sent more than a window before their instant, and cost no other call its place. They are tried
 * one after the other, each in the same world without its `maxQueueMs` beside those that were found so far: a unit that is left over is
 * enough for one call, and is no reason to have refused a hundred. A call for which another one is refused or late has only changed places.
 * Calls of one cost are equal, so that after three of them that could not be sent none is tried.
 */
async function needless(world: World, fates: readonly Fate[]): Promise<number> {
  const found = new Set<number>();
  const costs = costsFrom(world.start);
  let missed = missedOf(fates, found);
  for (const units of new Set(costs)) {
    let misses = 0;
    for (const [nth, { refusedAt }] of fates.entries()) {
      if (refusedAt === undefined || costs[nth] !== units || misses === MISSES) continue;
      const tried = new Set([...found, nth]);
      const then = await fatesIn(world, tried);
      const missedThen = missedOf(then, tried);
      const isInTime = (then[nth]?.sentAt ?? Infinity) < MAX_QUEUE_MS - WINDOW_MS;
      if (isInTime && missedThen < missed) {
        found.add(nth);
        missed = missedThen;
        misses = 0;
      } else misses++;
    }
  }
  return found.size;
}

/** How many calls are refused or late, but for those that have no `maxQueueMs`. */
function missedOf(fates: readonly Fate[], patient: ReadonlySet<number>): number {
  const isMissed = ({ sentAt = 0, refusedAt }: Fate): boolean => refusedAt !== undefined || sentAt > MAX_QUEUE_MS;
  return fates.filter((fate, nth) => !patient.has(nth) && isMissed(fate)).length;
}

async function tell(way: keyof typeof WAYS, isRetrying: boolean): Promise<void> {
  let [calls, refused, stood, late, latest, inTime] = [0, 0, 0, 0, 0, 0];
  for (const windows of SHAPES) {
    for (const limits of LIMITS) {
      for (const start of STARTS) {
        const world = { way, windows, limits, start };
        const fates = await fatesIn(world);
        for (const { sentAt = 0, refusedAt } of fates) {
          calls++;
          if (refusedAt !== undefined) refused++;
          if ((refusedAt ?? 0) > WINDOW_MS) stood++;
          if (sentAt > MAX_QUEUE_MS + WINDOW_MS) late++;
          latest = Math.max(latest, sentAt);
        }
        if (isRetrying) inTime += await needless(world, fates);
      }
    }
  }
  const said = [
    `${calls} calls, ${refused} refused (${stood} of them after more than a window)`,
    `${late} sent more than a window late (the last ${((latest - MAX_QUEUE_MS) / WINDOW_MS).toFixed(1)} windows)`,
    ...(isRetrying ? [`${inTime} of the refused could have been sent more than a window early`] : []),
  ];
  console.log(`${way}: ${said.join('; ')}`);
}

/** Calls that are made in turns. */
const MIXES = {
  'of one kind': { priorities: 1, endpoints: 1 },
  'of two priorities': { priorities: 2, endpoints: 1 },
  'of seven priorities': { priorities: 7, endpoints: 1 },
  'of five endpoints': { priorities: 1, endpoints: 5 },
} as const;
const MADE = 1_500;

/** How long it takes to make calls that only other calls hold back, in milliseconds. */
async function msToMake({ priorities, endpoints }: (typeof MIXES)[keyof typeof MIXES]): Promise<number> {
  const clock = virtualClock();
  const paths = Array.from({ length: endpoints }, (_, nth) => `/extended/v${nth}/x` as const);
  const routes = Object.fromEntries(paths.map((path) => [`GET ${path}`, () => ({})]));
  const service = createMockService({ clock, routes, latencyMs: [50, 90], keyless: { minute: 1_000_000 } });
  const client = createClient({ baseUrl: service.origin, fetch: service.fetch, clock });
  for (const path of paths) await clock.run(client.get(path));
  const from = performance.now();
  const calls = Array.from({ length: MADE }, (_, nth) =>
    client.get(paths[nth % endpoints] ?? '/', { priority: nth % priorities, maxQueueMs: MAX_QUEUE_MS }),
  );
  const tookMs = performance.now() - from;
  await clock.run(Promise.all(calls));
  return tookMs;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { retry: { type: 'boolean', default: false }, time: { type: 'boolean', default: false } },
});
if (values.time) {
  for (const [name, mix] of Object.entries(MIXES))
    console.log(`${MADE} calls ${name}: ${(await msToMake(mix)).toFixed(0)} ms`);
  process.exit();
}
for (const way of Object.keys(WAYS) as (keyof typeof WAYS)[])
  if (positionals.length === 0 || positionals.includes(way)) await tell(way, values.retry);
