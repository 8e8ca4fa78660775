/** Tries the packed package in empty projects, on each runtime that npm can install. Prints a table in Markdown. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createMockService } from '../../src/testing/index.ts';
import { createProject, pack } from '../empty-project.ts';
import { browse, CHROMIUM } from './chromium.ts';
import { CALLS, PROBE, type Seen } from './probe.ts';
import { askWorker, type Placement } from './workers.ts';

/** A runtime that runs programs in files. */
interface Runtime {
  readonly name: string;
  /** The package that brings it. */
  readonly from: string;
  /** Its program in `node_modules/.bin`, and what is said before the name of a file. */
  readonly command: readonly [string, ...string[]];
}

interface Row {
  readonly name: string;
  readonly version: string;
  readonly ways: string;
  readonly result: string;
  readonly isRight: boolean;
}

const RUNTIMES: readonly Runtime[] = [
  { name: 'Node', from: 'node@22.12.0', command: ['node'] },
  { name: 'Node', from: 'node@24', command: ['node'] },
  { name: 'Node', from: 'node@26', command: ['node'] },
  { name: 'Bun', from: 'bun', command: ['bun'] },
  { name: 'Deno', from: 'deno', command: ['deno', 'run', '--allow-net'] },
];

const PLACEMENTS: Record<Placement, string> = {
  request: 'a client of each request',
  object: 'a client in a Durable Object',
  outside: 'a client outside the function',
  shared: 'a client of an earlier request',
};

/** Longer than any runtime takes, on a busy machine. */
const PATIENCE_MS = 120_000;

const home = mkdtempSync(join(tmpdir(), 'stacks-quota-runtimes-'));
const tarball = pack(home);
const newService = (): ReturnType<typeof createMockService> =>
  createMockService({ keyless: { second: 20, minute: 1_000 } });

async function tryRuntime({ name, from, command: [program, ...words] }: Runtime): Promise<Row> {
  const [installer = ''] = from.split('@');
  const folder = createProject({
    home,
    name: from.replace('@', '-'),
    packages: [tarball, from],
    installers: [installer],
  });
  writeFileSync(join(folder, 'probe.mjs'), PROBE);
  const end = `probe(process.argv[2]).then((seen) => console.log(JSON.stringify(seen)));`;
  writeFileSync(join(folder, 'import.mjs'), `import { probe } from './probe.mjs';\n${end}`);
  writeFileSync(join(folder, 'require.cjs'), `console.log(typeof require('stacks-quota').createClient);`);
  const run = async (...args: string[]): Promise<string> => {
    const path = join(folder, 'node_modules/.bin', program);
    return (await promisify(execFile)(path, args, { cwd: folder, timeout: PATIENCE_MS })).stdout.trim();
  };
  const version = /\d+\.\d+\.\d+/.exec(await run('--version'))?.[0] ?? 'unknown';
  const service = newService();
  const server = await service.listen();
  try {
    const seen = JSON.parse(await run(...words, 'import.mjs', server.url)) as Seen;
    const required = await run(...words, 'require.cjs').catch((error: Error) => error.message);
    const isRequired = required === 'function';
    const row = rowOf({ name, version, ways: isRequired ? '`import`, `require`' : '`import`' }, seen, service.limited);
    return { ...row, isRight: row.isRight && isRequired };
  } finally {
    await server.close();
  }
}

async function tryChromium(program: string): Promise<Row> {
  const folder = createProject({ home, name: 'chromium', packages: [tarball] });
  const service = newService();
  const version = /[\d.]+/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[0] ?? 'unknown';
  const seen = await browse(program, folder, service);
  return rowOf({ name: 'Chromium', version, ways: 'a bundle' }, seen, service.limited);
}

async function tryWorkers(): Promise<Row[]> {
  const folder = createProject({ home, name: 'workers', packages: [tarball, 'miniflare'], installers: ['workerd'] });
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
      name: `workerd, ${place}`,
      version,
      ways: 'a bundle',
      result: `${answered} of ${answers.length} answered, ${service.limited} refused${told > 0 ? `, ${told} \`ConfigError\`` : ''}`,
      isRight: works ? answered === answers.length : answered + told === answers.length && told > 0,
    });
  }
  return rows;
}

function rowOf(about: Pick<Row, 'name' | 'version' | 'ways'>, { answered, refusesTypo }: Seen, refused: number): Row {
  const result = `${answered} of ${CALLS} answered, ${refused} refused`;
  return { ...about, result, isRight: answered === CALLS && refused === 0 && refusesTypo === true };
}

/** Rows of one runtime; one that says so if it could not be tried to the end. */
async function tried(name: string, attempt: () => Promise<Row | readonly Row[]>): Promise<readonly Row[]> {
  console.error(`${name} …`);
  try {
    return [await attempt()].flat();
  } catch (error) {
    const [line = ''] = String(error).split('\n');
    return [{ name, version: '', ways: '', result: `failed: ${line}`, isRight: false }];
  }
}

try {
  const rows: Row[] = [];
  for (const runtime of RUNTIMES) rows.push(...(await tried(runtime.from, () => tryRuntime(runtime))));
  rows.push(...(await tried('workerd', tryWorkers)));
  if (CHROMIUM) rows.push(...(await tried('Chromium', () => tryChromium(CHROMIUM ?? ''))));
  else console.error('Chromium is not installed, and was not tried.');
  console.log('| runtime | version | by | 20 requests a second allowed | |\n|---|---|---|---|---|');
  for (const { name, version, ways, result, isRight } of rows) {
    console.log(`| ${name} | ${version} | ${ways} | ${result} | ${isRight ? '✓' : '✗'} |`);
  }
  if (!rows.every(({ isRight }) => isRight)) process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
