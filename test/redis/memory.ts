import type { IoredisLike } from '../../src/redis/connection.ts';
import { LONGEST_PAUSE_MS, type Request, type Wish } from '../../src/redis/message.ts';

/** What stands in for a Redis server where time is virtual: it does what the script does, and the contract holds it to that. */
export interface MemoryRedis extends IoredisLike {
  /** Trips that were made. */
  readonly trips: number;
  /** Forgets everything. */
  flush(): void;
}

/** One process's claims, and all of them together, by period and slice. */
interface Memory {
  readonly members: Map<string, number>;
  readonly sequences: Map<string, number>;
  readonly known: Map<string, string>;
  readonly claims: Map<string, number>;
  readonly holds: Map<string, { held: number; slice: number; at: number }>;
  born: number;
  pause: { since: number; until: number } | undefined;
  version: number;
  scout: { name: string; since: number; until: number } | undefined;
  scouted: number;
}

/**
 * Makes a store in memory.
 *
 * @param time - its clock, in milliseconds since the Unix epoch.
 * @param wire - takes each trip there and back: it may be slow, or break.
 */
export function memoryRedis(time: () => number, wire: (work: () => string) => Promise<string>): MemoryRedis {
  const tags = new Map<string, Memory>();
  let trips = 0;
  const run = (_script: string, count: number, ...rest: string[]): Promise<unknown> => {
    trips++;
    const tag = rest[0] ?? '';
    return wire(() => {
      const memory = tags.get(tag) ?? fresh();
      tags.set(tag, memory);
      return JSON.stringify(answer(memory, JSON.parse(rest[count] ?? '') as Request, Math.floor(time())));
    });
  };
  return {
    evalsha: run,
    eval: run,
    get trips() {
      return trips;
    },
    flush: () => tags.clear(),
  };
}

function fresh(): Memory {
  return {
    ...{ members: new Map(), sequences: new Map(), known: new Map(), claims: new Map(), holds: new Map() },
    ...{ born: 0, pause: undefined, version: 0, scout: undefined, scouted: 0 },
  };
}

function answer(memory: Memory, ask: Request, now: number): object {
  if ((memory.sequences.get(ask.me) ?? 0) >= ask.sequence) return { now, stale: 1 };
  memory.sequences.set(ask.me, ask.sequence);
  if (ask.work) memory.members.set(ask.me, now);
  else memory.members.delete(ask.me);
  for (const [gone, at] of memory.members) {
    if (at > now - 60_000) continue;
    memory.members.delete(gone);
    memory.sequences.delete(gone);
  }
  const live = [...memory.members].filter(([, at]) => at >= now - ask.live).map(([name]) => name);
  const rank = live.filter((name) => name < ask.me).length;
  if (memory.born === 0 || memory.born > now) memory.born = now;
  const isFresh = now - memory.born < 3_000 || ask.returning;
  const peers = Math.max(1, live.length, isFresh ? ask.peers : 0);
  const scout = scoutOf(memory, ask, now);
  let room = Number.POSITIVE_INFINITY;
  const rows = ask.windows.map((window) => {
    const at = (slice: number | string): string => `${window.period} ${slice}`;
    const get = (slice: number | string): number => memory.claims.get(at(slice)) ?? 0;
    const add = (slice: number | string, units: number): void =>
      void memory.claims.set(at(slice), Math.max(0, get(slice) + units));
    const total = (from: number, to: number): number => {
      let sum = 0;
      for (let slice = from; slice <= to; slice++) sum += get(slice) + get(`f${slice}`);
      return sum;
    };
    if (window.long) reap(memory, window.period, ask.me, now);
    for (const [slice, units] of window.claims) {
      const more = units - get(`${slice}:${ask.me}`);
      add(`${slice}:${ask.me}`, more);
      add(slice, more);
      if (more > 0) add(`f${slice}`, -more);
    }
    let strange = 0;
    if (window.said) {
      const { from, to, used, slice } = window.said;
      strange = Math.max(0, used - total(from, to));
      add(`f${slice}`, strange);
      add(`u${slice}`, Math.max(0, used - get(`u${slice}`)));
    }
    let given = 0;
    const granted = window.wishes.map((wish: Wish) => {
      let left = window.limit - total(wish.from, wish.to);
      const mayTry = wish.try !== undefined && left < wish.need && total(wish.try, wish.to) === 0;
      if (mayTry && get('tried') < now - window.length / 2) {
        memory.claims.set(at('tried'), now);
        left = wish.need;
      }
      const part = Math.floor((window.limit + ((rank + Math.floor(wish.slice / 10)) % peers)) / peers);
      const due = Math.max(0, part - get(`${wish.slice}:${ask.me}`));
      let fair = wish.need > part ? Math.max(due, wish.need) : due;
      if (wish.late && !isFresh)
        fair = Math.max(fair, wish.need, due + Math.ceil(Math.max(0, left - due) / (2 * peers)));
      if (!wish.ahead) fair = Math.min(fair, Math.max(wish.need, Math.ceil(left / 2)));
      let grant = Math.floor(Math.min(wish.want, left, fair, wish.most, room - window.held - given));
      if (grant < wish.need || grant < 0) grant = 0;
      add(`${wish.slice}:${ask.me}`, grant);
      add(wish.slice, grant);
      given += grant;
      return { grant, left: left - grant, used: get(`u${wish.slice}`) };
    });
    room = Math.min(room, window.held + given);
    const slice = window.wishes[0]?.slice ?? window.claims[0]?.[0];
    if (window.long && slice !== undefined) memory.holds.set(at(ask.me), { held: window.held + given, slice, at: now });
    return { granted, strange };
  });
  tell(memory, ask);
  const pause = pauseOf(memory, ask, now);
  return {
    ...{ now, born: memory.born, peers, scout, version: memory.version, pause },
    grants: rows.map(({ granted }) => granted.map(({ grant }) => grant)),
    left: rows.map(({ granted }) => granted.map(({ left }) => left)),
    used: rows.map(({ granted }) => granted.map(({ used }) => used)),
    strangers: rows.map(({ strange }) => strange),
    ...(memory.version !== ask.version || memory.born !== ask.born ? { known: [...memory.known].flat() } : {}),
    spoilt: [],
  };
}

