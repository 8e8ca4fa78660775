import { atRandom } from '../../at-random.ts';
import type { Arrival, OpenTraffic } from '../world.ts';

/** How long traffic lasts that is no job of a minute, in milliseconds. */
const LASTS_MS = 72_000;

/** Calls at random instants, at this rate in each process. */
export function steady(perSecond: number): (processes: number) => OpenTraffic {
  return (processes) =>
    open((random) => each(processes, (by) => instantsOf(perSecond, LASTS_MS, random).map((atMs) => ({ atMs, by }))));
}

/** Calls at random instants: `largePerSecond` in the first process, one a second in each of the others. */
export function uneven(largePerSecond: number): (processes: number) => OpenTraffic {
  return (processes) =>
    open((random) =>
      each(processes, (by) =>
        instantsOf(by === 0 ? largePerSecond : 1, LASTS_MS, random).map((atMs) => ({ atMs, by })),
      ),
    );
}

/** Single calls of the first process, at random instants, every `everyMs` on average. */
export function inTheFirst(everyMs: number): () => OpenTraffic {
  return () => open((random) => instantsOf(1_000 / everyMs, LASTS_MS, random).map((atMs) => ({ atMs, by: 0 })));
}

/** So many calls of a process at once, at random instants, every `everyMs` on average. */
export function bursts(calls: number, everyMs: number, lastsMs: number = LASTS_MS): (processes: number) => OpenTraffic {
  return (processes) =>
    open((random) =>
      each(processes, (by) =>
        instantsOf(1_000 / everyMs, lastsMs, random).flatMap((atMs) =>
          Array.from({ length: calls }, () => ({ atMs, by })),
        ),
      ),
    );
}

/** Calls of this priority at random instants, at this rate in each process but the first, which begins a bulk of priority -1 after half a minute. */
export function besideBulk(calls: number, perSecond: number, priority: number): (processes: number) => OpenTraffic {
  return (processes) =>
    open((random) => [
      ...Array.from({ length: calls }, () => ({ atMs: 30_000, by: 0, priority: -1 })),
      ...each(processes - 1, (by) =>
        instantsOf(perSecond, 240_000, random).map((atMs) => ({ atMs, by: by + 1, priority })),
      ),
    ]);
}

/** A job of each minute, which the processes do in turn: so many calls at once. */
export function jobs(calls: number, minutes: number): (processes: number) => OpenTraffic {
  return (processes) =>
    open((random) =>
      each(minutes, (minute) => {
        const atMs = minute * 60_000 + random() * 10_000;
        return Array.from({ length: calls }, () => ({ atMs, by: minute % processes }));
      }),
    );
}

/** Random instants before `untilMs`, in milliseconds, so many in a second on average. */
export function instantsOf(perSecond: number, untilMs: number, random: () => number): number[] {
  const instants: number[] = [];
  for (const at of atRandom(perSecond / 1_000, 0, random)) {
    if (at >= untilMs) break;
    instants.push(at);
  }
  return instants;
}

function open(arrivals: OpenTraffic['arrivals']): OpenTraffic {
  return { kind: 'open', arrivals };
}

function each(count: number, of: (index: number) => readonly Arrival[]): Arrival[] {
  return Array.from({ length: count }, (_, index) => of(index)).flat();
}
