import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** `npm run examples` tries the command line as it was built; else it runs from its source. */
const BIN = fileURLToPath(
  new URL(`../../${process.env.EXAMPLES === 'built' ? 'dist/cli.js' : 'src/cli/bin.ts'}`, import.meta.url),
);

/** What the program left behind. */
export interface Ending {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The program in a process of its own. */
export interface Program {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Resolves when its output, standard error included, matches, with the match. Fails if it ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ending: Promise<Ending>;
}

const running = new Set<Program>();

/** Starts the program, with nothing in its environment but what is given. */
export function start(args: readonly string[], env: Readonly<Record<string, string>> = {}, wrap?: Wrap): Program {
  const [command = '', ...rest] = (wrap ?? ((words) => words))([process.execPath, BIN, ...args]);
  const child = spawn(command, rest, { env: { PATH: process.env.PATH, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  // Who ends early does not read what is written to it.
  child.stdin.on('error', () => {});
  const ending = once(child, 'close').then(([code]): Ending => ({ code, out, err }));
  const program: Program = {
    process: child,
    ending,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(out) ?? pattern.exec(err);
          if (match) resolve(match);
        };
        child.stdout.on('data', look);
        child.stderr.on('data', look);
        look();
        void ending.then(() => reject(new Error(`It never said ${pattern}, but:\n${out}${err}`)));
      }),
  };
  running.add(program);
  void ending.then(() => running.delete(program));
  return program;
}

/** Runs the program by another one. */
type Wrap = (words: readonly string[]) => readonly string[];

/** Ends every program that still runs. */
export async function endAll(): Promise<void> {
  await Promise.all(
    Array.from(running, (program) => {
      program.process.kill('SIGKILL');
      return program.ending;
    }),
  );
}
