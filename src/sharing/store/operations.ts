import type { Answer, Facts, ShareAsk, ShareStore } from './store.ts';
import { readAsk, readFacts, readPause, whole } from './store-rules.ts';

/** An operation of a store, with its arguments as JSON. */
export type Operation =
  | { readonly do: 'take'; readonly ask: ShareAsk }
  | { readonly do: 'share'; readonly version: number; readonly tell: FactPairs }
  | { readonly do: 'look'; readonly member: string; readonly version?: number | undefined }
  | { readonly do: 'endLook' | 'resume'; readonly member: string }
  | { readonly do: 'pause'; readonly ms: number }
  | { readonly do: 'resumed' };

type FactPairs = readonly (readonly [field: string, value: string])[];

/** Performs an operation on a store; the result is JSON. */
export async function perform(store: ShareStore, operation: Operation): Promise<unknown> {
  switch (operation.do) {
    case 'take': {
      const answer = await store.take(operation.ask);
      return answer === 'stale' ? answer : written(answer);
    }
    case 'share':
      return written(await store.share(operation.version, new Map(operation.tell)));
    case 'look':
      return await store.look(operation.member, operation.version);
    case 'endLook':
      return await store.endLook(operation.member);
    case 'pause':
      return await store.pause(operation.ms);
    case 'resume':
      return await store.resume(operation.member);
    case 'resumed':
      return await store.resumed();
    default:
      throw new Error('unknown operation');
  }
}

/** A store whose operations are performed elsewhere. JSON has no infinity, so what is asked is put within bounds before. */
export function remoteStore(call: (operation: Operation) => Promise<unknown>): ShareStore {
  return {
    async take(ask) {
      const answer = (await call({ do: 'take', ask: readAsk(ask) })) as 'stale' | Written<Answer>;
      return answer === 'stale' ? answer : read(answer);
    },
    async share(version, tell) {
      const answer = await call({ do: 'share', version: whole(version, -1), tell: [...readFacts(tell)] });
      return read(answer as Written<Shared>);
    },
    look: async (member, version) =>
      (await call({ do: 'look', member, version })) as Awaited<ReturnType<ShareStore['look']>>,
    endLook: async (member) => void (await call({ do: 'endLook', member })),
    pause: async (ms) => void (await call({ do: 'pause', ms: readPause(ms) })),
    resume: async (member) => (await call({ do: 'resume', member })) as Awaited<ReturnType<ShareStore['resume']>>,
    resumed: async () => void (await call({ do: 'resumed' })),
  };
}

type Shared = Awaited<ReturnType<ShareStore['share']>>;
type WithFacts = Pick<Shared, 'facts'>;
type Written<T extends WithFacts> = Omit<T, 'facts'> & { readonly facts?: FactPairs | undefined };

function written<T extends WithFacts>({ facts, ...rest }: T): Written<T> {
  return { ...rest, facts: facts && [...facts] };
}

function read<T extends WithFacts>({ facts, ...rest }: Written<T>): T {
  return { ...rest, facts: facts && (new Map(facts) as Facts) } as unknown as T;
}
