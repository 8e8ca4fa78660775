import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import { openBrowser } from '../../test/support/browser.ts';
import { PROBE, type Seen } from './probe.ts';

const PROGRAM = `${PROBE}
const seen = await probe(location.origin).catch((error) => ({ error: String(error) }));
await fetch('/seen', { method: 'POST', body: JSON.stringify(seen) });`;

/**
 * Runs the probe in a page of Chromium. The page's own server passes the calls on, as a backend would.
 *
 * @param folder - a project that has this package.
 */
export async function browse(folder: string, service: { fetch: typeof fetch; origin: string }): Promise<Seen> {
  const bundle = await build({
    stdin: { contents: PROGRAM, resolveDir: folder },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
  });
  const page = `<!doctype html><script type="module">${bundle.outputFiles[0]?.text.replaceAll('</script', '<\\/script')}</script>`;
  const { promise: seen, resolve } = Promise.withResolvers<Seen>();
  const server = createServer(async (request, response) => {
    const { url = '' } = request;
    if (url === '/seen') resolve(JSON.parse(await text(request)) as Seen);
    if (!url.startsWith('/extended/')) return void response.setHeader('content-type', 'text/html').end(page);
    const { status, headers, body } = await answerOf(service, url);
    response.writeHead(status, headers).end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const browser = await openBrowser();
  try {
    await browser.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return await seen;
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}

async function answerOf(
  service: { fetch: typeof fetch; origin: string },
  path: string,
): Promise<{ status: number; headers: Record<string, string>; body: string }> {
  const response = await service.fetch(service.origin + path);
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}
