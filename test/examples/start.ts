import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** What an example left behind. */
export interface Ending {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** An example that runs in a process of its own. */
export interface Example {
  readonly process: ChildProcessByStdio<null, Readable, Readable>;
  /** Resolves when its output matches, with the match. Fails if it ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves when it has ended. */
  readonly ending: Promise<Ending>;
}

/** `npm run examples` tries the examples with the package as it was built; else they run from its source. */
export const isBuilt: boolean = process.env.EXAMPLES === 'built';

const PRELOADED = isBuilt ? [] : ['--import', new URL('./from-source.ts', import.meta.url).href];

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const running = new Set<Example>();

/** Starts an example, with nothing in its environment but what is given. */
export function start(name: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Example {
  const child = spawn(process.execPath, [...PRELOADED, `examples/${name}`, ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ending = once(child, 'close').then(([code]): Ending => ({ code, out, err }));
  const example: Example = {
    process: child,
    ending,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(out);
          if (match) resolve(match);
        };
        child.stdout.on('data', look);
        look();
        void ending.then(() => reject(new Error(`It never said ${pattern}, but:\n${out}${err}`)));
      }),
  };
  running.add(example);
  void ending.then(() => running.delete(example));
  return example;
}

/** Runs an example to its end. */
export function run(name: string, args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ending> {
  return start(name, args, env).ending;
}

/** Ends every example that still runs. */
export async function endAll(): Promise<void> {
  await Promise.all(
    Array.from(running, (example) => {
      example.process.kill('SIGKILL');
      return example.ending;
    }),
  );
}