function scoutOf(memory: Memory, ask: Request, now: number): 0 | 1 | 2 {
  let { scout } = memory;
  if (scout && (scout.until < now || scout.until > now + 6_000)) scout = undefined;
  if (!scout && ask.doubt && memory.scouted === 0) {
    scout = { name: ask.me, since: now, until: now };
    memory.scout = scout;
  }
  if (scout?.name !== ask.me) return scout ? 2 : 0;
  const isLong = Math.abs(now - scout.since) > 6_000;
  if (isLong) memory.scouted = now;
  const looks = ask.doubt && !isLong;
  scout.until = looks ? now + 1_000 : 0;
  return looks ? 1 : 0;
}

function reap({ holds, claims }: Memory, period: string, me: string, now: number): void {
  for (const [name, { held, slice, at }] of holds) {
    const [of, who] = name.split(' ');
    if (of !== period || who === me || at >= now - 30_000) continue;
    holds.delete(name);
    for (const field of [`${period} ${slice}`, `${period} ${slice}:${who}`])
      claims.set(field, Math.max(0, (claims.get(field) ?? 0) - held));
  }
}

function tell(memory: Memory, ask: Request): void {
  let isNews = false;
  for (const [field, told] of Object.entries(ask.tell)) {
    let value = told;
    const known = memory.known.get(field);
    if (field.startsWith('s:') && known !== undefined) {
      const [epoch = 0, dead = 0] = known.split(' ').map(Number);
      const [newEpoch = 0, newDead = 0] = told.split(' ').map(Number);
      if (epoch > newEpoch) continue;
      if (epoch === newEpoch) value = `${newEpoch} ${dead | newDead}`;
    }
    if (known === value) continue;
    memory.known.set(field, value);
    isNews = true;
  }
  if (isNews) memory.version++;
}

function pauseOf(memory: Memory, ask: Request, now: number): number {
  if (memory.pause && (memory.pause.until <= now || memory.pause.since > now)) memory.pause = undefined;
  const until = now + Math.min(ask.pause, LONGEST_PAUSE_MS);
  if (until > Math.max(now, memory.pause?.until ?? 0)) memory.pause = { since: now, until };
  return memory.pause ? memory.pause.until - now : 0;
}
