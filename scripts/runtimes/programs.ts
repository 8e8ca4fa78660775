import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMockService, type MockService } from '../../src/testing/index.ts';
import { createProject, runProgram } from '../empty-project.ts';
import { CALLS, PROBE, type Seen } from './probe.ts';
import type { Row } from './row.ts';

/** A runtime that runs programs in files. */
export interface ProgramRuntime {
  readonly name: string;
  /** The package that brings it. */
  readonly from: string;
  /** Its program in `node_modules/.bin`, and what is said before the name of a file. */
  readonly command: readonly [string, ...string[]];
}

/** The service that every runtime calls. */
export function newService(): MockService {
  return createMockService({ keyless: { second: 20, minute: 1_000 } });
}

/** What a probe saw, and whether that is right. */
export function rowOf(
  about: Pick<Row, 'runtime' | 'version' | 'ways'>,
  { answered, refusesTypo }: Seen,
  refused: number,
): Row {
  const result = `${answered} of ${CALLS} answered, ${refused} refused`;
  return { ...about, result, isRight: answered === CALLS && refused === 0 && refusesTypo === true };
}

/** Runs the probe as an ES module, and `require` in a CommonJS file. */
export async function tryPrograms(
  { name, from, command: [program, ...words] }: ProgramRuntime,
  project: { home: string; tarball: string },
): Promise<Row> {
  const [installer = ''] = from.split('@');
  const folder = createProject({
    home: project.home,
    name: from.replace('@', '-'),
    packages: [project.tarball, from],
    installers: [installer],
  });
  writeFileSync(join(folder, 'probe.mjs'), PROBE);
  const end = 'probe(process.argv[2]).then((seen) => console.log(JSON.stringify(seen)));';
  writeFileSync(join(folder, 'import.mjs'), `import { probe } from './probe.mjs';\n${end}`);
  writeFileSync(join(folder, 'require.cjs'), `console.log(typeof require('stacks-quota').createClient);`);
  const run = (...args: string[]): Promise<string> => runProgram(folder, program, args);
  const version = /\d+\.\d+\.\d+/.exec(await run('--version'))?.[0] ?? 'unknown';
  const service = newService();
  const server = await service.listen();
  try {
    const seen = JSON.parse(await run(...words, 'import.mjs', server.url)) as Seen;
    const required = await run(...words, 'require.cjs').catch((error: Error) => error.message);
    const isRequired = required === 'function';
    const ways = isRequired ? '`import`, `require`' : '`import`';
    const row = rowOf({ runtime: name, version, ways }, seen, service.limited);
    return { ...row, isRight: row.isRight && isRequired };
  } finally {
    await server.close();
  }
}

/** Whether the package tells an unsupported Node from the others, when a client is created. */
export async function tryOldNode(project: { home: string; tarball: string }): Promise<Row> {
  const packages = [project.tarball, 'node@20'];
  const folder = createProject({ home: project.home, name: 'old-node', packages, installers: ['node'] });
  const program = `import { createClient } from 'stacks-quota';\ntry { createClient(); } catch (error) { console.log(error.message); }`;
  writeFileSync(join(folder, 'old.mjs'), program);
  const version = (await runProgram(folder, 'node', ['--version'])).slice(1);
  const result = await runProgram(folder, 'node', ['old.mjs']);
  const isRight = result.startsWith(`Node is version ${version}, and stacks-quota needs `);
  return { runtime: 'an old Node', version, ways: '`import`', result, isRight };
}
