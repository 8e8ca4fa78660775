import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserPage, CHROMIUM, openBrowser } from '../support/browser.ts';

/** What a page and a worker of it try; each reports what came of it. */
const program = (where: string): string => `
  import { createClient } from '/client.js';
  const baseUrl = location.origin;
  const attempts = {
    'a key': () => void createClient({ baseUrl, apiKey: 'top-secret' }),
    'a key function': () => void createClient({ baseUrl, apiKey: () => 'top-secret' }),
    'an accepted key': () => void createClient({ baseUrl, apiKey: 'top-secret', dangerouslyAllowBrowser: true }),
    'a fetch': async () => {
      const client = createClient({ baseUrl });
      const answers = [await client.fetch('/extended/v1/info'), await client.fetch('/echo', { method: 'POST', body: 'words' })];
      return Promise.all(answers.map(async (answer) => [answer.status, new URL(answer.url).pathname, await answer.text()]));
    },
    'no key': async () => (await createClient({ baseUrl }).getInfo()).quota.stacks.minute,
  };
  const outcomes = {};
  for (const [name, attempt] of Object.entries(attempts)) {
    outcomes[name] = await Promise.resolve().then(attempt).then(
      (value) => ({ value }),
      (error) => ({ error: error.name, option: error.option, message: error.message }),
    );
  }
  await fetch('/report/${where}', { method: 'POST', body: JSON.stringify(outcomes) });
`;
const PAGE = `<!doctype html><script type="module">
  new Worker('/worker.js', { type: 'module' });
  ${program('page')}
</script>`;

interface Outcome {
  readonly value?: unknown;
  readonly error?: string;
  readonly option?: string;
  readonly message?: string;
}
type Report = Readonly<Record<string, Outcome>>;

describe.skipIf(!CHROMIUM && !process.env.CI)('in a real browser', () => {
  const reports = new Map<string, Report>();
  let server: Server;
  let page: BrowserPage;

  beforeAll(async () => {
    const entry = new URL('../../src/index.ts', import.meta.url).pathname;
    const bundle = await build({
      entryPoints: [entry],
      bundle: true,
      format: 'esm',
      platform: 'browser',
      write: false,
    });
    const files: Record<string, [type: string, text: string]> = {
      '/': ['text/html', PAGE],
      '/worker.js': ['text/javascript', program('worker')],
      '/client.js': ['text/javascript', bundle.outputFiles[0]?.text ?? ''],
      '/extended/v1/info': ['application/json', '{}'],
    };
    server = createServer(async (request, response) => {
      const [, where = ''] = request.url?.split('/report/') ?? [];
      if (request.url === '/echo') return void response.end(await text(request));
      if (where) reports.set(where, JSON.parse(await text(request)) as Report);
      const [type, body] = files[request.url ?? ''] ?? ['text/plain', ''];
      response.setHeader('content-type', type);
      response.setHeader('x-ratelimit-limit-stacks-minute', '50');
      response.setHeader('x-ratelimit-remaining-stacks-minute', '49');
      response.end(body);
      if (reports.size === 2) server.emit('reported');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const reported = once(server, 'reported');
    page = await openBrowser();
    await page.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await reported;
  }, 60_000);

  afterAll(async () => {
    await page.close();
    server.closeAllConnections();
    server.close();
  });

  it.for(['page', 'worker'])('a key is refused in a %s, with an explanation that does not repeat it', (where) => {
    for (const name of ['a key', 'a key function']) {
      const outcome = reports.get(where)?.[name];
      expect(outcome).toMatchObject({ error: 'ConfigError', option: 'apiKey' });
      expect(outcome?.message).toContain('dangerouslyAllowBrowser');
      expect(outcome?.message).not.toContain('top-secret');
    }
  });

  it.for(['page', 'worker'])('a key is taken in a %s from a caller who accepts the exposure', (where) => {
    expect(reports.get(where)?.['an accepted key']).toEqual({});
  });

  it.for(['page', 'worker'])('its fetch works in a %s, with a body and without', (where) => {
    const answers = [
      [200, '/extended/v1/info', '{}'],
      [200, '/echo', 'words'],
    ];
    expect(reports.get(where)?.['a fetch']).toEqual({ value: answers });
  });

  it.for(['page', 'worker'])('the client works in a %s without a key', (where) => {
    expect(reports.get(where)?.['no key']).toEqual({ value: { limit: 50, remaining: 49 } });
  });
});
