/**
 * Soak: many calls, and a bad server for long, each in a process of its own. Says what grew; exits with 1 if anything did.
 *
 *     npm run soak                                  # a million calls in virtual time, and ten minutes on the wire
 *     npm run soak -- --short                       # 50,000 calls and 20 seconds, as in CI
 *     npm run soak -- --calls 50000 --seconds 30    # 0: not this part
 */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { type Soaked, soakVirtually } from './virtual.ts';
import { soakOnTheWire } from './wire.ts';

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, calls: { type: 'string' }, seconds: { type: 'string' } },
});
const calls = Number(values.calls ?? (values.short ? 50_000 : 1_000_000));
const seconds = Number(values.seconds ?? (values.short ? 20 : 600));

if (calls > 0 && seconds > 0) {
  for (const part of [
    ['--calls', `${calls}`, '--seconds', '0'],
    ['--calls', '0', '--seconds', `${seconds}`],
  ])
    spawn(process.execPath, [...process.execArgv, import.meta.filename, ...part], { stdio: 'inherit' }).on(
      'close',
      (code) => (process.exitCode ||= code ?? 1),
    );
} else if (calls > 0) print('virtual time', await soakVirtually(calls));
else print('real sockets', await soakOnTheWire(seconds * 1_000));

function print(what: string, { samples, faults, notes }: Soaked): void {
  const lines = samples.map(
    ({ calls, heap, descriptors }) =>
      `  ${calls} calls: heap ${heap.toFixed(1)} MiB, ${descriptors ?? '?'} descriptors`,
  );
  const verdict =
    faults.length > 0
      ? faults.map((fault) => `  WRONG: ${fault}`)
      : ['  flat; no lease, listener, timer or socket left'];
  console.log([`${what}: ${notes.join('; ')}`, ...lines, ...verdict].join('\n'));
  if (faults.length > 0) process.exitCode = 1;
}
