import {
  type Answer,
  type Facts,
  LONGEST_PAUSE_MS,
  LOOK_MS,
  type ShareAsk,
  type ShareStore,
} from '../sharing/store/store.ts';
import { PARTS, readAsk, readFacts, readPause, whole } from '../sharing/store/store-rules.ts';
import { type Blocks, blocksOf } from './blocks.ts';
import { type RunScript, scriptOf } from './connection.ts';
import type { KeyOf } from './keys.ts';
import { END_LOOK, GRANTED, LOOK, OVER, STALE } from './scripts/look.ts';
import { FREE, PAUSE, PROBE, RESUME, RESUMED } from './scripts/pause.ts';
import { SHARE } from './scripts/share.ts';
import { FIXED_ANSWERS } from './scripts/take/granting.ts';
import { TAKE } from './scripts/take.ts';

/** The script of each operation. */
const SCRIPTS = {
  take: scriptOf(TAKE),
  share: scriptOf(SHARE),
  look: scriptOf(LOOK),
  endLook: scriptOf(END_LOOK),
  pause: scriptOf(PAUSE),
  resume: scriptOf(RESUME),
  resumed: scriptOf(RESUMED),
};

/** Creates a store in Redis; `keys` names its keys. */
export function redisStore(run: RunScript, keys: KeyOf): ShareStore {
  const [state, facts, needy, live, recent] = [keys('f'), keys('facts'), keys('n'), keys('live'), keys('r')];
  const [look, looks, probe] = [keys('look'), keys('looks'), keys('probe')];
  return {
    async take(asked) {
      const ask = readAsk(asked);
      const blocks = blocksOf(ask.windows);
      const all = [state, keys(`a:${ask.member}`), look, recent, ...blocks.names.map(keys), needy, facts, live];
      return readAnswer(await run(SCRIPTS.take, all, argumentsOf(ask, blocks)), ask, blocks);
    },
    async share(version, tell) {
      const told = [...readFacts(tell)].flat();
      const known = whole(version, -1);
      return readShared(await run(SCRIPTS.share, [state, facts], [String(known), ...told]), known);
    },
    async look(member, version) {
      const reply = readNumber(await run(SCRIPTS.look, [look, looks, state], [member, String(version ?? '')]));
      if (reply === GRANTED) return 'granted';
      if (reply === STALE) return 'stale';
      return reply === OVER ? 'over' : whole(reply, 1, LOOK_MS);
    },
    async endLook(member) {
      await run(SCRIPTS.endLook, [look], [member]);
    },
    async pause(ms) {
      await run(SCRIPTS.pause, [state, facts, probe], [String(readPause(ms))]);
    },
    async resume(member) {
      const reply = readNumber(await run(SCRIPTS.resume, [state, probe], [member]));
      if (reply === FREE) return 'free';
      return reply === PROBE ? 'probe' : whole(reply, 1, LONGEST_PAUSE_MS);
    },
    async resumed() {
      await run(SCRIPTS.resumed, [state, facts], []);
    },
  };
}

function argumentsOf(ask: ShareAsk, blocks: Blocks): string[] {
  const { sequence, version, want, need, size, chunk, stayMs, held, urgent, usual, slots } = ask;
  const numbers = [
    sequence,
    version,
    want,
    need,
    size,
    chunk,
    stayMs,
    held,
    urgent,
    usual,
    ask.isLeaving ? 1 : 0,
    ask.isSign ? 1 : 0,
  ];
  const counts = [slots.length, blocks.names.length, ask.recentSince];
  const args = [ask.member, ...[...numbers, ...counts].map(String), ...blocks.args];
  for (const { name, total, wish, to, windows } of slots) {
    const runs = runsOf(windows.map((index) => blocks.order[index] ?? 0));
    const numbers = [total, wish, runs.length, ...runs.flat().map((index) => index + 1)];
    args.push(String(to), name, ...numbers.map(String));
  }
  return args;
}

/** The first and the last index of each run of indices that follow each other: there are few, and hundreds of indices. */
function runsOf(indices: readonly number[]): [first: number, last: number][] {
  const runs: [number, number][] = [];
  for (const index of indices.toSorted((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run && index === run[1] + 1) run[1] = index;
    else runs.push([index, index]);
  }
  return runs;
}

function readAnswer(reply: unknown, ask: ShareAsk, { order }: Blocks): Answer | 'stale' {
  const { slots, windows } = ask;
  const all = readArray(reply);
  const count = FIXED_ANSWERS + slots.length + windows.length;
  const numbers = all.slice(0, count).map(readNumber);
  const [sequence, now = 0, ...rest] = numbers;
  if (sequence !== ask.sequence) throw malformed();
  if (all.length === 2 && now === -1) return 'stale';
  if (all.length < count || numbers.some((number) => number < 0)) throw malformed();
  const [
    version = 0,
    pauseMs = 0,
    lookMs = 0,
    others = 0,
    live = 0,
    urgent = 0,
    forMs = 0,
    freeMs = 0,
    usual = 0,
    ...tail
  ] = rest;
  let open = ask.want;
  const granted = tail.slice(0, slots.length).map((grant) => {
    const units = Math.min(grant, open);
    open -= units;
    return units;
  });
  return {
    ...{ sequence, now, version, others, live, freeMs, granted },
    facts: readPairs(all.slice(count), version, ask.version),
    pauseMs: Math.min(pauseMs, LONGEST_PAUSE_MS),
    lookMs: Math.min(lookMs, LOOK_MS),
    urgent: { units: urgent / PARTS, forMs },
    usual: usual / PARTS,
    used: order.map((index) => tail[slots.length + index] ?? 0),
  };
}

function readShared(
  reply: unknown,
  known: number,
): { readonly version: number; readonly now: number; readonly facts: Facts | undefined } {
  const [first, second, ...rest] = readArray(reply);
  const [now, version] = [readNumber(first), readNumber(second)];
  if (now < 0 || version < 0) throw malformed();
  return { version, now, facts: readPairs(rest, version, known) };
}

/** Facts, as fields and values: none where the caller knows their version. */
function readPairs(reply: readonly unknown[], version: number, known: number): Facts | undefined {
  const texts = reply.map(readText);
  if (texts.length % 2 !== 0 || (version === known && texts.length > 0)) throw malformed();
  if (version === known) return undefined;
  return readFacts(texts.flatMap((text, at): [string, string][] => (at % 2 ? [[texts[at - 1] ?? '', text]] : [])));
}

function readArray(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw malformed();
  return reply;
}

/** Clients may be configured to return numbers as text, and text as bytes. */
function readNumber(value: unknown): number {
  if (typeof value !== 'number' && !/^-?\d{1,15}$/.test(readText(value))) throw malformed();
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw malformed();
  return number;
}

function readText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  throw malformed();
}

function malformed(): Error {
  return Object.assign(new Error('Redis sent a malformed reply'), { code: 'MALFORMED' });
}
