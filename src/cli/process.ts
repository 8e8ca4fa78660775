import type { Writable } from 'node:stream';
import { systemClock } from '../index.ts';
import { BrokenPipeError, type Interrupt, type Surface } from './environment.ts';
import { EXIT } from './exit.ts';
import { run } from './main.ts';

const INTERRUPTS: readonly Interrupt[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Runs the command line of this process. */
export async function start(): Promise<void> {
  let interrupts = 0;
  // The first signal asks the command to end, the second ends the process.
  const count = (interrupt: Interrupt): void => {
    if (++interrupts > 1) process.exit(EXIT[interrupt]);
  };
  for (const interrupt of INTERRUPTS) process.on(interrupt, count);
  process.exitCode = await run(process.argv.slice(2), {
    env: process.env,
    stdin: process.stdin,
    stdout: surfaceOf(process.stdout),
    stderr: surfaceOf(process.stderr),
    clock: systemClock,
    fetch: globalThis.fetch,
    onInterrupt(listener) {
      for (const interrupt of INTERRUPTS) process.on(interrupt, listener);
      return () => {
        for (const interrupt of INTERRUPTS) process.off(interrupt, listener);
      };
    },
  });
  // Only an idle connection or an unread standard input can keep the process alive now.
  process.exit();
}

function surfaceOf(stream: Writable & { readonly isTTY?: boolean; readonly columns?: number }): Surface {
  // Each write reports its own failure; without a listener the stream would end the process with a stack trace.
  stream.on('error', () => {});
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => {
          if (!error) resolve();
          else reject(isGone(error) ? new BrokenPipeError() : error);
        });
      }),
    isTTY: stream.isTTY === true,
    get columns() {
      return stream.columns;
    },
  };
}

function isGone(error: Error): boolean {
  return ['EPIPE', 'ERR_STREAM_DESTROYED', 'EOF'].includes(String((error as NodeJS.ErrnoException).code));
}
