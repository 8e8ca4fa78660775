import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The browser of this machine, if there is one. */
export const CHROMIUM: string | undefined = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);

/** A page in a real browser, driven by the protocol of its developer tools. */
export interface BrowserPage {
  /** Calls a method of the protocol. */
  send(method: string, params?: object): Promise<Record<string, unknown>>;
  /** The value of an expression in the page; it may be a promise. */
  evaluate<T>(expression: string): Promise<T>;
  /** Loads a URL. */
  open(url: string): Promise<void>;
  /** Errors and violations of the content security policy so far, as the page's console has them. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/** Starts a browser without a window, and without its own requests to the network. */
export async function openBrowser(): Promise<BrowserPage> {
  const profile = await mkdtemp(join(tmpdir(), 'browser-'));
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--lang=en-GB'];
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
  const place = ['--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'];
  const browser = spawn(CHROMIUM ?? 'chromium', [...flags, ...quiet, ...place], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const socket = new WebSocket(await pageOf(await addressOf(browser)));
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const complaints: string[] = [];
  const pending = new Map<
    number,
    { resolve: (result: Record<string, unknown>) => void; reject: (error: Error) => void }
  >();
  let calls = 0;
  socket.onmessage = ({ data }) => {
    const { id, method, params, result, error } = JSON.parse(String(data)) as Message;
    const call = id === undefined ? undefined : pending.get(id);
    if (id !== undefined) pending.delete(id);
    if (error) call?.reject(new Error(error.message));
    else call?.resolve(result ?? {});
    if (method === 'Log.entryAdded' || method === 'Runtime.exceptionThrown') complaints.push(JSON.stringify(params));
  };
  const send: BrowserPage['send'] = (method, params = {}) =>
    new Promise((resolve, reject) => {
      pending.set(++calls, { resolve, reject });
      socket.send(JSON.stringify({ id: calls, method, params }));
    });
  for (const domain of ['Page', 'Runtime', 'Log', 'Accessibility']) await send(`${domain}.enable`);
  return {
    send,
    complaints,
    evaluate: async <T>(expression: string) => {
      const answer = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
      if (answer.exceptionDetails) throw new Error(JSON.stringify(answer.exceptionDetails));
      return (answer.result as { value: T }).value;
    },
    open: async (url) => void (await send('Page.navigate', { url })),
    close: async () => {
      socket.close();
      if (browser.exitCode === null) {
        browser.kill('SIGKILL');
        await once(browser, 'exit');
      }
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The browser says on standard error where its developer tools listen. */
function addressOf({ stderr }: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [, address] = /DevTools listening on ws:\/\/([^/]+)\//.exec(said) ?? [];
      if (address) resolve(address);
    });
    stderr?.once('end', () => reject(new Error(`The browser did not start:\n${said}`)));
  });
}

async function pageOf(address: string): Promise<string> {
  const targets = (await (await fetch(`http://${address}/json/list`)).json()) as {
    type: string;
    webSocketDebuggerUrl: string;
  }[];
  const page = targets.find(({ type }) => type === 'page');
  if (!page) throw new Error('The browser has no page.');
  return page.webSocketDebuggerUrl;
}
