import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** What a program left behind. */
export interface Ending {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A program in a process of its own. */
export interface Child {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Resolves when its output matches, with the match. Fails if it ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves when it has ended. */
  readonly ending: Promise<Ending>;
}

interface ChildOptions {
  readonly cwd?: string;
  /** Whether what it says on standard error counts, too. */
  readonly hearsErrors?: boolean;
}

/** Where programs find themselves compiled already. */
export const NODE_COMPILE_CACHE: string = fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url));

/** A URL at which nothing listens: a port that was in use and is released may be given to another test. */
export const NO_SERVICE = 'http://127.0.0.1:2';

const running = new Set<Child>();

/** Starts a program, with nothing in its environment that it could tell but what is given. */
export function startChild(
  [command = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
  { cwd, hearsErrors = false }: ChildOptions = {},
): Child {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  // A program that ends early does not read what is written to it.
  child.stdin.on('error', () => {});
  const ending = once(child, 'close').then(([code]): Ending => ({ code, out, err }));
  const started: Child = {
    process: child,
    ending,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(out) ?? (hearsErrors ? pattern.exec(err) : null);
          if (match) resolve(match);
        };
        child.stdout.on('data', look);
        child.stderr.on('data', look);
        look();
        void ending.then(() => reject(new Error(`It never said ${pattern}, but:\n${out}${err}`)));
      }),
  };
  running.add(started);
  void ending.then(() => running.delete(started));
  return started;
}

/** Ends every program that still runs. */
export async function endAll(): Promise<void> {
  await Promise.all(
    Array.from(running, (child) => {
      child.process.kill('SIGKILL');
      return child.ending;
    }),
  );
}
