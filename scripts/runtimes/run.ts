/**
 * Tries the packed package in empty projects, on each runtime that npm can install, and in a browser. Prints a table in Markdown,
 * and compares the README's table with it; `--write` writes that.
 */
import '../clean-environment.ts';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMockService } from '../../src/testing/index.ts';
import { CHROMIUM } from '../../test/support/browser.ts';
import { createProject, pack } from '../empty-project.ts';
import { browse } from './chromium.ts';
import { tryJest } from './jest.ts';
import { askLambda } from './lambda.ts';
import { newService, type ProgramRuntime, rowOf, tryOldNode, tryPrograms } from './programs.ts';
import { isInReadme } from './readme.ts';
import type { Row } from './row.ts';
import { tryTypes } from './typescript.ts';
import { askWorker, type Placement } from './workers.ts';

const RUNTIMES: readonly ProgramRuntime[] = [
  { name: 'Node', from: 'node@22.12.0', command: ['node'] },
  { name: 'Node', from: 'node@24.21', command: ['node'] },
  { name: 'Node', from: 'node@26.10', command: ['node'] },
  { name: 'Bun', from: 'bun@1.4', command: ['bun'] },
  { name: 'Deno', from: 'deno@2.9', command: ['deno', 'run', '--allow-net'] },
];

const PLACEMENTS: Record<Placement, string> = {
  request: 'a client of each request',
  object: 'a client in a Durable Object',
  outside: 'a client outside the function',
  shared: 'a client of an earlier request',
};

const home = mkdtempSync(join(tmpdir(), 'stacks-quota-runtimes-'));
const project = { home, tarball: pack(home) };

async function tryChromium(program: string): Promise<Row> {
  const folder = createProject({ home, name: 'chromium', packages: [project.tarball] });
  const service = newService();
  const version = /[\d.]+/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[0] ?? 'unknown';
  const seen = await browse(folder, service);
  return rowOf({ runtime: 'Chromium', version, ways: 'a bundle' }, seen, service.limited);
}

async function tryWorkers(): Promise<Row[]> {
  const packages = [project.tarball, 'miniflare@4'];
  const folder = createProject({ home, name: 'workers', packages, installers: ['workerd'] });
  const { version } = JSON.parse(readFileSync(join(folder, 'node_modules/workerd/package.json'), 'utf8'));
  const rows: Row[] = [];
  for (const [placement, place] of Object.entries(PLACEMENTS) as [Placement, string][]) {
    const service = newService();
    const server = await service.listen();
    const answers = await askWorker(folder, placement, server.url);
    await server.close();
    const answered = answers.filter((answer) => answer === '200').length;
    const told = answers.filter((answer) => answer.startsWith('ConfigError')).length;
    const works = placement === 'request' || placement === 'object';
    rows.push({
      runtime: 'workerd',
      version,
      ways: `a bundle, ${place}`,
      result: `${answered} of ${answers.length} answered, ${service.limited} refused${told > 0 ? `, ${told} \`ConfigError\`` : ''}`,
      isRight: works ? answered === answers.length : answered + told === answers.length && told > 0,
    });
  }
  return rows;
}

async function tryLambda(): Promise<Row> {
  const folder = createProject({ home, name: 'lambda', packages: [project.tarball] });
  const service = createMockService({ keyless: { second: 5, minute: 25 } });
  const { answers, calls } = await askLambda(folder, service);
  const answered = answers.filter((answer) => answer === '200').length;
  return {
    runtime: 'AWS Lambda',
    version: process.versions.node,
    ways: 'a client outside the function, frozen between invocations',
    result: `${answered} of ${calls} answered, ${service.limited} refused`,
    isRight: answered === calls && service.limited === 0,
  };
}

/** Rows of one runtime; one that says so if it could not be tried to the end. */
async function tried(runtime: string, attempt: () => Promise<Row | readonly Row[]>): Promise<readonly Row[]> {
  console.error(`${runtime} …`);
  try {
    return [await attempt()].flat();
  } catch (error) {
    const [line = ''] = String(error).split('\n');
    return [{ runtime, version: '', ways: '', result: `failed: ${line}`, isRight: false }];
  }
}

try {
  const rows: Row[] = [];
  for (const runtime of RUNTIMES) rows.push(...(await tried(runtime.from, () => tryPrograms(runtime, project))));
  rows.push(...(await tried('an old Node', () => tryOldNode(project))));
  rows.push(...(await tried('workerd', tryWorkers)));
  rows.push(...(await tried('AWS Lambda', tryLambda)));
  rows.push(...(await tried('Jest', () => tryJest(project))));
  rows.push(...(await tried('TypeScript', () => tryTypes(project))));
  rows.push(...(await tried('Chromium', () => tryChromium(CHROMIUM ?? 'chromium'))));
  console.log('| runtime | version | by | seen | |\n|---|---|---|---|---|');
  for (const { runtime, version, ways, result, isRight } of rows) {
    console.log(`| ${runtime} | ${version} | ${ways} | ${result} | ${isRight ? '✓' : '✗'} |`);
  }
  const isShown = isInReadme(rows, process.argv.includes('--write'));
  if (!isShown) console.error('The README has another table: npm run test:runtimes -- --write');
  if (!isShown || !rows.every(({ isRight }) => isRight)) process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
