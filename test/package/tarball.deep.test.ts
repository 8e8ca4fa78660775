import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMockService, type ListeningService, type MockService } from 'stacks-quota/testing';
import ts from 'typescript';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createProject, pack } from '../../scripts/empty-project.ts';
import { askWorker } from '../../scripts/runtimes/workers.ts';
import { endAll, startChild } from '../support/child.ts';
import { readDocuments } from './support/documents.ts';
import { readSnippets } from './support/snippets.ts';

const KEY = 'key-of-the-mock';

/** Packages that programs of the documents import and that no project has by itself. */
const ELSEWHERE = /from '(@stacks\/|@opentelemetry\/|stacks-quota\/otel|msw|ky|vitest)/;

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

const LISTS_MODULES = `
import { registerHooks } from 'node:module';
const urls: string[] = [];
registerHooks({
  load(url, context, next) {
    urls.push(url);
    return next(url, context);
  },
});`;

/** What the entry points need for their types: two are optional peers, and Redis clients are matched by their shape. */
const TYPE_PACKAGES = ['@types/node@24', '@opentelemetry/api@1', 'msw@3'];

/** Uses each entry point, and options that may be undefined. */
const TYPED_PROGRAM = `
import { type AddressAssets, createClient, isQuotaExhausted } from 'stacks-quota';
import { createFetchClient } from 'stacks-quota/fetch';
import { instrument } from 'stacks-quota/otel';
import { redisShare } from 'stacks-quota/redis';
import { createMockService } from 'stacks-quota/testing';
import { handlers } from 'stacks-quota/testing/msw';

export const service = createMockService();
export const mocked = handlers(service);
export const client = createClient({ apiKey: process.env.KEY, fetch: service.fetch, clock: undefined });
export const light = createFetchClient({ apiKey: process.env.KEY });
export const end = instrument(client);
export const share = redisShare;
export async function page(address: string): Promise<AddressAssets | undefined> {
  try {
    const { data, quota } = await client.getAddressAssets(address, { limit: 1, signal: undefined });
    const left: number | undefined = quota.stacks.minute?.remaining;
    console.log(left, (await light.fetch('/extended/v1/info')).status);
    return data;
  } catch (error) {
    if (isQuotaExhausted(error)) console.log(error.retryAt);
    return undefined;
  }
}
// @ts-expect-error -- the types are those of the package, and not any.
export const wrong: string = client.waiting;
`;

const STRICTEST = {
  strict: true,
  noEmit: true,
  target: 'es2022',
  lib: ['es2024', 'dom', 'dom.iterable', 'esnext.disposable'],
  types: ['node'],
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
};

const TYPE_SETTINGS = [
  { type: 'module', options: { module: 'nodenext' } },
  { type: 'module', options: { module: 'esnext', moduleResolution: 'bundler' } },
  { type: 'commonjs', options: { module: 'nodenext' } },
];

const programs = readDocuments()
  .flatMap(({ path, text }) => readSnippets(text).map(({ code, heading }) => ({ path, code, heading })))
  .filter(({ code }) => !ELSEWHERE.test(code));

describe('the packed package in an empty project', { timeout: 180_000 }, () => {
  const home = mkdtempSync(join(tmpdir(), 'stacks-quota-'));
  let tarball: string;

  beforeAll(() => {
    tarball = pack(home);
    project('plain');
  }, 180_000);

  afterEach(endAll);
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  /** Makes a project that depends on the package and on nothing else but what is given. */
  function project(name: string, ...others: string[]): string {
    return createProject({ home, name, packages: [tarball, ...others] });
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

  it('brings nothing else along, and no more than 5 MB', () => {
    const modules = join(home, 'plain/node_modules');
    expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['stacks-quota']);
    const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)).toBeLessThan(
      5e6,
    );
  });

  it.each(['stacks-quota', 'stacks-quota/fetch'])('loads at most 30 modules where %s is imported', async (name) => {
    const out = await run(
      join(home, 'plain'),
      `${LISTS_MODULES}\nawait import('${name}');\nconsole.log(urls.join('\\n'));`,
    );
    const urls = out.trim().split('\n');
    expect(urls.length).toBeLessThanOrEqual(30);
    expect(urls.filter((url) => /schemas|etag|coalesce|node:/.test(url))).toEqual([]);
  });

  it('has types that are clean by the strictest settings, in modules and in CommonJS', () => {
    const folder = project('types', ...TYPE_PACKAGES);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    writeFileSync(join(folder, 'program.ts'), TYPED_PROGRAM);
    for (const { type, options } of TYPE_SETTINGS) {
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, type }));
      expect(complaintsIn(folder, { ...STRICTEST, ...options })).toEqual([]);
    }
  });

  describe('on Cloudflare Workers', () => {
    let service: MockService;
    let server: ListeningService;
    let folder: string;

    beforeAll(() => {
      folder = createProject({
        home,
        name: 'workers',
        packages: [tarball, 'miniflare@4'],
        installers: ['workerd'],
      });
    }, 180_000);
    beforeEach(async () => {
      service = createMockService({ keyless: { second: 20, minute: 1_000 } });
      server = await service.listen();
    });
    afterEach(() => server.close());

    it.each(['request', 'object'] as const)('serves all requests with a client of each %s', async (placement) => {
      expect(await askWorker(folder, placement, server.url)).toEqual(Array(7).fill('200'));
      expect(service.limited).toBe(0);
    });

    it('says where a client belongs that is created outside a request', async () => {
      const answers = await askWorker(folder, 'outside', server.url);
      expect(answers).toEqual(
        Array(7).fill(expect.stringMatching(/^ConfigError: .* outside a request: .*Durable Object/)),
      );
    });

    it('says where a client belongs that another request created, and does not hang', async () => {
      const [first, ...others] = await askWorker(folder, 'shared', server.url);
      expect(first).toBe('200');
      expect(others).toEqual(
        Array(6).fill(expect.stringMatching(/^ConfigError: .* another request: .*Durable Object/)),
      );
    });
  });

  it.each(['2', '3'])('serves MSW %s', async (version) => {
    const folder = project(`msw-${version}`, `msw@${version}`);
    expect(await run(folder, MSW_PROGRAM)).toBe('200 4\n');
  });
});

/** What the compiler says of the program in a folder, and of the types of its packages. */
function complaintsIn(folder: string, settings: object): string[] {
  const { options, errors } = ts.convertCompilerOptionsFromJson(settings, folder);
  const program = ts.createProgram([join(folder, 'program.ts')], options);
  return [...errors, ...ts.getPreEmitDiagnostics(program)].map(({ file, start = 0, messageText }) => {
    const line = file && file.getLineAndCharacterOfPosition(start).line + 1;
    return `${file?.fileName}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}
