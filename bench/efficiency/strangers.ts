import type { MockService, ServiceRequest, VirtualClock } from '../../src/testing/index.ts';
import { untilNext } from '../at-random.ts';
import type { Others } from './scenario.ts';
import type { Traffic } from './world.ts';

const MINUTE_MS = 60_000;

/** How long a phase lasts: no multiple or part of a window. */
const PHASE_MS = 45_000;

/** Requests that a consumer has under way that repeats what is refused. */
const AT_ONCE = { eager: 10, backlogged: 4 };

/** Query that marks the requests of other consumers. */
const PATH = '/extended/v1/info?others';

/** Where other consumers spend, and with what luck. */
export interface StrangersWorld {
  readonly service: MockService;
  readonly key: string | undefined;
  readonly clock: VirtualClock;
  readonly random: () => number;
  readonly traffic: Traffic;
}

/** Whether a request in the service's log is from another consumer. */
export function isOthers(request: { readonly path: string }): boolean {
  return request.path === PATH;
}

/** What other consumers used of the minute in which a run starts: they were there before. */
export function usedBefore({ perSecond, manner }: Others, startsAt: number): { units: number; agoMs: number } {
  const agoMs = startsAt % MINUTE_MS;
  const rate = (perSecond / 1_000) * (manner === 'phases' ? 2 : 1);
  return { units: Math.round(rate * (manner === 'eager' ? MINUTE_MS : agoMs)), agoMs };
}

/** Lets other consumers in, from now on. */
export function letStrangersIn(others: Others, world: StrangersWorld): void {
  const { manner = 'steady' } = others;
  if (manner === 'eager') comeEachMinute(others, world, workers(AT_ONCE.eager, world));
  else if (manner === 'backlogged') comeAtRandom(others, world, workers(AT_ONCE.backlogged, world));
  else comeAtRandom(others, world, () => void send(world));
}

/** Requests at random instants. */
function comeAtRandom(
  { perSecond, manner, atOnce = 1 }: Others,
  { clock, random, traffic }: StrangersWorld,
  ask: () => void,
): void {
  const isPhased = manner === 'phases';
  const meanMs = (1_000 * atOnce) / (isPhased ? 2 * perSecond : perSecond);
  const come = (): void => {
    const isQuiet = isPhased && Math.floor(clock.now() / PHASE_MS) % 2 === 1;
    for (let count = 0; count < atOnce && !isQuiet; count++) {
      traffic.wantedByOthers++;
      ask();
    }
    clock.timer(untilNext(meanMs, random), come);
  };
  come();
}

/** The requests of a minute at its first moment, as a program that is started by the clock makes them. */
function comeEachMinute({ perSecond }: Others, { clock, traffic }: StrangersWorld, ask: () => void): void {
  const come = (): void => {
    for (let count = 0; count < Math.round(perSecond * 60); count++) {
      traffic.wantedByOthers++;
      ask();
    }
    clock.timer(MINUTE_MS - (clock.wall() % MINUTE_MS), come);
  };
  clock.timer(MINUTE_MS - (clock.wall() % MINUTE_MS), come);
}

/** Workers that make one request after the other, and repeat a refused one when the service says so. */
function workers(count: number, world: StrangersWorld): () => void {
  let waiting = 0;
  let idle = count;
  const work = async (): Promise<void> => {
    idle--;
    while (waiting > 0) {
      waiting--;
      for (let waitMs = await send(world); waitMs > 0; waitMs = await send(world)) await world.clock.sleep(waitMs);
    }
    idle++;
  };
  return () => {
    waiting++;
    if (idle > 0) void work();
  };
}

/** Sends a request; resolves with how long to wait before it is repeated, or 0. */
async function send({ service, key, clock, random }: StrangersWorld): Promise<number> {
  const request: ServiceRequest = {
    method: 'GET',
    url: new URL(PATH, service.origin),
    headers: new Headers(key === undefined ? {} : { 'x-api-key': key }),
  };
  const answer = service.answer(request);
  answer.leave();
  await clock.sleep(50 + 100 * random());
  if (!answer.limited) return 0;
  const [, retryAfter] = answer.headers.find(([name]) => name === 'retry-after') ?? [];
  return 1_000 * Number(retryAfter ?? 1);
}
