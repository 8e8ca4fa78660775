import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProject, runProgram } from '../empty-project.ts';
import type { Row } from './row.ts';
import { STRICTEST, TYPE_PACKAGES, TYPED_PROGRAM } from './typed-program.ts';

/** The versions whose compiler checks the types. */
const VERSIONS = ['5.4', '5.5', '5.6', '5.7', '5.8', '5.9', '6.0', '7.0'];

/** From this version on an ES module may be imported in a CommonJS file. */
const REQUIRES = '5.8';

/** Compiles a program that uses the types, by the strictest settings, with each version of TypeScript. */
export async function tryTypes(project: { home: string; tarball: string }): Promise<Row[]> {
  const compilers = VERSIONS.map((version) => `typescript-${version}@npm:typescript@${version}`);
  const packages = [project.tarball, ...TYPE_PACKAGES, ...compilers];
  const folder = createProject({ home: project.home, name: 'typescript', packages });
  writeFileSync(join(folder, 'program.mts'), TYPED_PROGRAM);
  writeFileSync(join(folder, 'program.cts'), TYPED_PROGRAM);
  const rows: Row[] = [];
  for (const name of VERSIONS) rows.push(await compile(folder, name));
  return rows;
}

async function compile(folder: string, name: string): Promise<Row> {
  const compiler = join('node_modules', `typescript-${name}`);
  const { version } = JSON.parse(readFileSync(join(folder, compiler, 'package.json'), 'utf8'));
  const isRequired = VERSIONS.indexOf(name) >= VERSIONS.indexOf(REQUIRES);
  const files = isRequired ? ['program.mts', 'program.cts'] : ['program.mts'];
  const settings = { compilerOptions: { ...STRICTEST, module: 'nodenext' }, files };
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(settings));
  const ways = isRequired ? 'ES module, CommonJS' : 'ES module';
  const complaints = await runProgram(folder, process.execPath, [
    join(compiler, 'bin/tsc'),
    '-p',
    `${name}.json`,
  ]).catch((error: { stdout?: string }) => error.stdout || String(error));
  const [first = ''] = complaints.split('\n');
  return { runtime: 'TypeScript', version, ways, result: first || 'types are clean', isRight: complaints === '' };
}
