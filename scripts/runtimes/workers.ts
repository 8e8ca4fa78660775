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
  const workerd = await startWorker(folder, worker(placement, baseUrl), { durableObjects: { PACER: 'Pacer' } });
  try {
    const first = await ask(workerd, '');
    return [first, ...(await Promise.all(Array.from({ length: 6 }, () => ask(workerd, ''))))];
  } finally {
    await workerd.dispose();
  }
}

/** The account that the documented Worker is asked for. */
const ACCOUNT = 'SP3HXJJMJQ06GNAZ8XWDN1QM48JEDC6PP6W3YZPZJ';

/** Runs the Worker of the documents, whose requests `fetch` answers, and asks it for an account 30 times at once. */
export async function askDocumented(
  folder: string,
  code: string,
  { key, fetch }: { key: string; fetch: typeof globalThis.fetch },
): Promise<readonly string[]> {
  const workerd = await startWorker(folder, code, {
    durableObjects: { STACKS: 'Stacks' },
    bindings: { STACKS_API_KEY: key },
    outboundService: fetch,
  });
  try {
    return await Promise.all(Array.from({ length: 30 }, () => ask(workerd, ACCOUNT)));
  } finally {
    await workerd.dispose();
  }
}

async function ask(workerd: Miniflare, path: string): Promise<string> {
  try {
    return await (await workerd.dispatchFetch(`http://worker.example/${path}`)).text();
  } catch (error) {
    return String(error);
  }
}

async function startWorker(folder: string, code: string, options: object): Promise<Miniflare> {
  const require = createRequire(join(folder, 'package.json'));
  const { Miniflare } = (await import(pathToFileURL(require.resolve('miniflare')).href)) as {
    Miniflare: new (options: object) => Miniflare;
  };
  const bundle = await build({
    stdin: { contents: code, resolveDir: folder, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    external: ['cloudflare:workers'],
    conditions: ['workerd', 'worker', 'browser'],
  });
  const script = bundle.outputFiles[0]?.text;
  return new Miniflare({ modules: true, script, compatibilityDate: '2026-01-01', ...options });
}
