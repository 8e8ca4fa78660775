import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The path of the browser, if there is one. */
export const CHROMIUM: string | undefined = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);

/** Chromium without a window. */
export interface Browser {
  close(): Promise<void>;
}

/** Opens a page, for a reader who prefers that scheme, without the browser's own requests to the network. */
export async function openBrowser(url: string, scheme: 'light' | 'dark' = 'light'): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'browser-'));
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
  const look = `--blink-settings=preferredColorScheme=${scheme === 'dark' ? 0 : 1}`;
  const args = [...flags, ...quiet, look, '--window-size=1400,1000', `--user-data-dir=${profile}`, url];
  const browser: ChildProcess = spawn(CHROMIUM ?? 'chromium', args, { stdio: 'ignore' });
  return {
    async close() {
      if (browser.exitCode === null) {
        browser.kill('SIGKILL');
        await once(browser, 'exit');
      }
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
