import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProject, runProgram } from '../empty-project.ts';
import type { Row } from './row.ts';
import { STRICTEST, TYPE_PACKAGES, TYPED_PROGRAM } from './typed-program.ts';

/** What a compiler is to check: the same program, as one kind of file or as several. */
interface Check {
  /** The version of TypeScript. */
  readonly name: string;
  readonly ways: string;
  readonly files: readonly string[];
  readonly settings: Readonly<Record<string, unknown>>;
}

const MODULES = { ways: 'ES module', files: ['program.mts'], settings: { module: 'nodenext' } };

/** From TypeScript 5.8 on an ES module may be imported in a CommonJS file. */
const BOTH = { ...MODULES, ways: 'ES module, CommonJS', files: ['program.mts', 'program.cts'] };

/** How NestJS and others resolved imports for long: by the folders of the package, without its `exports`. */
const BY_FOLDER = {
  ways: '`moduleResolution: node10`',
  files: ['program.ts'],
  settings: { module: 'commonjs', moduleResolution: 'node10' },
};

const CHECKS: readonly Check[] = [
  { name: '5.4', ...BY_FOLDER },
  ...['5.4', '5.5', '5.6', '5.7'].map((name) => ({ name, ...MODULES })),
  ...['5.8', '5.9', '6.0', '7.0'].map((name) => ({ name, ...BOTH })),
];

/** Compiles a program that uses the types, by the strictest settings, with each version of TypeScript. */
export async function tryTypes(project: { home: string; tarball: string }): Promise<Row[]> {
  const compilers = [...new Set(CHECKS.map(({ name }) => `typescript-${name}@npm:typescript@${name}`))];
  const packages = [project.tarball, ...TYPE_PACKAGES, ...compilers];
  const folder = createProject({ home: project.home, name: 'typescript', packages });
  for (const file of ['program.ts', ...BOTH.files]) writeFileSync(join(folder, file), TYPED_PROGRAM);
  const rows: Row[] = [];
  for (const check of CHECKS) rows.push(await compile(folder, check));
  return rows;
}

async function compile(folder: string, { name, ways, files, settings }: Check): Promise<Row> {
  const compiler = join('node_modules', `typescript-${name}`);
  const { version } = JSON.parse(readFileSync(join(folder, compiler, 'package.json'), 'utf8'));
  writeFileSync(join(folder, 'check.json'), JSON.stringify({ compilerOptions: { ...STRICTEST, ...settings }, files }));
  const args = [join(compiler, 'bin/tsc'), '-p', 'check.json'];
  const complaints = await runProgram(folder, process.execPath, args).catch(
    (error: { stdout?: string }) => error.stdout || String(error),
  );
  const [first = ''] = complaints.split('\n');
  return { runtime: 'TypeScript', version, ways, result: first || 'types are clean', isRight: complaints === '' };
}
