import type { Facts, ShareAsk, ShareStore } from './store.ts';
import { readAsk, readFacts, readPause, whole } from './store-rules.ts';

/** An operation of a store, with its arguments as JSON. */
export type Operation =
  | { readonly do: 'take'; readonly ask: ShareAsk }
  | { readonly do: 'share'; readonly version: number; readonly tell: FactPairs }
  | { readonly do: 'look' | 'endLook' | 'resume'; readonly member: string }
  | { readonly do: 'pause'; readonly ms: number }
  | { readonly do: 'resumed' }
  | { readonly do: 'live'; readonly member: string; readonly isLeaving: boolean };

type FactPairs = readonly (readonly [field: string, value: string])[];

/** Performs an operation on a store; the result is JSON. */
export async function perform(store: ShareStore, operation: Operation): Promise<unknown> {
  switch (operation.do) {
    case 'take':
      return await store.take(operation.ask);
    case 'share': {
      const { facts, ...rest } = await store.share(operation.version, new Map(operation.tell));
      return { ...rest, facts: facts && [...facts] };
    }
    case 'look':
      return await store.look(operation.member);
    case 'endLook':
      return await store.endLook(operation.member);
    case 'pause':
      return await store.pause(operation.ms);
    case 'resume':
      return await store.resume(operation.member);
    case 'resumed':
      return await store.resumed();
    case 'live':
      return await store.live(operation.member, operation.isLeaving);
    default:
      throw new Error('unknown operation');
  }
}

/** A store whose operations are performed elsewhere. JSON has no infinity, so what is asked is put within bounds before. */
export function remoteStore(call: (operation: Operation) => Promise<unknown>): ShareStore {
  return {
    take: async (ask) => (await call({ do: 'take', ask: readAsk(ask) })) as Awaited<ReturnType<ShareStore['take']>>,
    async share(version, tell) {
      const answer = await call({ do: 'share', version: whole(version, -1), tell: [...readFacts(tell)] });
      const { facts, ...rest } = answer as { version: number; now: number; facts?: FactPairs };
      return { ...rest, facts: facts && (new Map(facts) as Facts) };
    },
    look: async (member) => (await call({ do: 'look', member })) as Awaited<ReturnType<ShareStore['look']>>,
    endLook: async (member) => void (await call({ do: 'endLook', member })),
    pause: async (ms) => void (await call({ do: 'pause', ms: readPause(ms) })),
    resume: async (member) => (await call({ do: 'resume', member })) as Awaited<ReturnType<ShareStore['resume']>>,
    resumed: async () => void (await call({ do: 'resumed' })),
    live: async (member, isLeaving) => (await call({ do: 'live', member, isLeaving })) as number,
  };
}
