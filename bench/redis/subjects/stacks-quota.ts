import type { Redis } from 'ioredis';
import { type Client, createClient } from '../../../src/index.ts';
import { localShare } from '../../../src/local/index.ts';
import { redisShare } from '../../../src/redis/index.ts';
import type { Caller, Place, Subject } from '../subject.ts';

const ACCOUNT = 'SP3HXJJMJQ06GNAZ8XWDN1QM48JEDC6PP6W3YZPZJ';

/** Told no limit; shares the quota through Redis. */
export const sharing: Subject = {
  name: 'stacks-quota',
  open: (place) =>
    callerOf(createClient({ ...common(place), share: redisShare({ redis: connection(place.redis), name: 'bench' }) })),
};

/** Told no limit; shares the quota among the processes of this machine, without Redis. */
export const local: Subject = {
  name: 'stacks-quota, local',
  // Each run has a Redis of its own, and so a port that no other run has.
  open: (place) =>
    callerOf(createClient({ ...common(place), share: localShare({ name: `bench-${place.redis.options.port}` }) })),
};

/** Told no limit; each process assumes that it has the quota to itself. */
export const unshared: Subject = {
  name: 'stacks-quota, unshared',
  open: (place) => callerOf(createClient(common(place))),
};

/** Told no limit; one client makes all calls, which is the reference for latency. */
export const alone: Subject = { ...unshared, name: 'stacks-quota, one client', isAlone: true };

function common({ origin, key }: Place): { readonly baseUrl: string; readonly apiKey: () => string } {
  return { baseUrl: origin, apiKey: key };
}

function callerOf(client: Client): Caller {
  return {
    call: (priority, units) =>
      units === 1 ? client.getInfo({ priority }) : client.getAddressAssets(ACCOUNT, { priority }),
  };
}

/** The types of ioredis have overloads that its interface here has not. */
function connection(redis: Redis): Parameters<typeof redisShare>[0]['redis'] {
  return redis as unknown as Parameters<typeof redisShare>[0]['redis'];
}
