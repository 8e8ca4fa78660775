import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMockService, type ListeningService, type MockService } from 'stacks-quota/testing';
import ts from 'typescript';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createProject, pack } from '../../scripts/empty-project.ts';
import { STRICTEST, TYPE_PACKAGES, TYPED_PROGRAM } from '../../scripts/runtimes/typed-program.ts';
import { askDocumented, askWorker } from '../../scripts/runtimes/workers.ts';
import { hasRedis, startRedis } from '../redis/support/server.ts';
import { endAll, startChild } from '../support/child.ts';
import { readDocuments } from './support/documents.ts';
import { readSnippets, readWorkers } from './support/snippets.ts';

const KEY = 'key-of-the-mock';

/** What some entry points need beside this package. */
const PEERS: Readonly<Record<string, string>> = {
  'stacks-quota/otel': '@opentelemetry/api',
  'stacks-quota/testing/msw': 'msw',
};

/** The other packages that a program needs. */
function packagesOf(code: string): string[] {
  const imported = Array.from(code.matchAll(/^import .*from '([^'.]+)';/gm), ([, name = '']) => PEERS[name] ?? name);
  const packages = imported.filter((name) => !name.startsWith('node:') && !/^stacks-quota\b/.test(name));
  return packages.map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
}

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

/** The Edge Runtime of Next.js has the names of Node's functions in `process`, and each of them throws. */
const IN_EDGE_RUNTIME = `
const unsupported = () => { throw new Error('A Node.js API is used'); };
globalThis.process = { env: {}, getBuiltinModule: unsupported, emitWarning: unsupported } as never;
const { createClient } = await import('stacks-quota');
const { createMockService } = await import('stacks-quota/testing');
const service = createMockService({ keyless: { minute: 5 } });
const client = createClient({ baseUrl: service.origin, fetch: service.fetch });
const { response, quota } = await client.getInfo();
console.log(response.status, quota.stacks.minute?.remaining);
`;

const MSW_TYPES = `
import { handlers } from 'stacks-quota/testing/msw';
export const mocked = handlers(service);
`;

const TYPE_SETTINGS = [
  { type: 'module', options: { module: 'nodenext' } },
  { type: 'module', options: { module: 'esnext', moduleResolution: 'bundler' } },
  { type: 'commonjs', options: { module: 'nodenext' } },
];

const documents = readDocuments();
const programs = documents.flatMap(({ text }) => readSnippets(text).map(({ code }) => code));
const plain = programs.filter((code) => packagesOf(code).length === 0);
const beside = programs.filter((code) => packagesOf(code).length > 0);

/** The packages of the programs, in the versions that this repository has. */
function installable(codes: readonly string[]): string[] {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  return [...new Set(codes.flatMap(packagesOf))].map((name) => `${name}@${devDependencies[name]}`);
}

