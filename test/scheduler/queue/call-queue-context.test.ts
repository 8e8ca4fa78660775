import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { wire } from '../../support/wire.ts';

describe('the async context of calls', () => {
  it('the queue keeps the async context of each caller, however long it waited and whichever call let it pass', async () => {
    const who = new AsyncLocalStorage<string>();
    const seen: string[] = [];
    const { client, clock } = wire({
      concurrency: 1,
      maxAttempts: 2,
      fetch: async (input) => {
        const name = (input as Request).headers.get('x-call');
        seen.push(`${name} in the context of ${who.getStore()}`);
        await clock.sleep(100);
        return new Response('{}', { status: name === 'b' && seen.length < 4 ? 503 : 200 });
      },
    });
    const calls = ['a', 'b', 'c'].map((name, at) =>
      who.run(name, () => client.getInfo({ headers: { 'x-call': name }, priority: at })),
    );
    await clock.run(Promise.all(calls));
    expect(seen.toSorted()).toEqual(['a', 'b', 'b', 'c'].map((name) => `${name} in the context of ${name}`));
  });

  it('the queue tells that a call waits in the async context of that call, whichever call was there before', async () => {
    const who = new AsyncLocalStorage<string>();
    const heard: (string | undefined)[] = [];
    const { client, clock } = wire({
      concurrency: 1,
      fetch: () => clock.sleep(100).then(() => new Response('{}')),
      onEvent: ({ type }) => void (type === 'waiting' && heard.push(who.getStore())),
    });
    const calls = ['a', 'b', 'c', 'd'].map((name) => who.run(name, () => client.getInfo()));
    await clock.run(Promise.all(calls));
    expect(heard).toEqual(['b', 'c', 'd']);
  });
});
