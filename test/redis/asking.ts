import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import { scriptRunner } from '../../src/redis/connection.ts';
import { keysOf } from '../../src/redis/keys.ts';
import { type Reply, type Request, readReply, type WindowAsk } from '../../src/redis/message.ts';
import { SCRIPT } from '../../src/redis/script.ts';
import { type RedisServer, startRedis } from './server.ts';

const MINUTE = 7_000;

/** A request for a part of one window, with everything in it that a test does not care about. */
export function asking(
  me: string,
  sequence: number,
  window: Partial<WindowAsk> = {},
  rest: Partial<Request> = {},
): Request {
  const wish = { ...longWish, slice: MINUTE, from: MINUTE, to: MINUTE + 9 };
  return {
    ...{
      me,
      sequence,
      work: true,
      doubt: false,
      returning: false,
      live: 10_000,
      born: 0,
      peers: 0,
      version: 0,
      pause: 0,
      tell: {},
    },
    windows: [
      {
        ...{ period: 'minute', limit: 100, length: 60_000, keep: 60_000, oldest: 0, long: false, held: 0 },
        claims: [],
        wishes: [wish],
        ...window,
      },
    ],
    ...rest,
  };
}

export const longWish = {
  slice: 10,
  from: 10,
  to: 19,
  want: 10,
  need: 1,
  most: 1e9,
  ahead: true,
  late: false,
} as const;

/** A share that nobody has used before, at the script itself. */
interface Share {
  readonly keys: string[];
  send(request: Request): Promise<Reply>;
}

/** Shares of one server. */
interface Shares {
  open(): Share;
  /** One of a server whose clock is ours to set. */
  openAt(time: () => number): Share;
}

/** A real server while the tests of a suite run, and shares on it. To be called where the suite is described. */
export function scriptOnServer(): Shares & { readonly redis: Redis } {
  let server: RedisServer;
  let redis: Redis;
  beforeAll(async () => {
    server = await startRedis();
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });
  return {
    get redis() {
      return redis;
    },
    open: () => sharesOf(redis).open(),
    openAt: (time) => sharesOf(redis).openAt(time),
  };
}

function sharesOf(redis: Redis): Shares {
  const openWith = (run: (keys: string[], request: string) => Promise<unknown>): Share => {
    const keys = keysOf('test', 'secret', randomUUID())(['minute']);
    return {
      keys,
      async send(request) {
        const text = await run(keys, JSON.stringify(request));
        const reply = readReply(text, request);
        if (!reply) throw new Error(`Not an answer: ${text}`);
        return reply;
      },
    };
  };
  const timed = SCRIPT.replace("redis.call('TIME')", '{ 0, ARGV[2] * 1000 }');
  return {
    open: () => openWith(scriptRunner(redis as never)),
    openAt: (time) => openWith((keys, request) => redis.eval(timed, keys.length, ...keys, request, time())),
  };
}