describe('the packed package in an empty project', () => {
  const home = mkdtempSync(join(tmpdir(), 'stacks-quota-'));
  let tarball: string;

  beforeAll(() => {
    tarball = pack(home);
    project('plain');
  }, 600_000);

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

  async function startMock(folder: string, info: string): Promise<Record<string, string>> {
    const program = join(folder, 'node_modules/.bin/stacks-quota');
    const mock = startChild([process.execPath, program, 'mock', '--info', info], {});
    const [url] = await mock.says(/http:\S+/);
    return { STACKS_API_URL: url, STACKS_API_KEY: KEY };
  }

  it.each(['200', '404'])('runs every program of the documents where /extended/v1/info answers %s', async (info) => {
    const folder = join(home, 'plain');
    const env = await startMock(folder, info);
    expect(plain.length).toBeGreaterThan(8);
    for (const code of plain) await run(folder, code, env);
  });

  it('runs every program of the documents that uses other packages beside it', async () => {
    const folder = project('beside', ...installable(beside));
    const env = await startMock(folder, '404');
    const isTested = (code: string): boolean => packagesOf(code).includes('vitest');
    for (const name of ['fastify', 'axios', 'ky', '@stacks/network', 'vitest']) {
      expect([name, beside.some((code) => packagesOf(code).includes(name))]).toEqual([name, true]);
    }
    for (const code of beside.filter((one) => !isTested(one))) await run(folder, code, env);
    for (const [index, code] of beside.filter(isTested).entries()) {
      writeFileSync(join(folder, `program-${index}.ts`), code);
      const test = `import { it } from 'vitest';\nit('runs', async () => void (await import('./program-${index}.ts')));`;
      writeFileSync(join(folder, `program-${index}.test.ts`), test);
    }
    const vitest = [process.execPath, join(folder, 'node_modules/vitest/vitest.mjs'), 'run'];
    const { code: status, out, err } = await startChild(vitest, env, { cwd: folder }).ending;
    expect(`${status} ${out} ${err}`).toMatch(/^0 /);
  });

  it('has a bill of materials that names the packages of THIRD-PARTY.md, and no other', () => {
    const folder = join(home, 'plain/node_modules/stacks-quota');
    const bill = JSON.parse(readFileSync(join(folder, 'dist/sbom.json'), 'utf8'));
    const notices = readFileSync(join(folder, 'THIRD-PARTY.md'), 'utf8').matchAll(/^## (\S+) (\S+) · (\S+)$/gm);
    const named = Array.from(notices, ([, name, version, licence]) => ({ name, version, licence }));
    type Component = { name: string; version: string; licenses: { license: { id: string } }[] };
    const billed = bill.components.map(({ name, version, licenses }: Component) => ({
      name,
      version,
      licence: licenses[0]?.license.id,
    }));
    expect(billed).toEqual(expect.arrayContaining(named));
    expect(billed).toHaveLength(named.length);
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

  it.each(['stacks-quota', 'stacks-quota/fetch'])(
    'leaves fetch to the first request where %s is imported',
    async (name) => {
      const isLoaded = `process.moduleLoadList.some((module) => module.includes('undici'))`;
      const program = `import '${name}';\nconsole.log(${isLoaded});\nnew Request('http://localhost');\nconsole.log(${isLoaded});`;
      expect(await run(join(home, 'plain'), program)).toBe('false\ntrue\n');
    },
  );

  it('runs where the functions of process throw, as in the Edge Runtime of Next.js', async () => {
    expect(await run(join(home, 'plain'), IN_EDGE_RUNTIME)).toBe('200 4\n');
  });

  it('has types that are clean by the strictest settings, in modules and in CommonJS', () => {
    const folder = project('types', ...TYPE_PACKAGES, 'msw@3');
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    writeFileSync(join(folder, 'program.ts'), TYPED_PROGRAM + MSW_TYPES);
    for (const { type, options } of TYPE_SETTINGS) {
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, type }));
      expect(complaintsIn(folder, { ...STRICTEST, ...options })).toEqual([]);
    }
  });

  it('has types that are clean in Node, without those of a browser', () => {
    const folder = project('types-node', ...TYPE_PACKAGES);
    writeFileSync(join(folder, 'program.ts'), TYPED_PROGRAM);
    const lib = ['es2022', 'esnext.disposable'];
    expect(complaintsIn(folder, { ...STRICTEST, module: 'nodenext', lib })).toEqual([]);
  });

  it('has types that are clean in a browser, without those of Node and without newer ones of the language', () => {
    const folder = project('types-browser', 'typescript@6');
    const client = 'await using client = createClient();\nexport const waiting: number = client.waiting;\n';
    writeFileSync(join(folder, 'program.ts'), `import { createClient } from 'stacks-quota';\n${client}`);
    const options = {
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: [],
    };
    expect(complaintsIn(folder, { ...STRICTEST, ...options })).toEqual([]);
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
    }, 600_000);
    beforeEach(async () => {
      service = createMockService({ keyless: { second: 20, minute: 1_000 } });
      server = await service.listen();
    });
    afterEach(() => server.close());

    it.each(['request', 'object'] as const)('serves all requests with a client of each %s', async (placement) => {
      expect(await askWorker(folder, placement, server.url)).toEqual(Array(7).fill('200'));
      expect(service.limited).toBe(0);
    });

    it('runs what the documents show', async () => {
      const workers = documents.flatMap(({ text }) => readWorkers(text));
      expect(workers.length).toBeGreaterThan(0);
      for (const code of workers) {
        const stacks = createMockService({ origin: 'https://api.hiro.so', keys: [KEY], keyed: { second: 20 } });
        const answers = await askDocumented(folder, code, { key: KEY, fetch: stacks.fetch });
        expect(answers.map((answer) => JSON.parse(answer).limit)).toEqual(Array(30).fill(20));
        expect(stacks.limited).toBe(0);
      }
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

  it.skipIf(!hasRedis).each(['4', '5', '6'])('shares through node-redis %s', async (version) => {
    const folder = project(`redis-${version}`, `redis@${version}`);
    const redis = await startRedis();
    try {
      const env = { ...(await startMock(folder, '200')), NO_COLOR: '1' };
      const words = ['proxy', '--port', '0', '--redis', redis.url];
      const proxy = startChild([process.execPath, join(folder, 'node_modules/.bin/stacks-quota'), ...words], env);
      const [url] = await proxy.says(/http:\S+/);
      expect((await fetch(`${url}/extended/v1/info`)).status).toBe(200);
      proxy.process.kill('SIGTERM');
      expect(await proxy.ending).toMatchObject({ code: 0, err: expect.not.stringContaining('share') });
    } finally {
      await redis.stop();
    }
  });

  it('installs beside other versions of its optional peers than it can use, and says which it needs', async () => {
    const folder = project('older-peers', 'msw@1', 'redis@3');
    const program = [process.execPath, join(folder, 'node_modules/.bin/stacks-quota')];
    const proxy = startChild([...program, 'proxy', '--port', '0', '--redis', 'redis://127.0.0.1:1'], {});
    expect(await proxy.ending).toMatchObject({
      code: 2,
      err: expect.stringContaining('the package redis, 4 or later'),
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
