/**
 * Soak: many calls, and a bad server for long. Says what grew; exits with 1 if anything did.
 *
 *     npm run soak                                  # a million calls in virtual time, and ten minutes on the wire
 *     npm run soak -- --calls 50000 --seconds 30    # shorter
 */
import { parseArgs } from 'node:util';
import { type Soaked, soakVirtually } from './virtual.ts';
import { soakOnTheWire } from './wire.ts';

const { values } = parseArgs({
  options: { calls: { type: 'string', default: '1000000' }, seconds: { type: 'string', default: '600' } },
});

print('virtual time', await soakVirtually(Number(values.calls)));
print('real sockets', await soakOnTheWire(Number(values.seconds) * 1_000));

function print(what: string, { samples, faults, notes }: Soaked): void {
  console.log(`${what}: ${notes.join('; ')}`);
  for (const { calls, heap, descriptors } of samples)
    console.log(`  ${calls} calls: heap ${heap.toFixed(1)} MiB, ${descriptors ?? '?'} descriptors`);
  for (const fault of faults) console.log(`  WRONG: ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
  else console.log('  flat; no timer, call or socket left');
}
