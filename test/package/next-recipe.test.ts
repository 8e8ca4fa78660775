import { createClient } from 'stacks-quota';
import { createMockService } from 'stacks-quota/testing';
import { expect, it, vi } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { readDocuments, writePrograms } from './support/documents.ts';

const KEY = 'key-of-the-recipe';

it('a client sends a request again that was made before while Next.js renders the same page, also with the recipe', async () => {
  const service = createMockService({ origin: 'https://api.hiro.so', keys: [KEY] });
  vi.stubGlobal('fetch', memoizing(service.fetch));
  vi.stubEnv('STACKS_API_KEY', KEY);

  const plain = createClient();
  await plain.getInfo();
  await plain.getInfo();
  expect(service.requests).toBe(2);

  const recipes = readDocuments().filter(({ path }) => path === 'docs/recipes.md');
  const recipe = writePrograms(recipes, 'next-recipe').find(({ heading }) => heading === 'Next.js');
  const { client } = (await import(recipe?.file ?? '')) as { client: Client };
  service.clearLog();
  await client.getInfo();
  await client.getInfo();
  expect(service.requests).toBe(2);
});

/**
 * As the `fetch` of Next.js 16.4 while it renders a page: options are merged into a `Request`, and then a GET or HEAD that was made
 * before has the first response again, unless the options beside it have a signal.
 */
function memoizing(send: typeof fetch): typeof fetch {
  const made = new Map<string, Promise<Response>>();
  return async (input, init) => {
    const merged = new Request(input, init);
    if (!(input instanceof Request) && init?.signal) return send(input, init);
    const name = `${merged.method} ${merged.url}`;
    const first = made.get(name) ?? send(merged);
    made.set(name, first);
    return (await first).clone();
  };
}
