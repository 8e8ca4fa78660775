import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** Where a Worker creates its client. */
export type Placement = 'outside' | 'shared' | 'request' | 'object';

const CREATE: Record<Placement, string> = {
  // When the module is loaded.
  outside: `let client, failure; try { client = createClient({ baseUrl }); } catch (error) { failure = error; }
    const answer = () => ask(() => { if (failure) throw failure; return client; });`,
  // By the first request, for all.
  shared: 'let client; const answer = () => ask(() => (client ??= createClient({ baseUrl })));',
  request: 'const answer = () => ask(() => createClient({ baseUrl }));',
  object: "const answer = (request, { PACER }) => PACER.get(PACER.idFromName('one')).fetch(request);",
};

const worker = (placement: Placement, baseUrl: string): string => `
  import { createClient } from 'stacks-quota';
  const baseUrl = ${JSON.stringify(baseUrl)};
  async function ask(clientOf) {
    try {
      const response = await clientOf().fetch('/extended/v1/info');
      await response.text();
      return new Response(response.status);
    } catch (error) {
      return new Response(error.name + ': ' + error.message);
    }
  }
  export class Pacer {
    client = createClient({ baseUrl });
    fetch() { return ask(() => this.client); }
  }
  ${CREATE[placement]}
  export default { fetch: answer };
`;

interface Miniflare {
  dispatchFetch(url: string): Promise<Response>;
  dispose(): Promise<void>;
}

/**
 * Runs a Worker in workerd that makes a call for each request: one request, then some at the same time.
 *
 * @param folder - a project that has this package and miniflare.
 * @returns what it answered: the status of the service, or an error.
 */
export async function askWorker(folder: string, placement: Placement, baseUrl: string): Promise<readonly string[]> {
  const require = createRequire(join(folder, 'package.json'));
  const { Miniflare } = (await import(pathToFileURL(require.resolve('miniflare')).href)) as {
    Miniflare: new (options: object) => Miniflare;
  };
  const bundle = await build({
    stdin: { contents: worker(placement, baseUrl), resolveDir: folder },
    bundle: true,
    write: false,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
  });
  const workerd = new Miniflare({
    modules: true,
    script: bundle.outputFiles[0]?.text,
    compatibilityDate: '2026-01-01',
    durableObjects: { PACER: 'Pacer' },
  });
  const ask = async (): Promise<string> => {
    try {
      return await (await workerd.dispatchFetch('http://worker.example/')).text();
    } catch (error) {
      return String(error);
    }
  };
  try {
    const first = await ask();
    return [first, ...(await Promise.all(Array.from({ length: 6 }, ask)))];
  } finally {
    await workerd.dispose();
  }
}
