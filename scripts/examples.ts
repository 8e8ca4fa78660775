/** Runs every example, one after the other, against the built package. Fails with the first that fails. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

const SLOWEST_MS = 60_000;

const examples = readdirSync('examples').filter((file) => file.endsWith('.ts'));
if (examples.length === 0) throw new Error('There is no example to run.');

for (const example of examples) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`examples/${example}`], {
    encoding: 'utf8',
    timeout: SLOWEST_MS,
  });
  if (status !== 0) {
    console.error(`✗ ${example}\n${stdout}${stderr}`);
    process.exit(1);
  }
  console.log(`✓ ${example}`);
}
