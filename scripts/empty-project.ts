import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** An empty project to be made. */
interface ProjectOptions {
  /** The folder in which its folder is made. */
  readonly home: string;
  readonly name: string;
  /** What it depends on, in words of npm: a tarball, `msw@3`. */
  readonly packages: readonly string[];
  readonly type?: 'module' | 'commonjs';
  /** The packages that may run a script when they are installed: those that put a program into place. */
  readonly installers?: readonly string[];
}

/** Packs this package, built, into a folder. Returns the path of the tarball. */
export function pack(home: string): string {
  const name = npm(process.cwd(), 'pack', '--silent', '--pack-destination', home).trim().split('\n').at(-1) ?? '';
  return join(home, name);
}

/** Makes a project that depends on these packages and on nothing else. Returns its folder. */
export function createProject({ home, name, packages, type = 'module', installers = [] }: ProjectOptions): string {
  const folder = join(home, name);
  const allowScripts = Object.fromEntries(installers.map((installer) => [installer, true]));
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, type, private: true, allowScripts }));
  npm(folder, 'install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', ...packages);
  return folder;
}

/** Longer than any program here takes, on a busy machine. */
const PATIENCE_MS = 180_000;

/** Runs a program of a project, by its name in `node_modules/.bin` or by its path. Resolves with what it prints. */
export async function runProgram(folder: string, program: string, args: readonly string[]): Promise<string> {
  const path = resolve(folder, 'node_modules/.bin', program);
  return (await promisify(execFile)(path, args, { cwd: folder, timeout: PATIENCE_MS })).stdout.trim();
}

function npm(cwd: string, ...args: string[]): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
