import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { endAll, startChild } from '../support/child.ts';
import { readDocuments } from './support/documents.ts';
import { readSnippets } from './support/snippets.ts';

const KEY = 'key-of-the-mock';

/** Packages that programs of the documents import and that no project has by itself. */
const ELSEWHERE = /from '(@stacks\/|@opentelemetry\/|stacks-quota\/otel|msw)/;

const MSW_PROGRAM = `
import { setupServer } from 'msw/node';
import { createMockService } from 'stacks-quota/testing';
import { handlers } from 'stacks-quota/testing/msw';
const service = createMockService({ keyless: { minute: 5 } });
const server = setupServer(...handlers(service));
server.listen();
const response = await fetch(service.origin + '/extended/v1/info');
console.log(response.status, response.headers.get('x-ratelimit-remaining-stacks-minute'));
server.close();
`;

const programs = readDocuments()
  .flatMap(({ path, text }) => readSnippets(text).map(({ code, heading }) => ({ path, code, heading })))
  .filter(({ code }) => !ELSEWHERE.test(code));

describe('the packed package in an empty project', { timeout: 180_000 }, () => {
  const home = mkdtempSync(join(tmpdir(), 'stacks-quota-'));
  let tarball: string;

  beforeAll(() => {
    const name = npm(process.cwd(), 'pack', '--silent', '--pack-destination', home).trim().split('\n').at(-1) ?? '';
    tarball = join(home, name);
    project('plain');
  }, 180_000);

  afterEach(endAll);
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  /** Makes a project that depends on the package and on nothing else but what is given. */
  function project(name: string, ...others: string[]): string {
    const folder = join(home, name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, type: 'module', private: true }));
    npm(folder, 'install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', tarball, ...others);
    return folder;
  }

  async function run(folder: string, code: string, env: Record<string, string> = {}): Promise<string> {
    const file = join(folder, `program-${Math.random().toString(36).slice(2)}.ts`);
    writeFileSync(file, code);
    const { code: status, out, err } = await startChild([process.execPath, file], env, { cwd: folder }).ending;
    expect(`${status} ${err}`).toMatch(/^0 /);
    return out;
  }

  it.each(['200', '404'])('runs every program of the documents where /extended/v1/info answers %s', async (info) => {
    const folder = join(home, 'plain');
    const program = join(folder, 'node_modules/.bin/stacks-quota');
    const mock = startChild([process.execPath, program, 'mock', '--info', info], {});
    const [url] = await mock.says(/http:\S+/);
    expect(programs.length).toBeGreaterThan(8);
    for (const { code } of programs) await run(folder, code, { STACKS_API_URL: url, STACKS_API_KEY: KEY });
  });

  it.each(['2', '3'])('serves MSW %s', async (version) => {
    const folder = project(`msw-${version}`, `msw@${version}`);
    expect(await run(folder, MSW_PROGRAM)).toBe('200 4\n');
  });
});

function npm(cwd: string, ...args: string[]): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
