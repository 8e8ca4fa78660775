import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import { PROBE, type Seen } from './probe.ts';

/** The browser, if this machine has one. */
export const CHROMIUM: string | undefined = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);

const PROGRAM = `${PROBE}
const seen = await probe(location.origin).catch((error) => ({ error: String(error) }));
await fetch('/seen', { method: 'POST', body: JSON.stringify(seen) });`;

/**
 * Runs the probe in a page of Chromium. The page's own server passes the calls on, as a backend would.
 *
 * @param folder - a project that has this package.
 */
export async function browse(
  program: string,
  folder: string,
  service: { fetch: typeof fetch; origin: string },
): Promise<Seen> {
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
  const profile = join(folder, 'profile');
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const browser = spawn(program, [...flags, `--user-data-dir=${profile}`, address], { stdio: 'ignore' });
  try {
    return await seen;
  } finally {
    browser.kill('SIGKILL');
    await once(browser, 'exit');
    server.closeAllConnections();
    server.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function answerOf(
  service: { fetch: typeof fetch; origin: string },
  path: string,
): Promise<{ status: number; headers: Record<string, string>; body: string }> {
  const response = await service.fetch(service.origin + path);
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}
